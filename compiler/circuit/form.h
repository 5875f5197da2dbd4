// The values that a hardware description is written with: wires, literals, linear forms and gates.
//
//   wire      one signal; holds a small integer, and most wires hold 0 or 1
//   literal   a wire, or its negation; true or false
//   form      a constant plus wires times integers:      2 * x - y + 3
//   gate      what opens a hidden unit, never negative:  a & !b & relu(2 * x - y)
//
// A gate is a conjunction of literals, at most one of which is replaced by a rectified form. It is
// worth max(0, form) where every literal is true, and 0 elsewhere; without a form it is worth 1 or
// 0. Operators build all of it:
//
//   Gate carry = a & b;                        // 1 where both hold
//   Gate excess = enable & relu(sum - 15);     // how far the sum exceeds 15, if enabled
//   Form total = number(low) + 16 * number(high);
//
// (Put a negated literal behind another: compilers take `!a & b` for a slip.)
//
// Everything here is a plain value; a wire is made by a Net (net.h), which also gives it a meaning.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace qgpu::circuit {

struct Wire {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t id = kNone;
  explicit operator bool() const { return id != kNone; }
  friend bool operator==(Wire, Wire) = default;
  friend auto operator<=>(Wire, Wire) = default;
};

// Wires side by side, the least significant first.
using Bus = std::vector<Wire>;

// True where the 0/1 wire holds `value`.
struct Literal {
  Wire wire;
  bool value = true;
  Literal() = default;
  Literal(Wire w, bool v = true) : wire(w), value(v) {}
  friend bool operator==(const Literal&, const Literal&) = default;
  friend auto operator<=>(const Literal&, const Literal&) = default;
};
inline Literal operator!(Wire w) { return {w, false}; }
inline Literal operator!(Literal l) { return {l.wire, !l.value}; }

struct Term {
  Wire wire;
  int factor = 0;
  friend bool operator==(const Term&, const Term&) = default;
};

// constant + sum of factor * wire. Terms are sorted by wire, each wire at most once, no factor is
// 0.
class Form {
 public:
  Form(int constant = 0) : constant_(constant) {}
  Form(Wire w) : terms_{{w, 1}} {}
  Form(Literal l);

  int constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }
  bool isConstant() const { return terms_.empty(); }

  Form& operator+=(const Form& other);
  Form& operator*=(int factor);
  friend bool operator==(const Form&, const Form&) = default;

 private:
  int constant_ = 0;
  std::vector<Term> terms_;
};

inline Form operator+(Form a, const Form& b) { return a += b; }
inline Form operator*(int factor, Form a) { return a *= factor; }
inline Form operator*(Form a, int factor) { return a *= factor; }
inline Form operator-(Form a) { return a *= -1; }
inline Form operator-(Form a, const Form& b) { return a += -b; }

// The unsigned number that the wires spell, wires[0] being worth 1.
Form number(std::span<const Wire> wires);
// How many of the 0/1 wires hold 1.
Form count(std::span<const Wire> wires);

class Gate {
 public:
  Gate() = default;  // always 1
  Gate(Wire w) : literals_{Literal(w)} {}
  Gate(Literal l) : literals_{l} {}
  Gate(std::initializer_list<Literal> literals)
      : Gate(std::span(literals.begin(), literals.end())) {}
  explicit Gate(std::span<const Literal> literals);

  // Sorted, without repetition.
  const std::vector<Literal>& literals() const { return literals_; }
  bool rectifies() const { return rectifies_; }
  const Form& form() const { return form_; }
  // Asks for both a wire and its negation: never open.
  bool contradictory() const;
  // The author's promise that the form never exceeds `most`, where the ranges of its wires alone
  // would allow more. Evaluation checks it.
  Gate atMost(int most) const;
  int most() const { return most_; }  // -1: nothing promised

  Gate& operator&=(const Gate& other);
  friend Gate relu(Form form);
  friend bool operator==(const Gate&, const Gate&) = default;

 private:
  void sortLiterals();

  std::vector<Literal> literals_;
  Form form_{0};
  bool rectifies_ = false;
  int most_ = -1;
};

// max(0, form)
Gate relu(Form form);

inline Gate operator&(Gate a, const Gate& b) { return a &= b; }
// The plain forms of &, spelt out because a wire, a literal and a gate may each stand on either
// side.
inline Gate operator&(Wire a, Wire b) { return Gate(a) &= b; }
inline Gate operator&(Wire a, Literal b) { return Gate(a) &= b; }
inline Gate operator&(Literal a, Wire b) { return Gate(a) &= b; }
inline Gate operator&(Literal a, Literal b) { return Gate(a) &= b; }

}  // namespace qgpu::circuit
