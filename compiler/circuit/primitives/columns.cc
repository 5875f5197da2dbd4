#include "compiler/circuit/primitives/columns.h"

#include <fmt/format.h>

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

int digit(int n) { return n % 16; }
int carry(int n) { return n / 16; }

}  // namespace

void addDigits(Net& net, const Gate& when, std::span<const Wire> word, std::span<const Wire> totals,
               int first) {
  for (std::size_t i = 0; i < word.size() / 4; ++i)
    net.add(totals[static_cast<std::size_t>(first) + i], when, number(word.subspan(4 * i, 4)));
}

Bus splitColumns(Net& net, const Columns& columns) {
  const Bus totals = net.wires("total", kColumns, integer(0, kMostTotal));
  for (std::size_t c = 0; c < kColumns; ++c)
    for (const Wire column : {columns.early[c], columns.late[c]}) {
      if (column) addFunction(net, totals[c], {}, column, digit);
      if (column && c + 1 < kColumns) addFunction(net, totals[c + 1], {}, column, carry);
    }
  return totals;
}

Bus reduceTotals(Net& net, const Bus& totals, Literal joined) {
  const Bus sums = net.wires("sum", kColumns, integer(0, 15 + carry(kMostTotal)));
  for (std::size_t c = 0; c < kColumns; ++c) {
    addFunction(net, sums[c], {}, totals[c], digit);
    if (c + 1 == kColumns) continue;
    addFunction(net, sums[c + 1], c + 1 == kWordColumns ? Gate(joined) : Gate(), totals[c], carry);
  }
  return sums;
}

Digits digitsOf(Net& net, const Bus& sums) {
  Digits digits{net.wires("generate", kColumns), net.wires("propagate", kColumns),
                net.wires("bits", 4 * kColumns), Bus(4 * kColumns)};
  for (std::size_t c = 0; c < kColumns; ++c) {
    addAtLeast(net, digits.generate[c], {}, sums[c], 16);
    addEqual(net, digits.propagate[c], {}, sums[c], 15);
    for (int k = 0; k < 4; ++k) {
      const std::size_t bit = 4 * c + static_cast<std::size_t>(k);
      addFunction(net, digits.bits[bit], {}, sums[c], [k](int n) { return n >> k & 1; });
      if (k == 0) continue;
      digits.reach[bit] = net.wire(fmt::format("reach[{}]", bit));
      const int ones = (1 << k) - 1;
      addFunction(net, digits.reach[bit], {}, sums[c],
                  [ones](int n) { return (n & ones) == ones; });
    }
  }
  return digits;
}

Bus carriesOf(Net& net, const Digits& digits, Literal joined) {
  Bus carries(kColumns);
  for (int c = 1; c < kColumns; ++c) {
    carries[c] = net.wire(fmt::format("carry[{}]", c));
    Gate through;
    for (int i = c - 1; i >= 0; --i) {
      if (i == kWordColumns - 1) through &= joined;
      net.add(carries[c], through & digits.generate[i]);
      through &= digits.propagate[i];
    }
  }
  return carries;
}

void addWord(Net& net, const Gate& when, const Digits& digits, const Bus& carries, int first,
             const Bus& out) {
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t bit = 4 * static_cast<std::size_t>(first) + i;
    net.add(out[i], when & digits.bits[bit]);
    if (bit / 4 == 0) continue;
    Gate flips = when & carries[bit / 4];
    if (bit % 4 != 0) flips &= digits.reach[bit];
    net.add(out[i], flips, 1 - 2 * digits.bits[bit]);
  }
}

}  // namespace qgpu::circuit
