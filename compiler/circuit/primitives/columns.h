// Sums of many words at once, in radix 16: sixteen columns, as one 64-bit or two 32-bit sums.
//
//   1  addDigits / addProduct   words and products into columns       (multiplier.h)
//   2  splitColumns             wide columns into digits and carries, totals of at most 75
//   3  reduceTotals             totals into sums of at most 19
//   4  digitsOf                 each sum's bits, generate and propagate
//   5  carriesOf                the carry into each column
//   6  addWord                  eight columns as a 32-bit word
//
// Each step is one layer; words may join at step 1 or, as totals, at step 2. `joined` is a literal:
// where it holds, columns 0..15 are one number; where not, columns 8..15 start anew.
#pragma once

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

inline constexpr int kColumns = 16;
inline constexpr int kWordColumns = 8;
inline constexpr int kMostTotal = 75;  // five digits of 15

// Two wires for each column, each at most 255; either may be absent.
struct Columns {
  Bus early, late;
};

// total[first + i] += digit i of the word, where `when` (literals only) holds.
void addDigits(Net& net, const Gate& when, std::span<const Wire> word, std::span<const Wire> totals,
               int first);

// New totals, holding what the columns hold.
Bus splitColumns(Net& net, const Columns& columns);
Bus reduceTotals(Net& net, const Bus& totals, Literal joined);

struct Digits {
  Bus generate, propagate;  // 16: the sum is 16 or more, exactly 15
  Bus bits;                 // 64, of each sum modulo 16
  Bus reach;                // 64: the lower bits of the sum are ones (absent for the lowest bit)
};
Digits digitsOf(Net& net, const Bus& sums);

// Into each column; none into column 0.
Bus carriesOf(Net& net, const Digits& digits, Literal joined);

// out[i] += bit i of columns first .. first + 7, where `when` (literals only) holds.
void addWord(Net& net, const Gate& when, const Digits& digits, const Bus& carries, int first,
             const Bus& out);

}  // namespace qgpu::circuit
