#include "compiler/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace qgpu::launch {
namespace {

std::size_t roundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

Expected<void> validateDim(std::string_view what, char axis, std::uint32_t size,
                           std::uint32_t limit) {
  if (size >= 1 && size <= limit) return {};
  return refuse(fmt::format("{}.{} is {}", what, axis, size),
                fmt::format("use 1 to {}, as CUDA does", limit));
}

Expected<void> validateDims(std::string_view what, Dim3 dims, Dim3 limits) {
  if (auto x = validateDim(what, 'x', dims.x, limits.x); !x) return x;
  if (auto y = validateDim(what, 'y', dims.y, limits.y); !y) return y;
  return validateDim(what, 'z', dims.z, limits.z);
}

std::size_t byteSize(const Parameter& parameter) {
  if (parameter.kind == ParameterKind::Struct) return layoutOf(parameter.fields).size;
  return parameter.length * sizeOf(parameter.type);
}

Expected<void> validateParameter(const Parameter& parameter) {
  if (parameter.name.empty()) return refuse("a parameter has no name", "name every parameter");
  if (parameter.length > kMaxArrayLength)
    return refuse(fmt::format("array '{}' has {} elements", parameter.name, parameter.length),
                  fmt::format("use at most {}", kMaxArrayLength));
  if (parameter.kind == ParameterKind::Scalar && parameter.length != 1)
    return refuse(fmt::format("scalar '{}' has {} values", parameter.name, parameter.length),
                  "give it one value, or make it an array");
  if (parameter.kind == ParameterKind::Struct &&
      (parameter.fields.empty() || parameter.fields.size() > kMaxFields))
    return refuse(fmt::format("struct '{}' has {} fields", parameter.name, parameter.fields.size()),
                  fmt::format("use 1 to {}", kMaxFields));
  if (parameter.bytes.size() != byteSize(parameter))
    return refuse(fmt::format("parameter '{}' has {} bytes and its type takes {}", parameter.name,
                              parameter.bytes.size(), byteSize(parameter)));
  return {};
}

}  // namespace

std::string Dim3::text() const { return fmt::format("[{}, {}, {}]", x, y, z); }

std::string_view name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Array: return "array";
    case ParameterKind::Scalar: return "scalar";
    case ParameterKind::Struct: return "struct";
  }
  bug("a parameter kind has a name");
}

std::string_view name(Expectation expectation) {
  switch (expectation) {
    case Expectation::Pass: return "pass";
    case Expectation::PassOrReject: return "pass-or-reject";
    case Expectation::Reject: return "reject";
  }
  bug("an expectation has a name");
}

StructLayout layoutOf(const std::vector<Field>& fields) {
  StructLayout layout;
  for (const Field& field : fields) {
    const std::size_t alignment = sizeOf(field.type);
    layout.size = roundUp(layout.size, alignment);
    layout.offsets.push_back(layout.size);
    layout.size += field.length * alignment;
    layout.alignment = std::max(layout.alignment, alignment);
  }
  layout.size = roundUp(layout.size, layout.alignment);
  return layout;
}

Parameter arrayOf(std::string name, const std::vector<std::int64_t>& values, ElementType type) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.kind = ParameterKind::Array;
  parameter.type = type;
  parameter.length = values.size();
  for (const std::int64_t value : values)
    appendElement(parameter.bytes, type, static_cast<std::uint64_t>(value));
  return parameter;
}

Parameter scalarOf(std::string name, std::int64_t value, ElementType type) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  appendElement(parameter.bytes, type, static_cast<std::uint64_t>(value));
  return parameter;
}

Expected<void> validateGrid(Dim3 grid) {
  return validateDims("grid", grid, {2147483647u, 65535u, 65535u});
}

Expected<void> validateBlock(Dim3 block) {
  if (auto dims = validateDims("block", block, {1024u, 1024u, 64u}); !dims) return dims;
  if (block.count() <= 1024) return {};
  return refuse(fmt::format("block {} has {} threads", block.text(), block.count()),
                "use at most 1024, as CUDA does");
}

Expected<void> validate(const Launch& launch) {
  if (launch.entry.empty()) return refuse("no kernel is named", "give the entry's name");
  if (auto grid = validateGrid(launch.grid); !grid) return grid;
  if (auto block = validateBlock(launch.block); !block) return block;
  if (launch.shared_bytes > kMaxSharedBytes)
    return refuse(fmt::format("shared_bytes is {}", launch.shared_bytes),
                  fmt::format("use at most {}, as CUDA does", kMaxSharedBytes));
  if (launch.parameters.size() > kMaxParameters)
    return refuse(fmt::format("{} parameters", launch.parameters.size()),
                  fmt::format("use at most {}", kMaxParameters));
  std::set<std::string_view> names;
  std::size_t passed = 0;
  for (const Parameter& parameter : launch.parameters) {
    if (auto sound = validateParameter(parameter); !sound) return sound;
    if (!names.insert(parameter.name).second)
      return refuse(fmt::format("two parameters are named '{}'", parameter.name), "rename one");
    passed += parameter.kind == ParameterKind::Array ? 8 : parameter.bytes.size();
  }
  if (passed > kMaxParameterBytes)
    return refuse(fmt::format("the parameters take {} bytes", passed),
                  fmt::format("use at most {}; pass arrays by pointer", kMaxParameterBytes));
  return {};
}

Arrays arraysOf(const Launch& launch) {
  Arrays arrays;
  for (const Parameter& parameter : launch.parameters)
    if (parameter.kind == ParameterKind::Array) arrays[parameter.name] = parameter.bytes;
  return arrays;
}

const Parameter* findArray(const Launch& launch, std::string_view name) {
  for (const Parameter& parameter : launch.parameters)
    if (parameter.name == name && parameter.kind == ParameterKind::Array) return &parameter;
  return nullptr;
}

}  // namespace qgpu::launch
