// The first layer of a stage: operands, guard and the base of the memory operand.
#pragma once

#include "compiler/circuit/machine/program.h"
#include "compiler/circuit/machine/results.h"

namespace qgpu::circuit::machine {

struct Operands {
  LaneBus a, b, c;  // 32 bits each
  Bus base;         // 32: of the memory operand's address
  LaneWire guard;   // the guard holds, or the input is 1
  LaneWire second;  // predicate logic: the second input
};

// `results` holds the stages before this one, for forwarding. What a division block leaves
// idle belongs to the mode `ordinary`: all but the words of the first slot, which it divides.
Operands buildOperands(Net& net, const Inputs& in, const Front& front, const SlotBits& bits,
                       int slot, Mode ordinary, const Results& results);

// A predicate row of the current warp, where `when` holds: four bits, added to `out`. `row` is the
// predicate's number plus one modulo four, as a guard's code has it in its low two bits.
void readPredicate(Net& net, const Inputs& in, const Front& front, std::string_view name,
                   std::span<const Wire> row, const Gate& when, std::span<const Wire> out);

}  // namespace qgpu::circuit::machine
