// What a launch leaves: the words and predicates that the machine, or the model in its recurrent
// state, holds after the last token.
//
//   endState(machine.state()) == endState(model);   // of the same launch
//   hashOf(endState(model));                         // 64 hexadecimal digits
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "interpreter/machine/state.h"
#include "model/launch/machine_model.h"

namespace qgpu {

struct EndState {
  static constexpr std::size_t kRegisterRows = std::size_t{kMachine.warps} * kMachine.registers;

  std::array<std::uint32_t, kMachine.global_rows> global{};
  std::array<std::uint32_t, kMachine.shared_words> shared{};
  std::array<std::uint32_t, kMachine.parameters> parameters{};
  // By lane, then 16 * warp + register.
  std::array<std::array<std::uint32_t, kRegisterRows>, kMachine.lanes> registers{};
  // By 4 * warp + predicate: a bit for each lane.
  std::array<std::uint32_t, std::size_t{kMachine.warps} * kMachine.predicates> predicates{};

  friend bool operator==(const EndState&, const EndState&) = default;
};

EndState endState(const machine::State& state);
// Read from the rows that the first stage reads.
EndState endState(const model::MachineModel& model);

// SHA-256 of the state as text: in the order of the members, each word as eight hexadecimal digits
// and a newline.
std::string hashOf(const EndState& state);

}  // namespace qgpu
