// The instruction table: one row for each instruction, and everything about it in that row.
//
// Encoder, decoder, assembler, disassembler, block rules, interpreter dispatch, the PTX front end's
// one-to-one patterns, the circuit's control, the fuzz generators, the per-instruction tests and
// the manual all derive from it. To add an instruction, add its number to opcode.h and its row to
// table.cc.
//
//   const Row& r = row(Opcode::Add);
//   r.name;                  // "add"
//   r.memory;                // Memory::Optional: b may be a memory word
//   WarpOut out; r.run(in, out);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "interpreter/isa/instruction.h"

namespace qgpu::isa {

using LaneWords = std::array<std::uint32_t, kMachine.lanes>;
using LaneMask = std::uint32_t;  // bit l is lane l

// What the pipeline hands an instruction, for the four lanes of a warp. All four are computed,
// whether they run or not: a shuffle may read a lane that does not run.
struct WarpIn {
  LaneWords a{}, b{}, c{};  // b: the operand, or the memory word where the slot has one
  LaneWords byte{};         // the low two bits of the memory operand's address
  LaneMask guard = kMachine.allLanes();
  LaneMask second = 0;                  // predicate logic: the second input
  LaneMask mask = kMachine.allLanes();  // the lanes that run
  Compare compare = Compare::Eq;
  std::uint32_t aux = 0;
};

struct WarpOut {
  LaneWords r{};   // the result; for a memory write, the word's new value
  LaneMask p = 0;  // the predicate, before a failed guard puts the old one back
  friend bool operator==(const WarpOut&, const WarpOut&) = default;
};

enum class Unit : std::uint8_t {
  Move,
  Adder,
  Multiplier,
  Logic,
  Shifter,
  Select,
  Predicate,
  Bits,
  Lanes,
  Load,
  Store,
  Divider,
};

// How an instruction uses memory.
enum class Memory : std::uint8_t {
  None,
  Optional,  // b may be a memory word
  Load,      // needs a memory operand; nothing is written
  Store,     // writes c; of lanes with one address the last wins
  Combine,   // reads, combines and writes; lanes with one address take turns within the block
  Replay,    // the same, but only the first lane of an address: the others run the block again
};

// What the guard field means.
enum class GuardUse : std::uint8_t {
  Merge,   // a failed guard keeps the old value: the result is c, the predicate pd's old one
  Commit,  // c is an operand: a failed guard makes the result 0 and nothing is committed
  Input,   // not a guard: the carry in, or an input of predicate logic or a vote
  Unused,
};

// Which comparisons the predicate may hold.
enum class PredicateUse : std::uint8_t {
  None,
  Compare,  // Eq .. Geu
  Order,    // Lt .. Geu: with a borrow in, equality is not defined
  Carry,    // Carry, NoCarry; not together with a memory operand
  Flag,     // the instruction's own; the comparison field is 0
};

struct Row {
  std::string_view name;
  Unit unit = Unit::Move;
  bool a = false, b = false, c = false;  // which operands the operation reads
  bool result = false;                   // writes a register
  PredicateUse predicate = PredicateUse::None;
  GuardUse guard = GuardUse::Merge;
  Memory memory = Memory::None;
  int width = 4;            // bytes of a memory access
  std::string_view ptx;     // the PTX opcodes that are this instruction with operands in order
  std::string_view clause;  // the semantics, as the manual prints them
  std::string_view note;    // what a user should know besides
  // The clause, on operands that stand anywhere; those of `in` are not looked at.
  void (*lanes)(const LaneWords& a, const LaneWords& b, const LaneWords& c, const WarpIn& in,
                WarpOut& out) = nullptr;

  void run(const WarpIn& in, WarpOut& out) const { lanes(in.a, in.b, in.c, in, out); }
  constexpr bool writesMemory() const { return memory >= Memory::Store; }
  constexpr bool readsMemory() const { return memory != Memory::None && memory != Memory::Store; }
  constexpr bool isVote() const { return unit == Unit::Lanes && guard == GuardUse::Input; }
  constexpr bool isShuffle() const { return unit == Unit::Lanes && guard != GuardUse::Input; }
};

// All rows, in the order of their opcodes.
std::span<const Row, kOpcodes> rows();
const Row& row(Opcode op);
// The row of that name, or of that PTX opcode ("mad.lo.s32").
std::optional<Opcode> opcodeNamed(std::string_view name);
std::optional<Opcode> opcodeForPtx(std::string_view ptx_opcode);

// Whether the slot computes a predicate. An addition without a carry comparison does not: its
// predicate is 0 in every lane.
bool computesPredicate(const Slot& slot);

}  // namespace qgpu::isa
