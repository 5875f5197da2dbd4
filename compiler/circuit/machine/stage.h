// One pipeline stage: a slot's instruction in ten layers.
//
//   layer 1   operands, guard                        operands.cc
//         2   complement and carry for the adder; byte sums of the address; sources of a shuffle
//         3   byte sums of the adder; the address and its range; votes
//         4   memory; the adder's result and flags; logic, counts, bytes, shuffles; shift by bytes;
//             products of nibbles; conflicts over addresses
//         5   minimum and maximum, shift by bits, predicate, old value of a failed guard; new words
//         6   loads of words and parts of words
//       6-9   parts of products, columns, digits, carries   columns.cc
//        10   late selection
//
// Residual dimensions are scarcer than units: wires are born late and die early, b and c change in
// place, and adder, shifter and columns share the dimensions of what only they use.
//
// There is no result multiplexer: each unit adds its bits to the result where its instruction runs,
// and the guard is part of that condition.
#pragma once

#include "compiler/circuit/machine/operands.h"

namespace qgpu::circuit::machine {

// What every part of a stage sees.
struct Stage {
  Net& net;
  const Inputs& in;
  const Front& front;
  const SlotBits& bits;
  int slot;
  Operands operands;
  LaneBus second{};      // b from layer 3 on: complemented where the adder subtracts
  LaneBus late{};        // c from layer 6 on: a where memory is compared with a
  LaneWire open{};       // the guard holds, or the instruction has none: the result is wanted
  LaneWire access{};     // runs, with a guard that holds: takes part in memory
  LaneWire predicate{};  // the new predicate, before the guard
  LaneBus loaded{};      // the word of the memory operand; 0 without one
  LaneBus address{};     // its row: 7 bits, and bit 7 for shared memory
  LaneBus byte{};        // its place in the word: 2 bits
  std::array<LaneWire, kMachine.lanes> same{};  // two lanes write the same word
  StageWires& out;
  WriteWires& write;
  Mode ordinary{};                // not a division block
  Wire adds{}, shifts{}, sums{};  // the unit at work; at most one
  Mode adder{}, shifter{}, columns{};

  // The stage's k-th layer, 1 to 10.
  int layer(int k) const { return fetchLayer(slot) + k; }
  Decoder decoder() const { return {net, in, bits}; }
  Net::Scope decoding() const { return net.at(fetchLayer(slot)); }
  // The same flag for each lane: flag where the lane is open.
  LaneWire whereOpen(std::string_view name, Wire flag, int k) const;
};

// Division takes a whole block, so that what only it uses and what only other blocks use share
// dimensions.
struct BlockModes {
  Wire divides, divides_signed;
  Mode division{}, ordinary{};
};
BlockModes buildBlockModes(Net& net, const Inputs& in, const SlotBits& first);

// Returns the operands: a division takes those of the first slot.
Operands buildStage(Net& net, const Inputs& in, const Front& front, const SlotBits& bits, int slot,
                    const BlockModes& modes, Results& results);

// Quotient and remainder of the first slot's a and b, for slots 3 and 4.
void buildDivision(Net& net, const Inputs& in, const BlockModes& modes, const Operands& operands,
                   const std::array<SlotBits, kMachine.slots>& bits, Results& results);

// Parts of a stage, each in a file of its own.
void buildAdder(Stage& stage);     // add, sub, setp, min, max
void buildLogic(Stage& stage);     // mov, and, or, xor, andn
void buildShifter(Stage& stage);   // shl, shr, sar, rotl
void buildBits(Stage& stage);      // popc, clz, brev, prmt
void buildLanes(Stage& stage);     // shuffles, votes, predicate logic
void buildAddress(Stage& stage);   // address, faults
void buildLoads(Stage& stage);     // memory read, sub-word loads
void buildWrites(Stage& stage);    // stores and atomics but for sums and comparisons
void buildNewWords(Stage& stage);  // what stores and atomics write, but for sums and comparisons
void buildColumns(Stage& stage);   // multiply, and sums and comparisons with a word of memory

}  // namespace qgpu::circuit::machine
