// Kernels made by chance, as PTX and as something a few lines of C++ can run: the independent
// answer to what a lowered kernel computes.
//
//   RandomKernel kernel(seed);
//   PtxLaunch launch = kernel.launch();
//   EXPECT_EQ(runPtx(launch)->at(RandomKernel::kOutput), kernel.expected());
//
// Each thread has six variables, starts them from its number and the input array, runs a tree of
// assignments, permutations, guarded instructions, branches and loops with breaks, reads the input
// at computed places, keeps four words of scratch of its own, and stores its variables.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower::testing {

struct Operand {
  int variable = -1;  // -1: the constant
  std::uint32_t constant = 0;
};

enum class Op : std::uint8_t {
  Add,
  Sub,
  Mul,
  MulHigh,
  MulHighSigned,
  Mad,
  And,
  Or,
  Xor,
  Not,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  MinSigned,
  MaxUnsigned,
  Divide,
  Remainder,
  DivideSigned,
  Popcount,
  LeadingZeros,
  Byte,
  WideAdd,
  WideProduct,
  WideShift,
  kCount
};
enum class Relation : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct Condition {
  Relation relation = Relation::Eq;
  bool is_signed = false;
  Operand a, b;
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  enum class Kind : std::uint8_t {
    Assign,   // variable = op(a, b, c)
    Guarded,  // the same under the condition
    Select,   // variable = condition ? a : b
    Permute,  // variables take each other's values all at once
    Load,     // variable = input[a & 7]
    Keep,     // scratch[a & 3] = b
    Fetch,    // variable = scratch[a & 3]
    If,       // condition ? then : otherwise
    Loop,     // `then`, `count` times, left where the condition holds behind it
  };
  Kind kind = Kind::Assign;
  int variable = 0;
  Op op = Op::Add;
  Operand a, b, c;
  Condition condition;
  std::vector<int> permutation;
  int count = 0;
  Statements then, otherwise;
};

class RandomKernel {
 public:
  static constexpr int kVariables = 6, kThreads = 4, kInputs = 8, kScratch = 4;
  static constexpr int kInput = 0, kScratchArray = 1, kOutput = 2;  // arrays of the launch

  explicit RandomKernel(std::uint32_t seed);

  PtxLaunch launch() const;
  Words expected() const;
  Statements& statements() { return statements_; }

 private:
  Statements statements_;
  Words input_;
};

}  // namespace qgpu::lower::testing
