// The program of the machine: blocks of up to four slots, each slot one instruction.
//
// A block is the unit of execution: one EXEC token runs one block for one warp, one slot in each of
// the four pipeline stages. A slot reads registers, predicates and memory as they were *before* the
// block, and the results of earlier slots by forwarding; only what is marked live leaves the block.
//
//   const Operand tid = Operand::special(Special::Tid);
//   Block block;                                                    // a[tid] = 3 * tid + n
//   block.slots[0] = {.op = Opcode::Mad, .a = tid, .b = Operand::immediate(),
//                     .c = Operand::parameter(0), .imm = 3};
//   block.slots[1] = {.op = Opcode::St, .b = tid, .c = Operand::slot(0),
//                     .space = Space::Global, .scaled = true, .imm = 4};
//   block.header = {.kind = Terminator::Exit};
//
// Conventions in this folder: a, b, c are the operands; rd the destination register; pd the
// destination predicate; slots are numbered from 0 in code and from 1 ("s1") in text.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/isa/machine_parameters.h"
#include "interpreter/isa/opcode.h"

namespace qgpu::isa {

// What a lane knows without a register. Numbers are linear: a kernel's x, y and z are computed from
// them by code that is specialised for the launch's geometry.
enum class Special : std::uint8_t {
  Tid,     // thread within its thread block
  Ctaid,   // thread block within the launch
  Ntid,    // threads in a thread block
  Nctaid,  // thread blocks in the launch
  Gtid,    // ctaid * ntid + tid
  Lane,    // lane within the warp
  Warp,    // warp within the thread block
  Mask,    // the lanes that run this block, lane 0 in bit 0
};
inline constexpr int kSpecials = 8;

// The code of the `index`-th of `count` things that are numbered from `first`.
constexpr std::uint8_t codeOf(int first, int index, int count) {
  if (index < 0 || index >= count) bug("an operand, guard or condition names what exists");
  return static_cast<std::uint8_t>(first + index);
}

// An operand in its six-bit encoding:
//   0-15 register (0 reads as zero) · 16-18 the result of slot 1-3 · 19 the slot's immediate
//   20-27 special · 32-63 parameter word 0-31
class Operand {
 public:
  enum class Kind : std::uint8_t { Register, Slot, Immediate, Special, Parameter, Reserved };

  constexpr Operand() = default;
  static constexpr Operand fromCode(std::uint32_t code) { return Operand(code); }
  static constexpr Operand reg(int number) {
    return Operand(codeOf(0, number, kMachine.registers));
  }
  static constexpr Operand slot(int index) {
    return Operand(codeOf(kFirstSlot, index, kMachine.slots - 1));
  }
  static constexpr Operand immediate() { return Operand(kImmediate); }
  static constexpr Operand special(Special s) {
    return Operand(codeOf(kFirstSpecial, static_cast<int>(s), kSpecials));
  }
  static constexpr Operand parameter(int index) {
    return Operand(codeOf(kFirstParameter, index, kMachine.parameters));
  }
  static constexpr Operand zero() { return reg(0); }

  constexpr std::uint32_t code() const { return code_; }
  constexpr Kind kind() const {
    if (code_ < kFirstSlot) return Kind::Register;
    if (code_ < kImmediate) return Kind::Slot;
    if (code_ == kImmediate) return Kind::Immediate;
    if (code_ < kFirstSpecial + kSpecials) return Kind::Special;
    return code_ >= kFirstParameter ? Kind::Parameter : Kind::Reserved;
  }
  // The register, slot, special or parameter number.
  constexpr int index() const {
    switch (kind()) {
      case Kind::Slot: return code_ - kFirstSlot;
      case Kind::Special: return code_ - kFirstSpecial;
      case Kind::Parameter: return code_ - kFirstParameter;
      default: return code_;
    }
  }
  constexpr bool isZero() const { return code_ == 0; }
  friend constexpr auto operator<=>(const Operand&, const Operand&) = default;

