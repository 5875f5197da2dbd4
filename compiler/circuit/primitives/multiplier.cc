#include "compiler/circuit/primitives/multiplier.h"

#include <fmt/format.h>

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

struct Share {
  Gate gate;
  Form amount;
};

// Digit `column` of the word shifted left by `shift`.
Form shiftedDigit(const Bus& word, int shift, int column) {
  Form digit;
  for (int k = 0; k < 4; ++k) {
    const int bit = 4 * column + k - shift;
    if (bit >= 0 && bit < 32) digit += (1 << k) * Form(word[bit]);
  }
  return digit;
}

// A column wire wide enough for all its shares; none where nothing reaches the column.
Wire columnOf(Net& net, std::string_view name, int column, const std::vector<Share>& shares) {
  int most = 0;
  for (const Share& share : shares) most += rangeOf(net, share.amount).high;
  if (most == 0) return {};
  const Wire wire = net.wire(fmt::format("{}[{}]", name, column), integer(0, most));
  for (const Share& share : shares) net.add(wire, share.gate, share.amount);
  return wire;
}

std::vector<Share> partialProducts(const MultiplyOperation& op, const Bus& a, const Bus& b,
                                   int first_bit, int column) {
  std::vector<Share> shares;
  for (int bit = first_bit; bit < first_bit + 16; ++bit)
    shares.push_back({op.active & b[bit], shiftedDigit(a, bit, column)});
  return shares;
}

}  // namespace

Columns multiply(Net& net, const MultiplyOperation& op, const Bus& a, const Bus& b,
                 const Bus& addend) {
  const auto scope = net.scope("product");
  Columns columns;
  for (int c = 0; c < kColumns; ++c) {
    const bool upper = c >= kWordColumns;
    const int digit = c % kWordColumns;
    std::vector<Share> early = partialProducts(op, a, b, 0, c);
    early.push_back({upper ? op.high : op.low, shiftedDigit(addend, 0, digit)});
    if (upper)
      for (const auto& [sign, other] : {std::pair(a[31], &b), std::pair(b[31], &a)})
        early.push_back({op.signed_operands & sign,
                         15 - shiftedDigit(*other, 0, digit) + (c == kWordColumns ? 1 : 0)});
    columns.early.push_back(columnOf(net, "early", c, early));
    columns.late.push_back(columnOf(net, "late", c, partialProducts(op, a, b, 16, c)));
  }
  return columns;
}

}  // namespace qgpu::circuit
