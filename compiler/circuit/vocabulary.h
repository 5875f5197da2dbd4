// Tokens in and out: rows of the embedding and of the unembedding.
//
//   // EXEC 3: the wires that its embedding sets
//   std::vector<Entry> row = embeddingRow(*compiled, {{exec, 1}, {block[0], 1}, {block[1], 1}});
//   // the logit of a token whose code is 0b0101 on four sign-encoded wires
//   std::vector<Entry> head = unembeddingRow(*compiled, code, 0b0101);
//
// An embedding row holds the constants and every input wire at its encoded value; a sign-encoded
// input that is not named holds -1. An unembedding row weighs every code wire by +1 or -1 for its
// bit, scaled by 64 after the norm, so that a token wins by 128 or more over any other code.
#pragma once

#include <span>
#include <vector>

#include "compiler/circuit/emit.h"

namespace qgpu::circuit {

struct WireValue {
  Wire wire;
  int value = 1;
};

// Entries of one row: `row` is 0, columns ascend.
std::vector<Entry> embeddingRow(const CompiledNet& compiled, std::span<const WireValue> inputs);
std::vector<Entry> unembeddingRow(const CompiledNet& compiled, std::span<const Wire> code,
                                  std::uint64_t value);

// The gain of the norm before the unembedding, stored as w for 1 + w: that of every other norm.
std::vector<bfloat16> finalNorm(const CompiledNet& compiled);

// What unembeddingRow adds for each code wire that agrees, and takes for each that does not.
inline constexpr float kLogitPerBit = 64;
// The weight in lm_head that does so.
float logitWeight(const CompiledNet& compiled);

}  // namespace qgpu::circuit
