// The intermediate representation between PTX and blocks: static single assignment over 32-bit
// words and predicates, in which every operation already is one instruction of the machine.
//
//   Function f = ...;
//   Builder b(f);                              // builder.h
//   b.setBlock(0);
//   const Id i = f.special(isa::Special::Gtid);
//   const Predicate in_range = b.compare(isa::Compare::Lt, i, f.argument({1, 0}));
//   const Id x = b.load(isa::Space::Global, {.index = i, .scaled = true, .offset = 4}, in_range);
//   b.store(isa::Space::Global, {.index = i, .scaled = true, .offset = 84}, b.add(x, x), in_range);
//   std::cout << print(f);                     // print.h
//
// An operation has up to two results under one id: a word and a predicate (an addition and its
// carry). Operands a, b, c read words, guard and second read predicates; which of them an operation
// has, and what its guard means, says its row of the instruction table. Wider integers are pairs of
// words, narrower ones words whose upper bits mean nothing; the front end sees to both.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/isa/table.h"

namespace qgpu::lower {

using Id = std::uint32_t;  // index into Function::instructions
inline constexpr Id kNone = ~Id{0};

// A predicate result, possibly negated. Without an id it is the constant true; negated, false.
struct Predicate {
  Id id = kNone;
  bool negate = false;

  static constexpr Predicate always() { return {}; }
  static constexpr Predicate never() { return {kNone, true}; }
  constexpr bool isConstant() const { return id == kNone; }
  constexpr bool isAlways() const { return id == kNone && !negate; }
  constexpr bool isNever() const { return id == kNone && negate; }
  constexpr Predicate operator!() const { return {id, !negate}; }
  friend constexpr auto operator<=>(const Predicate&, const Predicate&) = default;
};

enum class Kind : std::uint8_t {
  Constant,   // the word `immediate`; an address of array `memory.object` if that is not kNoObject
  Argument,   // the word at byte `offset` of kernel parameter `argument`
  Special,    // isa::Special number `immediate`
  Undefined,  // any word, or any predicate
  Phi,        // of words
  FlagPhi,    // of predicates
  Operation,  // one slot of a block
  Unsupported,  // what the machine does not have: complaint `immediate`; an effect where aux is 1
};

// Arrays by number (placement.h). An address that is known to point into one array cannot alias an
// address into another.
inline constexpr int kNoObject = -1;

// A memory operand: byte address offset + (index << shift), where shift is the log2 of the access
// width if scaled and else 0. The index stands in operand b of the operation.
struct MemoryOperand {
  isa::Space space = isa::Space::None;
  bool scaled = false;
  bool is_volatile = false;
  bool is_generic = false;  // `space` is not known yet
  int object = kNoObject;
  std::int32_t offset = 0;
  friend auto operator<=>(const MemoryOperand&, const MemoryOperand&) = default;
};

struct Instruction {
  Kind kind = Kind::Operation;
  isa::Opcode op = isa::Opcode::Nop;
  isa::Compare compare = isa::Compare::Eq;
  std::uint8_t aux = 0;  // of a shuffle, as in the slot
  Id a = kNone, b = kNone, c = kNone;
  Predicate guard{}, second{};
  MemoryOperand memory{};
  std::uint32_t immediate = 0;
  std::vector<Predicate> inputs{};  // of a phi, in the order of the block's predecessors
  std::uint32_t origin = 0;         // index of the PTX instruction it comes from
  std::uint32_t cluster = 0;        // operations of one cluster run in one block; 0: none

  bool isOperation() const { return kind == Kind::Operation; }
  bool isPhi() const { return kind == Kind::Phi || kind == Kind::FlagPhi; }
  bool isLeaf() const { return kind <= Kind::Undefined; }
  bool is(isa::Opcode o) const { return isOperation() && op == o; }
  bool hasMemory() const { return memory.space != isa::Space::None; }
  const isa::Row& row() const { return isa::row(op); }
};

// Barrier is one of the thread block, Gather one of the warp, Fence none: it and Gather are Jumps
// that no access to memory moves past, Gather one before which lanes wait for those behind them.
enum class Terminator : std::uint8_t { Jump, Branch, Exit, Barrier, Gather, Fence, Trap };

// A basic block. `target` follows all but Exit and Trap, of a Branch where its condition holds;
// `other` follows a Branch whose condition does not.
struct BasicBlock {
  std::vector<Id> phis;
  std::vector<Id> body;
  Terminator terminator = Terminator::Exit;
  Predicate condition;
  int target = -1;
  int other = -1;
  std::vector<int> predecessors;  // each edge once, in the order of the phis' inputs
  std::vector<int> precedes{};    // blocks that the layout puts behind it, as if it led there
  std::uint32_t origin = 0;       // of the terminator

