#include "compiler/circuit/form.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::circuit {

Form::Form(Literal l) : constant_(l.value ? 0 : 1), terms_{{l.wire, l.value ? 1 : -1}} {}

Form& Form::operator+=(const Form& other) {
  constant_ += other.constant_;
  if (other.terms_.empty()) return *this;
  std::vector<Term> sum;
  sum.reserve(terms_.size() + other.terms_.size());
  auto a = terms_.cbegin();
  auto b = other.terms_.cbegin();
  while (a != terms_.cend() && b != other.terms_.cend()) {
    if (a->wire < b->wire) {
      sum.push_back(*a++);
    } else if (b->wire < a->wire) {
      sum.push_back(*b++);
    } else {
      if (a->factor + b->factor != 0) sum.push_back({a->wire, a->factor + b->factor});
      ++a, ++b;
    }
  }
  sum.insert(sum.end(), a, terms_.cend());
  sum.insert(sum.end(), b, other.terms_.cend());
  terms_ = std::move(sum);
  return *this;
}

Form& Form::operator*=(int factor) {
  constant_ *= factor;
  if (factor == 0) terms_.clear();
  for (Term& term : terms_) term.factor *= factor;
  return *this;
}

Form number(std::span<const Wire> wires) {
  check(wires.size() <= 16, "a number on a form has at most 16 bits");
  Form form;
  for (std::size_t i = 0; i < wires.size(); ++i) form += (1 << i) * Form(wires[i]);
  return form;
}

Form count(std::span<const Wire> wires) {
  Form form;
  for (const Wire w : wires) form += w;
  return form;
}

Gate::Gate(std::span<const Literal> literals) : literals_(literals.begin(), literals.end()) {
  sortLiterals();
}

void Gate::sortLiterals() {
  std::ranges::sort(literals_);
  literals_.erase(std::unique(literals_.begin(), literals_.end()), literals_.end());
}

bool Gate::contradictory() const {
  return std::ranges::adjacent_find(literals_, [](const Literal& a, const Literal& b) {
           return a.wire == b.wire;
         }) != literals_.end();
}

Gate Gate::atMost(int most) const {
  check(rectifies_, "only a rectified form can have a bound");
  Gate bounded = *this;
  bounded.most_ = most;
  return bounded;
}

Gate& Gate::operator&=(const Gate& other) {
  check(!(rectifies_ && other.rectifies_), "a gate holds at most one rectified form");
  literals_.insert(literals_.end(), other.literals_.begin(), other.literals_.end());
  sortLiterals();
  if (other.rectifies_) form_ = other.form_, rectifies_ = true, most_ = other.most_;
  return *this;
}

Gate relu(Form form) {
  Gate gate;
  gate.form_ = std::move(form);
  gate.rectifies_ = true;
  return gate;
}

}  // namespace qgpu::circuit
