#include "fuzz/ptx/memory.h"

#include <algorithm>
#include <cstring>

namespace qgpu::fuzz::ptxlevel {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

Memory::Memory(const ptx::Function& kernel, const ptx::Module& module,
               const launch::Launch& launch) {
  const auto add = [&](ptx::Space space, std::vector<std::uint8_t> bytes) {
    const std::uint64_t address = (objects_.size() + 1) << (space == ptx::Space::Shared ? 16 : 36);
    objects_.push_back({space, address, std::move(bytes)});
    return objects_.size() - 1;
  };
  for (const launch::Parameter& p : launch.parameters) {
    const bool is_array = p.kind == launch::ParameterKind::Array;
    of_parameter_.push_back(is_array ? add(ptx::Space::Global, p.bytes) : kNone);
    std::vector<std::uint8_t> bytes = p.bytes;
    if (is_array) {
      bytes.resize(sizeof(std::uint64_t));
      std::memcpy(bytes.data(), &objects_.back().address, bytes.size());
    }
    parameters_.push_back(add(ptx::Space::Param, std::move(bytes)));
  }
  const auto addAll = [&](const std::vector<ptx::Variable>& from, std::vector<std::size_t>& to) {
    for (const ptx::Variable& v : from)
      to.push_back(add(v.space, std::vector<std::uint8_t>(v.size)));
  };
  addAll(module.variables, module_variables_);
  addAll(kernel.variables, kernel_variables_);
}

void Memory::startBlock(std::uint8_t pattern) {
  for (Object& object : objects_)
    if (object.space == ptx::Space::Shared) std::ranges::fill(object.bytes, pattern);
}

const std::uint8_t* Memory::find(ptx::Space space, std::uint64_t address, int bytes) const {
  if (address % static_cast<unsigned>(bytes) != 0) return nullptr;
  for (const Object& object : objects_)
    if (object.space == space && address >= object.address &&
        address - object.address + static_cast<unsigned>(bytes) <= object.bytes.size())
      return object.bytes.data() + (address - object.address);
  return nullptr;
}

Expected<std::uint64_t> Memory::load(ptx::Space space, std::uint64_t address, int bytes) const {
  const std::uint8_t* const from = find(space, address, bytes);
  if (from == nullptr) return refuse("a load from nowhere");
  std::uint64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(bytes));
  return value;
}

Expected<void> Memory::store(ptx::Space space, std::uint64_t address, int bytes,
                             std::uint64_t value) {
  const std::uint8_t* const to = find(space, address, bytes);
  if (to == nullptr) return refuse("a store to nowhere");
  std::memcpy(const_cast<std::uint8_t*>(to), &value, static_cast<std::size_t>(bytes));
  return {};
}

std::uint64_t Memory::addressOf(const ptx::SymbolRef& symbol) const {
  using Kind = ptx::SymbolRef::Kind;
  const auto& numbers = symbol.kind == Kind::Parameter        ? parameters_
                        : symbol.kind == Kind::ModuleVariable ? module_variables_
                                                              : kernel_variables_;
  return objects_[numbers.at(symbol.index)].address;
}

launch::Arrays Memory::arrays(const launch::Launch& launch) const {
  launch::Arrays result;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i)
    if (of_parameter_[i] != kNone)
      result[launch.parameters[i].name] = objects_[of_parameter_[i]].bytes;
  return result;
}

}  // namespace qgpu::fuzz::ptxlevel
