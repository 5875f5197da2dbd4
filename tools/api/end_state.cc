#include "tools/api/end_state.h"

#include <fmt/format.h>

#include <span>

#include "interpreter/base/sha256.h"

namespace qgpu {
namespace {

// Fills `words` with the rows of a memory of the model.
void readRows(const model::MachineModel& model, const std::string& name, int bits,
              std::span<std::uint32_t> words) {
  const model::MemoryPlace place = model.memory(name);
  for (std::size_t row = 0; row < words.size(); ++row)
    words[row] = model.row(place, static_cast<int>(row), bits);
}

}  // namespace

EndState endState(const machine::State& state) {
  EndState end{.global = state.global, .shared = state.shared, .parameters = state.parameters};
  for (std::size_t lane = 0; lane < end.registers.size(); ++lane)
    for (std::size_t row = 0; row < EndState::kRegisterRows; ++row)
      end.registers[lane][row] = state.warps[row / kMachine.registers].reg(
          static_cast<int>(row % kMachine.registers))[lane];
  for (std::size_t row = 0; row < end.predicates.size(); ++row)
    end.predicates[row] =
        state.warps[row / kMachine.predicates].predicates[row % kMachine.predicates];
  return end;
}

EndState endState(const model::MachineModel& model) {
  EndState end;
  readRows(model, "stage1.load.memory.global0", 32, end.global);
  readRows(model, "stage1.load.memory.shared0", 32, end.shared);
  readRows(model, "stage1.operands.parameter", 32, end.parameters);
  for (std::size_t lane = 0; lane < end.registers.size(); ++lane)
    readRows(model, fmt::format("stage1.operands.a.registers{}", lane), 32, end.registers[lane]);
  // The circuit keeps predicate p of a warp in row p + 1 modulo 4.
  decltype(end.predicates) rows{};
  readRows(model, "control.predicates", kMachine.lanes, rows);
  constexpr std::size_t kEach = kMachine.predicates;
  for (std::size_t i = 0; i < rows.size(); ++i)
    end.predicates[i] = rows[i / kEach * kEach + (i % kEach + 1) % kEach];
  return end;
}

std::string hashOf(const EndState& state) {
  std::string text;
  const auto add = [&](std::span<const std::uint32_t> words) {
    for (const std::uint32_t word : words)
      fmt::format_to(std::back_inserter(text), "{:08x}\n", word);
  };
  add(state.global);
  add(state.shared);
  add(state.parameters);
  for (const auto& lane : state.registers) add(lane);
  add(state.predicates);
  return sha256(text);
}

}  // namespace qgpu
