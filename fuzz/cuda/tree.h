// A random CUDA kernel as a tree: what the generator makes, the printer writes as CUDA C++ and the
// shrinker makes smaller.
//
// Every tree that the types allow is a legal kernel with one meaning; there is no tree whose text
// has undefined behaviour or a race. The printer sees to it: sums and products wrap, divisors are
// never 0 nor -1, shift counts and indices are reduced to their range, a loop counter outside its
// loop is 0, a `break` outside a loop is left out. So the generator need not look back, and the
// shrinker may drop anything. Two duties remain with those who make trees: a collective statement
// stands only where all threads of a thread block come together, and none follows an Exit.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/launch/launch.h"

namespace qgpu::fuzz::cuda {

using launch::ElementType;

enum class Op : std::uint8_t {
  // Leaves.
  Constant,     // `value`
  Variable,     // number `index` of the kernel or, in a device function, its parameter
  Scalar,       // kernel argument number `index`
  Thread,       // the thread's number in its thread block
  Global,       // the thread's number in the grid
  BlockIndex,   // the thread block's number
  LoopCounter,  // of the loop `index` levels below the outermost
  // Memory; the operand is an index, reduced to the array's length.
  Input,  // input array number `index`
  Local,  // the thread's local array
  Own,    // the thread's word of the output
  // Operations of `type`, which operands are converted to.
  Add,
  Subtract,
  Multiply,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Divide,
  Remainder,
  Negate,
  Complement,
  Minimum,
  Maximum,
  Select,  // of 0 ? 1 : 2
  Convert,
  // Comparisons, in `type`, and logic; the result is an int.
  Less,
  LessEqual,
  Equal,
  NotEqual,
  LogicalAnd,
  LogicalOr,
  LogicalNot,
  // CUDA's integer functions, in the order of the printer's table.
  Popcount,
  LeadingZeros,
  FirstSet,
  ReverseBits,
  BytePermute,
  FunnelLeft,
  FunnelRight,
  HighSigned,
  HighUnsigned,
  AbsoluteDifference,
  Average,
  Product24,
  Call,  // of device function number `index`
};

struct Expression {
  Op op = Op::Constant;
  ElementType type = ElementType::Int;
  int index = 0;
  std::uint32_t value = 0;
  std::vector<Expression> operands = {};

  friend bool operator==(const Expression&, const Expression&) = default;
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  enum class Kind : std::uint8_t {
    Assign,      // variable = a
    Accumulate,  // variable += a
    StoreLocal,  // local[b] = a
    StoreOwn,    // out[own] = a
    If,          // a ? bodies[0] : bodies[1]
    Loop,        // bodies[0], `count` times
    DataLoop,    // bodies[0], a % (count + 1) times
    While,       // bodies[0] while a, `count` times at most
    Break,       // where a
    Continue,    // where a
    Switch,      // a % number of bodies; `count` has a bit for each that falls through to the next
    AtomicSum,   // the kernel's atomic operation on word b of its accumulators, with a
    AtomicOwn,   // variable = atomic operation on the thread's word of the output, with a
    Exit,        // where a: the thread stores b and ends
    // Collective: all threads of a thread block come to it together.
    Exchange,   // each thread writes a to shared memory; variable = what another, b, wrote
    Reduce,     // variable = sum over the thread block of a
    SharedSum,  // atomics on shared words: variable = word b, after all added a
    Locked,     // variable = sum over the thread block of a, which each adds when it has the lock
    Neighbour,  // an exchange in the warp: variable = what the lane before (`count` 0) or behind
                // (1) wrote, where there is one
    Shuffle,    // variable = a of another lane: `count` is the form, b the lane or distance
    Vote,       // variable = vote of 4 lanes on a; `count` is the form
    BlockVote,  // variable = vote of the thread block on a; `count` is the form
    UniformIf,  // a holds for all threads of the grid or for none
    UniformLoop,
  };
  Kind kind = Kind::Assign;
  int variable = 0;
  int count = 0;
  Expression a = {}, b = {};
  std::vector<Statements> bodies = {};

  friend bool operator==(const Statement&, const Statement&) = default;
};
bool isCollective(Statement::Kind kind);

struct DeviceFunction {
  std::vector<ElementType> parameters;
  Statements body;
  Expression result;
  friend bool operator==(const DeviceFunction&, const DeviceFunction&) = default;
};

struct Variable {
  ElementType type = ElementType::Int;
  Expression initial;
  friend bool operator==(const Variable&, const Variable&) = default;
};

// One order-independent operation for all words that several threads change.
enum class Atomic : std::uint8_t { Add, Min, Max, And, Or, Xor };

struct KernelTree {
  std::uint64_t number = 0;  // in names
  std::uint64_t data = 0;    // what the arrays that it changes hold at first follows from this
  launch::Dim3 grid, block;
  std::vector<launch::Parameter> inputs;  // arrays; lengths are powers of two
  std::vector<std::int32_t> scalars;
  ElementType output = ElementType::Int;
  ElementType accumulator = ElementType::Int;
  Atomic atomic = Atomic::Add;
  int local_words = 4;  // a power of two
  std::vector<DeviceFunction> functions;
  std::vector<Variable> variables;
  Statements body;
  Expression result;  // what each thread stores at its end

  int threads() const { return static_cast<int>(block.count()); }
  int blocks() const { return static_cast<int>(grid.count()); }
  friend bool operator==(const KernelTree&, const KernelTree&) = default;
};

}  // namespace qgpu::fuzz::cuda
