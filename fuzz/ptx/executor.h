// A second executor of PTX: the parsed text, instruction by instruction, as the PTX manual says.
//
//   const auto arrays = execute(module, "k", launch, Order::Forward);   // Expected<Arrays>
//
// It shares the syntax tree with the compiler and nothing else: no lowering, no blocks, no machine.
// A thread runs until it waits; warps have four lanes, whose shuffles and votes wait for all living
// lanes of the warp. Refused is what PTX leaves undefined: a register read before it is written, an
// address in no array, a divisor of zero, lanes that wait at different places, and a launch that
// does not end; and the instructions that random PTX does not have.
#pragma once

#include <string>

#include "compiler/launch/launch.h"
#include "compiler/ptx/ast.h"
#include "interpreter/base/failure.h"

namespace qgpu::fuzz::ptxlevel {

// Of threads and thread blocks. A kernel without races gives the same in both.
enum class Order : std::uint8_t { Forward, Backward };

Expected<launch::Arrays> execute(const ptx::Module& module, const std::string& entry,
                                 const launch::Launch& launch, Order order);

}  // namespace qgpu::fuzz::ptxlevel