  bool conditional() const { return terminator == Terminator::Branch; }
  bool hasTarget() const {
    return terminator != Terminator::Exit && terminator != Terminator::Trap;
  }
  // Its successors: none, one or two.
  std::vector<int> successors() const;
  std::size_t predecessorIndex(int block) const;
};

// A word of a kernel parameter.
struct ArgumentWord {
  int parameter = 0;
  int offset = 0;  // in bytes, a multiple of 4
  friend auto operator<=>(const ArgumentWord&, const ArgumentWord&) = default;
};

// Why a kernel is refused if an Unsupported instruction is still there in the end.
struct Complaint {
  std::string message;
  std::string hint;
};

class Function {
 public:
  std::deque<Instruction> instructions;  // references stay valid while it grows
  std::vector<BasicBlock> blocks;        // block 0 is the entry and has no predecessor
  std::vector<ArgumentWord> arguments;
  std::vector<Complaint> complaints;
  // The largest value of each special; what it is when the launch shape says so.
  std::array<std::uint32_t, isa::kSpecials> special_limit{};
  std::uint32_t block_threads = 0;  // ntid, 0 while unknown
  std::uint32_t clusters = 0;       // numbers given so far
  // Until every access knows its memory, the address of an array is no plain number: where it lies
  // must not be forgotten, not even at 0.
  bool spaces_are_known = false;
  // By array: that no thread writes there. Known with the spaces.
  std::vector<bool> read_only;

  Function() { special_limit.fill(~0u); }

  Instruction& operator[](Id id) { return instructions[id]; }
  const Instruction& operator[](Id id) const { return instructions[id]; }
  Id add(Instruction instruction);

  // Leaves: one instruction for each distinct value, in no block.
  Id constant(std::uint32_t value, int object = kNoObject);
  Id argument(ArgumentWord word);
  Id special(isa::Special special);
  Id undefined();

  bool isConstant(Id id) const { return id != kNone && instructions[id].kind == Kind::Constant; }
  bool isConstant(Id id, std::uint32_t value) const {
    return isConstant(id) && instructions[id].immediate == value &&
           (spaces_are_known || instructions[id].memory.object == kNoObject);
  }
  bool isUndefined(Id id) const { return instructions[id].kind == Kind::Undefined; }
  bool isSpecial(Id id, isa::Special s) const {
    return instructions[id].kind == Kind::Special &&
           instructions[id].immediate == static_cast<std::uint32_t>(s);
  }

  bool isReadOnly(int object) const {
    return object >= 0 && object < static_cast<int>(read_only.size()) &&
           read_only[static_cast<std::size_t>(object)];
  }

  int newBlock();
  // Sets the successors of a block anew, with the predecessor lists; phis are the caller's.
  void connect();

 private:
  Id leaf(Instruction instruction);
  std::map<std::array<std::int64_t, 3>, Id> leaves_;
};

// What an operation does, as far as its row and fields say.
bool writesMemory(const Instruction& i);
bool readsMemory(const Instruction& i);
// Between lanes: the result depends on which lanes run it.
bool isConvergent(const Instruction& i);
bool isAtomic(const Instruction& i);
// Lanes with one address run it, and all of its block, one after another.
bool takesTurns(const Instruction& i);
// Must stay although nobody reads its results.
bool hasEffect(const Instruction& i);
// Whether an operation has a word result; a predicate result that somebody may read.
bool hasWord(const Instruction& i);
bool hasFlag(const Instruction& i);
// Operand c holds the word a failed guard gives.
bool keepsOld(const Instruction& i);
// The operands an instruction reads, at most three.
template <typename T>
class OperandList {
 public:
  void push(T operand) { items_[count_++] = operand; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + count_; }
  int size() const { return count_; }
  bool empty() const { return count_ == 0; }

 private:
  std::array<T, 3> items_{};
  int count_ = 0;
};
// Words in the order a, b, c, and predicates that are not constant. A phi has none here: its inputs
// belong to the edges. A quotient or remainder reads its division.
OperandList<Id*> wordOperands(Instruction& i);
OperandList<Id> wordOperands(const Instruction& i);
OperandList<Predicate*> flagOperands(Instruction& i);
OperandList<Predicate> flagOperands(const Instruction& i);

// Whether every lane's result follows from the operands alone: it may be computed anywhere, any
// number of times.
bool isPure(const Instruction& i);

}  // namespace qgpu::lower
