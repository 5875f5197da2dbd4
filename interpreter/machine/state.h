// The architectural state: everything that lasts from one token to the next.
//
// The model keeps the same rows in its recurrent state; `--check` decodes them from there and
// compares them with these, after every token. All rows start as 0.
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/isa/encoding.h"
#include "interpreter/isa/table.h"
#include "interpreter/machine/lane_keys.h"
#include "interpreter/protocol/token.h"

namespace qgpu::machine {

using isa::LaneMask;
using isa::LaneWords;

// What the operands of a warp read, by operand code. Only the registers, 0-15, are architectural
// state. The specials (but the mask) are written when a thread block starts and the parameters with
// State::parameters; slot results, immediate and mask as a block runs.
using OperandFile = std::array<LaneWords, 64>;

struct WarpStatus {
  bool alive = false;    // some lane has not ended
  bool running = false;  // some lane is neither waiting nor ended
  bool started = false;  // in this thread block
  friend bool operator==(const WarpStatus&, const WarpStatus&) = default;
};

// Where a warp goes on: the lowest block any of its lanes is at, and the lanes that are there.
struct Resume {
  std::uint8_t block = 0;
  std::uint8_t mask = 0;
  friend bool operator==(const Resume&, const Resume&) = default;
};

struct Warp {
  OperandFile file{};
  std::array<std::uint8_t, kMachine.predicates> predicates{};  // p0-p3, a bit for each lane
  LaneKeys pc{};
  WarpStatus status;
  Resume resume;

  const LaneWords& reg(int number) const { return file[number]; }
  friend bool operator==(const Warp&, const Warp&) = default;
};

// The word that a VAL, MEM, CODE or PARAM token began and EXT tokens may go on with.
struct OpenWord {
  protocol::Token base;
  std::uint32_t word = 0;
  int parts = 0;  // received so far; 0: closed, no EXT may follow
  friend bool operator==(const OpenWord&, const OpenWord&) = default;
};

struct State {
  std::array<Warp, kMachine.warps> warps{};
  std::array<std::uint32_t, kMachine.global_rows> global{};
  std::array<std::uint32_t, kMachine.shared_words> shared{};
  std::array<std::uint32_t, kMachine.parameters> parameters{};
  std::array<isa::BlockWords, kMachine.blocks> program{};

  // Latches: the last token of each kind.
  protocol::Token exec;  // EXEC; HALT while there was none
  int ctaid = 0, ntid = 0, nctaid = 0;
  OpenWord open;
  friend bool operator==(const State&, const State&) = default;
};

// The word that a MEM token of that address names.
inline std::uint32_t& memoryWord(State& state, int address) {
  return address < protocol::kSharedBase ? state.global[address]
                                         : state.shared[address - protocol::kSharedBase];
}
// A parameter is read by every warp.
inline void setParameter(State& state, int index, std::uint32_t word) {
  state.parameters[index] = word;
  for (Warp& warp : state.warps) warp.file[isa::Operand::parameter(index).code()].fill(word);
}

}  // namespace qgpu::machine
