#include "tools/api/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace qgpu {
namespace {

// The constants that movs bring to a register: the 16 that a loop counts down from.
class Constants {
 public:
  explicit Constants(const ptx::Function& f) {
    for (const ptx::Instruction& i : f.body)
      if (i.opcode == ptx::Opcode::Mov)
        if (const auto* to = std::get_if<ptx::Register>(&i.operands[0].value))
          movs_.emplace(to->id, &i.operands[1]);
  }

  // The largest of those that an operand may have, as a signed number; 0 if there is none.
  std::uint32_t largest(const ptx::Operand& operand) const {
    std::set<ptx::RegisterId> seen;
    std::int32_t result = 0;
    std::vector<const ptx::Operand*> open = {&operand};
    while (!open.empty()) {
      const ptx::Operand::Value& value = open.back()->value;
      open.pop_back();
      if (const auto* constant = std::get_if<ptx::Immediate>(&value))
        result = std::max(result, static_cast<std::int32_t>(constant->bits));
      const auto* from = std::get_if<ptx::Register>(&value);
      if (from == nullptr || !seen.insert(from->id).second) continue;
      const auto [first, last] = movs_.equal_range(from->id);
      for (auto mov = first; mov != last; ++mov) open.push_back(mov->second);
    }
    return static_cast<std::uint32_t>(result);
  }

 private:
  std::multimap<ptx::RegisterId, const ptx::Operand*> movs_;
};

class Adviser {
 public:
  Adviser(const Kernel& kernel, const lower::Lowered& lowered)
      : kernel_(kernel), module_(kernel.module), placement_(lowered.placement) {}

  std::vector<std::string> run(std::uint32_t dynamic_shared_bytes) {
    for (const ptx::Function& f : module_.functions)
      if (f.is_entry && f.name == kernel_.entry) adviseOnReaches(f);
    if (dynamic_shared_bytes == 0) adviseOnDynamicMemory();
    return std::move(lines_);
  }

 private:
  void warn(const Location& where, const std::string& message) {
    const std::string place = where.text() + ": warning: ";
    const bool said = std::ranges::any_of(
        lines_, [&](const std::string& line) { return line.starts_with(place); });
    if (!said) lines_.push_back(place + message);
  }

  void adviseOnReaches(const ptx::Function& f) {
    const Constants constants(f);
    for (const ptx::Instruction& i : f.body) {
      if (i.opcode != ptx::Opcode::Shfl || i.shuffle == ptx::Shuffle::Idx) continue;
      const std::uint32_t reach = constants.largest(i.operands[2]);
      if (reach >= static_cast<std::uint32_t>(kMachine.lanes))
        warn(module_.locate(i),
             fmt::format("a shuffle reaches {} lanes far and a warp has {}: lanes get their own "
                         "value back; count from warpSize / 2",
                         reach, kMachine.lanes));
    }
  }

  void adviseOnDynamicMemory() {
    for (const auto& [variable, object] : placement_.module_objects) {
      const lower::Object& o = placement_.objects[static_cast<std::size_t>(object)];
      if (o.space != isa::Space::Shared || o.bytes != 0) continue;
      warn({kernel_.file_name, 0, 0},
           fmt::format("{} has no memory: the launch gives 0 bytes of dynamic shared memory; give "
                       "its size with --shared",
                       o.name));
    }
  }

  const Kernel& kernel_;
  const ptx::Module& module_;
  const lower::Placement& placement_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> adviceOn(const Kernel& kernel, const launch::Launch& launch,
                                  const lower::Lowered& lowered) {
  return Adviser(kernel, lowered).run(launch.shared_bytes);
}

}  // namespace qgpu