 private:
  static constexpr int kFirstSlot = 16, kImmediate = 19, kFirstSpecial = 20, kFirstParameter = 32;
  explicit constexpr Operand(std::uint32_t code) : code_(static_cast<std::uint8_t>(code & 63)) {}
  std::uint8_t code_ = 0;
};

// A predicate a slot is guarded by: none, p0-p3 as they were before the block, or the predicate an
// earlier slot computed. For some instructions it is not a guard but an input (see GuardUse).
struct Guard {
  std::uint8_t code = 0;  // 0 none · 1-4 p0-p3 · 5-7 the predicate of slot 1-3
  bool negate = false;

  static constexpr Guard none() { return {}; }
  static constexpr Guard predicate(int p, bool negate = false) {
    return {codeOf(1, p, kMachine.predicates), negate};
  }
  static constexpr Guard slot(int index, bool negate = false) {
    return {codeOf(5, index, kMachine.slots - 1), negate};
  }
  constexpr bool always() const { return code == 0; }
  constexpr bool isSlot() const { return code >= 5; }
  constexpr int index() const { return isSlot() ? code - 5 : code - 1; }
  friend constexpr bool operator==(const Guard&, const Guard&) = default;
};

// What a comparing instruction puts into its predicate. Odd codes negate the code before them.
// Eq..Geu compare a with b; Carry is the carry out of the addition, or "no borrow" of a
// subtraction.
enum class Compare : std::uint8_t { Eq, Ne, Lt, Ge, Ltu, Geu, Carry, NoCarry };

enum class Space : std::uint8_t { None, Global, Shared };

// One instruction. With `space` set the slot has a memory operand at byte address
//     base + (b << shift),  shift = log2 of the access width where `scaled`, else 0,
//     base = parameter word `aux` where `base_parameter`, else the immediate
// and the memory word takes b's place in the operation.
struct Slot {
  Opcode op = Opcode::Nop;
  Operand a{}, b{}, c{};
  std::uint8_t rd = 0;  // register that a live result goes to
  bool live = false;    // the result is needed by a later block: it leaves as VAL tokens
  Guard guard{};
  std::uint8_t pd = 0;  // predicate that a live predicate goes to, and the old value a guard keeps
  bool plive = false;   // the predicate is needed by a later block: it leaves as a PRED token
  Compare compare = Compare::Eq;
  Space space = Space::None;
  bool scaled = false;
  bool base_parameter = false;
  std::uint8_t aux = 0;  // 5 bits: base parameter · shuffle: clamp | segment << 2 · predicate
                         // logic: second guard, code | negate << 3
  std::int16_t imm = 0;  // sign-extended to 32 bits

  friend constexpr bool operator==(const Slot&, const Slot&) = default;
};

enum class Terminator : std::uint8_t {
  Jump,     // go on at `target`
  Branch,   // lanes whose condition holds go to `target`, the others to `other`
  ExitIf,   // lanes whose condition holds end, the others go to `target`
  Exit,     // end
  Barrier,  // wait for the thread block, go on at `target`
  Trap,     // the kernel asked for a trap
};
inline constexpr int kTerminators = 6;

// The predicate a block ends on: p0-p3 as they were before the block, or the one slot 1-4 computed.
struct Condition {
  std::uint8_t code = 0;  // 0-3 p0-p3 · 4-7 the predicate of slot 1-4
  bool negate = false;

  static constexpr Condition predicate(int p, bool negate = false) {
    return {codeOf(0, p, kMachine.predicates), negate};
  }
  static constexpr Condition slot(int index, bool negate = false) {
    return {codeOf(4, index, kMachine.slots), negate};
  }
  constexpr bool isSlot() const { return code >= 4; }
  constexpr int index() const { return isSlot() ? code - 4 : code; }
  friend constexpr bool operator==(const Condition&, const Condition&) = default;
};

struct Header {
  Terminator kind = Terminator::Exit;
  Condition condition{};
  std::uint8_t target = 0;
  std::uint8_t other = 0;
  bool divide = false;  // slot 1 divides; slots 3 and 4 take the quotient and the remainder
  bool replay = false;  // lanes that lose a conflict over an address run the block again

  friend constexpr bool operator==(const Header&, const Header&) = default;
};

struct Block {
  std::array<Slot, kMachine.slots> slots{};
  Header header{};

  friend constexpr bool operator==(const Block&, const Block&) = default;
};

// Block 0 starts every warp and is never a branch target.
struct Program {
  std::vector<Block> blocks;

  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace qgpu::isa
