// Which token comes next, and its code.
//
// A block owes up to 24 items: a VAL for each slot and lane, a PRED for each slot, a MEM for each
// lane. What they are is kept in rows that EXEC writes; every later token of the record finds its
// own place among them by its fields, so no position is counted.
//
// The next token leaves as 20 bits, read by the unembedding by their signs: the kind and 17 bits of
// payload. Every code is complete, so the right token wins over any other by at least two bits'
// worth.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/circuit/machine/control.h"
#include "compiler/circuit/machine/results.h"

namespace qgpu::circuit::machine {

inline constexpr int kKindBits = 3, kPayloadBits = 17;
inline constexpr int kCodeWidth = kKindBits + kPayloadBits;

// The code of a token that the model writes: bits 0-2 the kind, the payload above. Nothing for
// tokens that only the host writes.
std::optional<std::uint32_t> outputCode(const protocol::Token& token);

// The code's wires, lowest bit first. `first`: the earliest layer for the rows of items.
Bus buildOutput(Net& net, const Inputs& in, const Front& front, const Results& results,
                const Schedule& schedule, int first);

}  // namespace qgpu::circuit::machine
