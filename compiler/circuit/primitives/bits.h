// Counting, reversing and moving bits and bytes of a 32-bit word.
#pragma once

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// out (6 wires) += the number of ones; one layer.
void addPopulationCount(Net& net, const Gate& when, const Bus& word, std::span<const Wire> out);
// out (6 wires) += the number of zeros above the highest one, 32 for 0; one layer.
void addLeadingZeros(Net& net, const Gate& when, const Bus& word, std::span<const Wire> out);
// out[i] += word[31 - i]; one layer.
void addReversed(Net& net, const Gate& when, const Bus& word, const Bus& out);

// PTX's prmt in two layers: byte i of the result is byte (nibble i of the selector) & 7 of
// high:low, or its sign spread over the byte where bit 3 of the nibble is set.
struct Permutation {
  std::vector<Bus> pick;    // [4][8] of each result byte: one-hot, the source byte to copy
  std::vector<Bus> spread;  // [4][8]: the source byte whose sign to spread
};
Permutation decodePermutation(Net& net, const Gate& when, std::span<const Wire> selector);
void addPermuted(Net& net, const Permutation& permutation, const Bus& low, const Bus& high,
                 const Bus& out);

// The byte or half word at byte `at` (2 wires) of `word`, widened; one layer.
struct NarrowLoad {
  Wire any;          // one of the four
  Wire half;         // a half word, not a byte
  Wire signed_byte;  // spread the sign
  Wire signed_half;
};
void addExtracted(Net& net, const NarrowLoad& load, const Bus& word, std::span<const Wire> at,
                  const Bus& out);

// `word` with the byte at `at`, or the half word where `half` holds too, replaced by the low bits
// of `value`; what reaches beyond the word is dropped. One layer.
void addInserted(Net& net, const Gate& when, Wire half, const Bus& word, std::span<const Wire> at,
                 const Bus& value, const Bus& out);

}  // namespace qgpu::circuit
