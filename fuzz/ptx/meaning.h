// What the instructions of PTX compute that neither branch nor touch memory nor other lanes.
//
//   Operands x{.a = 7, .b = 3};
//   compute(instruction, x);   // Expected<Result>
//
// Values are 64 bits; an instruction looks at the low bits of its type and gives them
// zero-extended. Written after the PTX ISA manual, chapter 9, and on purpose not after the
// compiler.
#pragma once

#include <cstdint>

#include "compiler/ptx/instruction.h"
#include "interpreter/base/failure.h"

namespace qgpu::fuzz::ptxlevel {

struct Operands {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  bool carry = false;  // CC.CF, for addc and subc
};

struct Result {
  std::uint64_t value = 0;
  bool second = false;  // setp's q
  bool carry = false;   // of .cc
};

// Refused: a division that PTX does not define, and instructions that random PTX does not have.
Expected<Result> compute(const ptx::Instruction& i, const Operands& x);

// An operation of atom and red on `old`; `c` is the new value of cas.
std::uint64_t combine(const ptx::Instruction& i, std::uint64_t old, std::uint64_t b,
                      std::uint64_t c);

}  // namespace qgpu::fuzz::ptxlevel
