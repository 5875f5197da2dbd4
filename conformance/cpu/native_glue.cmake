# Turns launch cases into C++ that compiles their kernels for the CPU and registers them.
#
#   native_glue(OUT own CASES a.json;b.json KERNELS_ROOT dir UNITS 4 [RENAME_ENTRIES])
#
# appends to the list OUT the files it writes. Each kernel file is included in a namespace of its
# own, several to a unit, so that a kernel costs a fraction of a compiler's start. For the kernel file
# F.cu and a case's entry E the registry gets "own/F:E". A .ptx kernel is represented by the .cu of
# the same name beside it, which states the same function. A case whose entry is not a C++ expression
# (a mangled name, an overload) finds one in the kernel file, in a line "// native ENTRY = EXPRESSION".
#
# RENAME_ENTRIES gives extern "C" entries of equal names in different files different symbols.

# extern __shared__ arrays need a definition somewhere: here, in the kernel's namespace.
function(native_glue_for_file suite file entries rename result)
  get_filename_component(stem ${file} NAME_WE)
  file(READ ${file} source)
  string(PREPEND source "\n")
  set(before "")
  set(after "")
  set(undefine "")
  if(rename)
    foreach(entry IN LISTS entries)
      string(REGEX REPLACE "=.*$" "" entry "${entry}")
      string(APPEND before "#define ${entry} ${entry}_of_${stem}\n")
      string(APPEND undefine "#undef ${entry}\n")
    endforeach()
  endif()
  string(REGEX MATCHALL "\n *extern +__shared__ +[^;[]+" dynamic_arrays "${source}")
  list(TRANSFORM dynamic_arrays REPLACE "^\n *extern +" "")
  list(REMOVE_DUPLICATES dynamic_arrays)
  foreach(declaration IN LISTS dynamic_arrays)
    string(APPEND after "${declaration}[4096];\n")
  endforeach()
  string(REGEX MATCHALL "# *define +[A-Za-z_0-9]+" macros "${source}")
  foreach(macro IN LISTS macros)
    string(REGEX REPLACE "# *define +" "" macro "${macro}")
    string(APPEND undefine "#undef ${macro}\n")
  endforeach()
  set(adds "")
  foreach(entry IN LISTS entries)
    string(REGEX REPLACE "^([^=]*)=(.*)$" "\\1" entry_name "${entry}")
    string(REGEX REPLACE "^([^=]*)=(.*)$" "\\2" expression "${entry}")
    string(APPEND adds "  registry.add(\"${suite}/${stem}:${entry_name}\", (${expression}));\n")
  endforeach()
  set(${result} "${before}namespace {
namespace ${suite}_${stem} {
#include \"${file}\"
${after}
void addTo(qgpu::cpu::Registry& registry) {
${adds}}
}  // namespace ${suite}_${stem}
}  // namespace
${undefine}\n" PARENT_SCOPE)
endfunction()

# The C++ expression for a kernel's address.
function(native_expression file entry result)
  set(${result} "&${entry}" PARENT_SCOPE)
  file(STRINGS ${file} lines REGEX "^// native ")
  foreach(line IN LISTS lines)
    if(line MATCHES "^// native ([^ ]+) = (.*)$" AND CMAKE_MATCH_1 STREQUAL entry)
      set(${result} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(native_glue out suite)
  cmake_parse_arguments(arg "RENAME_ENTRIES" "KERNELS_ROOT;UNITS" "CASES" ${ARGN})
  set(files "")
  foreach(case IN LISTS arg_CASES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${case})
    file(READ ${case} json)
    string(JSON kernel GET "${json}" kernel)
    string(JSON entry GET "${json}" entry)
    string(REGEX REPLACE "\\.ptx$" ".cu" kernel "${kernel}")
    set(file "${arg_KERNELS_ROOT}/${kernel}")
    if(NOT EXISTS ${file})
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    native_expression(${file} "${entry}" expression)
    get_filename_component(stem ${file} NAME_WE)
    list(APPEND files ${file})
    list(APPEND entries_of_${stem} "${entry}=${expression}")
  endforeach()
  list(REMOVE_DUPLICATES files)
  foreach(unit RANGE 1 ${arg_UNITS})
    set(text_${unit} "// Written by conformance/cpu/native_glue.cmake.\n#include <cuda_runtime.h>\n#include \"conformance/cpu/registry.h\"\n\n")
    set(calls_${unit} "")
  endforeach()
  set(unit 1)
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    list(REMOVE_DUPLICATES entries_of_${stem})
    native_glue_for_file(${suite} ${file} "${entries_of_${stem}}" "${arg_RENAME_ENTRIES}" text)
    string(APPEND text_${unit} "${text}")
    string(APPEND calls_${unit} "  ${suite}_${stem}::addTo(registry);\n")
    math(EXPR unit "${unit} % ${arg_UNITS} + 1")
  endforeach()
  set(written ${${out}})
  foreach(unit RANGE 1 ${arg_UNITS})
    set(name ${CMAKE_CURRENT_BINARY_DIR}/native_${suite}_${unit}.cc)
    file(CONFIGURE OUTPUT ${name} CONTENT "${text_${unit}}void ${suite}_${unit}(qgpu::cpu::Registry& registry) {\n${calls_${unit}}}\n" @ONLY)
    list(APPEND written ${name})
  endforeach()
  set(${out} ${written} PARENT_SCOPE)
endfunction()

# Writes the one function that asks every unit for its kernels.
function(native_registry out)
  set(declarations "")
  set(calls "")
  foreach(file IN LISTS ${out})
    get_filename_component(stem ${file} NAME_WE)
    string(REGEX REPLACE "^native_" "" unit ${stem})
    string(APPEND declarations "void ${unit}(qgpu::cpu::Registry& registry);\n")
    string(APPEND calls "    ${unit}(all);\n")
  endforeach()
  set(name ${CMAKE_CURRENT_BINARY_DIR}/native_registry.cc)
  file(CONFIGURE OUTPUT ${name} CONTENT "// Written by conformance/cpu/native_glue.cmake.
#include \"conformance/cpu/registry.h\"

${declarations}
const qgpu::cpu::Registry& qgpu::cpu::compiledKernels() {
  static const Registry registry = [] {
    Registry all;
${calls}    return all;
  }();
  return registry;
}
" @ONLY)
  set(${out} ${${out}} ${name} PARENT_SCOPE)
endfunction()
