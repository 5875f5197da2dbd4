#include "tools/api/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ptx/ptx.h"
#include "interpreter/base/files.h"
#include "tools/api/integer_type.h"
#include "tools/api/joined.h"

namespace qgpu {
namespace {

using launch::ElementType;
using Kind = KernelParameter::Kind;

std::optional<ElementType> elementType(cuda::ValueKind kind, int size) {
  const auto bytes = static_cast<std::size_t>(size);
  switch (kind) {
    case cuda::ValueKind::Signed: return integerType(true, bytes);
    case cuda::ValueKind::Unsigned: return integerType(false, bytes);
    case cuda::ValueKind::Floating:
      return bytes == 4 ? std::optional(ElementType::Float) : std::nullopt;
    default: return std::nullopt;
  }
}

// The one type of all scalars that a struct or an array is made of.
std::optional<ElementType> commonType(const std::vector<cuda::Scalar>& scalars) {
  std::optional<ElementType> common;
  for (const cuda::Scalar& s : scalars) {
    const auto type = elementType(s.kind, s.bytes);
    if (!type || (common && *common != *type)) return std::nullopt;
    common = type;
  }
  return common;
}

// A pointer within a struct is a 64-bit number.
std::vector<StructMember> membersOf(const std::vector<cuda::Scalar>& scalars) {
  std::vector<StructMember> members;
  for (const cuda::Scalar& s : scalars) {
    const auto type =
        s.kind == cuda::ValueKind::Pointer ? ElementType::Uint64 : elementType(s.kind, s.bytes);
    if (!type) return {};
    members.push_back({s.name, *type, static_cast<std::size_t>(s.offset)});
  }
  return members;
}

KernelParameter parameterOf(const cuda::Parameter& p) {
  KernelParameter result{.name = p.name, .type = p.type};
  result.bytes = static_cast<std::size_t>(p.bytes);
  result.read_only = p.type.starts_with("const ");
  switch (p.kind) {
    case cuda::ValueKind::Pointer:
      result.kind = Kind::Array;
      result.element = elementType(p.element, p.element_bytes);
      if (!result.element) result.element = commonType(p.scalars);
      result.is_mixed =
          !result.element && p.element_bytes > 0 && p.element != cuda::ValueKind::Floating;
      break;
    case cuda::ValueKind::Struct:
      result.kind = Kind::Struct;
      result.members = membersOf(p.scalars);
      result.is_mixed = result.members.empty();
      break;
    default: result.kind = Kind::Scalar; result.element = elementType(p.kind, p.bytes);
  }
  return result;
}

KernelParameter parameterOf(const ptx::Variable& v, int address_size) {
  KernelParameter result{.name = v.name, .type = fmt::format(".{}", ptx::spelling(v.type))};
  result.bytes = v.size;
  if (!v.dimensions.empty()) {
    result.kind = Kind::Struct;
    for (const std::uint64_t size : v.dimensions) result.type += fmt::format("[{}]", size);
  } else if (v.is_pointer) {
    result.kind = Kind::Array;
    result.type += " .ptr";
  } else if (v.size * 8 != static_cast<std::uint64_t>(address_size)) {
    result.kind = Kind::Scalar;
    result.element = integerType(false, v.size);
  }
  return result;
}

tl::unexpected<Failure> unknownEntry(const std::string& file_name, std::string message,
                                     const std::vector<std::string>& names) {
  return refuseAt({file_name, 0, 0}, std::move(message),
                  names.empty() ? "mark one with __global__, in PTX with .entry"
                                : fmt::format("kernels: {}", joined(names)));
}

// The entry of a PTX module: the only one, or the one of that name.
Expected<const ptx::Function*> findEntry(const ptx::Module& module, std::string_view name) {
  std::vector<std::string> names;
  const ptx::Function* found = nullptr;
  for (const ptx::Function& f : module.functions) {
    if (!f.is_entry || !f.has_body) continue;
    names.push_back(f.name);
    if (name.empty() || f.name == name) found = &f;
  }
  if (names.empty()) return unknownEntry(module.file_name, "there is no kernel", names);
  if (name.empty() && names.size() > 1)
    return unknownEntry(module.file_name, "there are several kernels: name one with --entry",
                        names);
  if (found == nullptr)
    return unknownEntry(module.file_name, fmt::format("there is no kernel '{}'", name), names);
  return found;
}

Expected<Kernel> loadPtx(std::string text, const std::string& file_name, std::string_view entry) {
  auto module = ptx::parse(text, file_name);
  if (!module) return fail(std::move(module.error()));
  const auto function = findEntry(*module, entry);
  if (!function) return fail(function.error());
  Kernel kernel{.name = (*function)->name, .entry = (*function)->name, .file_name = file_name};
  for (const ptx::Variable& v : (*function)->parameters)
    kernel.parameters.push_back(parameterOf(v, module->address_size));
  kernel.ptx = std::move(text);
  kernel.module = std::move(*module);
  return kernel;
}

Expected<Kernel> loadCuda(const Source& source, std::string_view entry, cuda::CudaOptions options) {
  options.entry = entry;
  auto compiled = cuda::compileCuda(source.text, source.file_name, options);
  if (!compiled) return fail(std::move(compiled.error()));
  const auto index = cuda::findKernel(compiled->kernels, entry);
  if (!index) return fail(index.error());
  const cuda::Kernel& cuda_kernel = compiled->kernels[*index];
  auto kernel = loadPtx(std::move(compiled->text), source.file_name, cuda_kernel.mangled);
  if (!kernel) return kernel;
  kernel->name = cuda_kernel.qualified;
  kernel->parameters.clear();
  for (const cuda::Parameter& p : cuda_kernel.parameters)
    kernel->parameters.push_back(parameterOf(p));
  for (const cuda::Warning& w : compiled->warnings) kernel->warnings.push_back(w.text());
  return kernel;
}

}  // namespace

Expected<Source> readSource(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  Source source{.text = {}, .file_name = path.string()};
  if (ending == ".ptx")
    source.language = Language::Ptx;
  else if (ending != ".cu" && ending != ".cuh")
    return refuseAt({path.string(), 0, 0}, "is neither CUDA nor PTX by its name",
                    "name a .cu or a .ptx file");
  auto text = readFile(path);
  if (!text) return fail(std::move(text.error()));
  source.text = std::move(*text);
  return source;
}

Expected<Kernel> loadKernel(const Source& source, std::string_view entry,
                            const cuda::CudaOptions& options) {
  if (source.language == Language::Ptx) return loadPtx(source.text, source.file_name, entry);
  return loadCuda(source, entry, options);
}

std::string Kernel::signature() const {
  std::vector<std::string> list;
  for (const KernelParameter& p : parameters)
    list.push_back(p.type + (p.type.ends_with('*') || p.type.ends_with('&') ? "" : " ") + p.name);
  return fmt::format("{}({})", name, joined(list));
}

}  // namespace qgpu
