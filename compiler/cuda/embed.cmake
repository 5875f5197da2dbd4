# Writes OUTPUT, a C++ source that holds FILES (names below FOLDER, separated by ";") as text.
set(text "#include \"compiler/cuda/frontend/virtual_files.h\"\n\nnamespace qgpu::cuda {\nnamespace {\n\nconstexpr EmbeddedFile kFiles[] = {\n")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" content)
  string(APPEND text "    {\"${name}\", R\"qgpu-file(${content})qgpu-file\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const EmbeddedFile> embeddedFiles() { return kFiles; }\n\n}  // namespace qgpu::cuda\n")
file(WRITE "${OUTPUT}" "${text}")
