// Every instruction said a second time, in plain C++ and apart from the table, so that the two can
// be held against each other. Nothing here looks at isa/table.h or isa/clauses.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "interpreter/isa/instruction.h"

namespace qgpu::isatest {

// ---- What kind of instruction it is. ----

enum class MemoryKind : std::uint8_t { None, Load, Store, Add, Replay };

struct PlainKind {
  bool result = true;      // it has a destination register
  bool predicate = false;  // it computes a predicate (the adder's depend on the comparison too)
  bool guard_is_input = false;  // the guard field is data
  bool c_is_operand = false;    // so a failed guard keeps nothing
  MemoryKind memory = MemoryKind::None;
  int width = 4;  // bytes of an access
};
PlainKind plainKind(isa::Opcode op);

// Whether a slot computes a predicate.
bool plainPredicate(const isa::Slot& slot);

// ---- One lane by itself. ----

struct PlainIn {
  std::uint32_t a = 0, b = 0, c = 0;  // b: the memory word, where the slot has one
  int byte = 0;                       // of the address within its word
  bool guard = true, second = false;
  isa::Compare compare = isa::Compare::Eq;
};
struct PlainOut {
  std::uint32_t r = 0;  // for a memory write: the word's new value
  bool p = false;
};
// Nothing for instructions that look at several lanes. Quo and Rem see dividend, divisor and
// whether the division is signed through `guard`.
std::optional<PlainOut> plainLane(isa::Opcode op, const PlainIn& in);

// ---- Several lanes. ----

using PlainLanes = std::array<std::uint32_t, 4>;
using PlainBits = std::array<bool, 4>;

struct PlainWarpOut {
  PlainLanes r{};
  PlainBits p{};
};
// Shuffles. Nothing for other instructions.
std::optional<PlainWarpOut> plainShuffle(isa::Opcode op, const PlainLanes& a, const PlainLanes& b,
                                         int clamp, int segment);
// Votes and the ballot over the running lanes. Nothing for other instructions.
std::optional<PlainWarpOut> plainVote(isa::Opcode op, const PlainBits& votes,
                                      const PlainBits& running);

// ---- Any instruction. ----

struct PlainWarpIn {
  std::array<PlainIn, 4> lanes{};  // a lane's guard is its vote
  PlainBits running{true, true, true, true};
  int clamp = 0, segment = 0;  // of a shuffle
};
PlainWarpOut plainWarp(isa::Opcode op, const PlainWarpIn& in);

// How an executor understands the instructions. Another one than this is a mutant: see mutants.h.
struct Meaning {
  std::function<PlainKind(isa::Opcode)> kind = plainKind;
  std::function<PlainWarpOut(isa::Opcode, const PlainWarpIn&)> compute = plainWarp;
};

}  // namespace qgpu::isatest
