#include "compiler/circuit/row_form.h"

#include <algorithm>
#include <cmath>

namespace qgpu::circuit {
namespace {

// Penalties are powers of two, so that a weight never needs more bits than its factor.
double powerOfTwoAtLeast(double value) {
  return std::exp2(std::ceil(std::log2(std::max(value, 1.0))));
}

// The nearest value of eight significant bits.
double roundedTo8Bits(double value) { return roundToBfloat16(static_cast<float>(value)); }

bool isExact(double value) {
  return isBfloat16(static_cast<float>(value)) && static_cast<float>(value) == value;
}

}  // namespace

void RowWriter::addWire(RowForm& row, Wire w, double factor) const {
  const int dim = allocation_.dim[w.id];
  check(dim != Allocation::kNoDim, "a wire that is read has a dim");
  if (net_.info(w).type.encoding == Encoding::Sign) {
    row.constant += factor / 2;
    factor /= 2;
  }
  const auto same = std::ranges::find(row.terms, dim, &std::pair<int, double>::first);
  if (same != row.terms.end())
    same->second += factor;
  else
    row.terms.emplace_back(dim, factor);
}

void RowWriter::add(RowForm& sum, const RowForm& row) const {
  sum.constant += row.constant;
  for (const auto& [dim, factor] : row.terms) {
    const auto same = std::ranges::find(sum.terms, dim, &std::pair<int, double>::first);
    if (same != sum.terms.end())
      same->second += factor;
    else
      sum.terms.emplace_back(dim, factor);
  }
}

RowForm RowWriter::row(const Form& form) const {
  RowForm row{static_cast<double>(form.constant()), {}};
  for (const Term& t : form.terms()) addWire(row, t.wire, t.factor);
  return row;
}

// 0 where the literal holds, -penalty where it does not.
RowForm RowWriter::literalRow(const Literal& literal, double penalty) const {
  RowForm row{literal.value ? -penalty : 0, {}};
  addWire(row, literal.wire, literal.value ? penalty : -penalty);
  return row;
}

bool RowWriter::touchesMode(const Gate& gate) const {
  const auto has_mode = [&](Wire w) { return net_.info(w).mode.id != 0; };
  return std::ranges::any_of(gate.literals(), [&](const Literal& l) { return has_mode(l.wire); }) ||
         std::ranges::any_of(gate.form().terms(), [&](const Term& t) { return has_mode(t.wire); });
}

// Whether the literal keeps the gate shut while a mode of the gate's wires is off.
bool RowWriter::isGuard(const Literal& literal, const Gate& gate) const {
  const auto implies = [&](Wire w) {
    const Mode mode = net_.info(w).mode;
    return mode.id != 0 && std::ranges::find(net_.modes()[mode.id].implied_by, literal) !=
                               net_.modes()[mode.id].implied_by.end();
  };
  return std::ranges::any_of(gate.literals(), [&](const Literal& l) { return implies(l.wire); }) ||
         std::ranges::any_of(gate.form().terms(), [&](const Term& t) { return implies(t.wire); });
}

// Everything the dim may hold when `step` reads it, whichever mode is on.
RowWriter::Bounds RowWriter::aliasBounds(int dim, int step) const {
  Bounds bounds;
  for (const Occupancy& o : allocation_.occupancies[static_cast<std::size_t>(dim)]) {
    if (step <= o.present_from || step > o.present_to) continue;
    bounds.low = std::min<double>(bounds.low, liveness_.tenants[o.tenant].low);
    bounds.high = std::max<double>(bounds.high, liveness_.tenants[o.tenant].high);
  }
  return bounds;
}

double RowWriter::highest(const RowForm& row, int step) const {
  double high = row.constant;
  for (const auto& [dim, factor] : row.terms) {
    const Bounds bounds = aliasBounds(dim, step);
    high += std::max(factor * bounds.low, factor * bounds.high);
  }
  return high;
}

RowForm RowWriter::row(const Gate& gate, int step, Margin margin) const {
  const auto& literals = gate.literals();
  const auto positives = std::ranges::count(literals, true, &Literal::value);
  const bool plain = std::ranges::all_of(literals, [&](const Literal& l) {
    return net_.info(l.wire).type.encoding == Encoding::Plain;
  });
  const bool guarded = touchesMode(gate);
  RowForm sum;
  double penalty = 2;
  if (gate.rectifies()) {
    sum = row(gate.form());
    const int most = rangeOf(net_, gate.form()).high;
    penalty = powerOfTwoAtLeast(gate.most() >= 0 ? std::min(most, gate.most()) : most);
  } else if (positives == 1 && plain && !guarded && margin == Margin::None) {
    // One wire minus others, each 0 or 1, is 1 exactly where the gate is open: no constant.
    for (const Literal& l : literals) addWire(sum, l.wire, l.value ? 1 : -1);
    return sum;
  } else {
    sum.constant = 1;
  }
  std::vector<Literal> guards;
  for (const Literal& l : literals) {
    const bool sign = net_.info(l.wire).type.encoding == Encoding::Sign;
    if (guarded && isGuard(l, gate))
      guards.push_back(l);
    else
      add(sum, literalRow(l, sign ? 2 * penalty : penalty));
  }
  if (!guards.empty()) penalty = std::max(penalty, powerOfTwoAtLeast(highest(sum, step) + 1));
  for (const Literal& l : guards) {
    const bool sign = net_.info(l.wire).type.encoding == Encoding::Sign;
    add(sum, literalRow(l, sign ? 2 * penalty : penalty));
  }
  return sum;
}

bool RowWriter::append(std::vector<Entry>& entries, std::uint32_t at, double scale,
                       const RowForm& row) const {
  bool exact = true;
  const auto put = [&](int dim, double weight) {
    exact = exact && isExact(weight);
    if (exact && weight != 0)
      entries.push_back({at, static_cast<std::uint32_t>(dim), static_cast<float>(weight)});
  };
  const double constant = scale * row.constant;
  const double big = roundedTo8Bits(constant / constants_.big_normed);
  put(constants_.one - constants_.bigs, big);
  put(constants_.one, (constant - big * constants_.big_normed) * constants_.unit_weight);
  for (const auto& [dim, factor] : row.terms) put(dim, scale * factor * constants_.unit_weight);
  return exact;
}

}  // namespace qgpu::circuit
