// Sums of many small numbers: products, and sums and comparisons with a word of memory.
//
// A word is eight nibbles; a column collects everything that belongs to one nibble of a result,
// sixteen columns in a lane. Whatever fills them, the same circuit carries them out:
//
//   layer 4     products of two nibbles, 0 to 225            p
//         5, 6  their high halves, floor(p / 16)             H of the column
//         4, 5  whatever else is added                       K of the column
//         7     digits: (sum p - 16 H + H' + K) mod 16, plus what the column to the right overflows
//         8     what the digit is modulo 16, whether it carries, and which of its bits a carry
//         reaches 9     carries: the bits of the result; comparisons
//
// Columns 0-7 are a low word, 8-15 the high word of a product or, for atom.add, a sum of their own.
#include "compiler/circuit/machine/stage.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Opcode;
using OperandForm = Decoder::Form;

constexpr int kNibbles = 8, kColumns = 2 * kNibbles;
constexpr int kLargestProduct = 15 * 15, kLargestHigh = kNibbles * (kLargestProduct / 16),
              kLargestExtra = 5 * 15, kLargestSum = 249, kLargestDigit = 30;

struct ColumnFlags {
  Wire product, loaded_product;  // a * b, a * memory
  Wire multiply_low;             // and c is added to the low word
  Wire low, high, high_signed;   // the result is the low, the high word
  Wire add_loaded, atomic;       // add with memory; atom.add
  Wire compare, compare_signed;  // memory with a or c, for minimum and maximum
  Wire with_a, with_c;           // which
  Wire smaller, larger, exchange_equal;
};

ColumnFlags decodeColumns(Stage& s) {
  const auto at = s.decoding();
  Decoder d = s.decoder();
  using enum Opcode;
  ColumnFlags f;
  f.product = d.ops("product", {Mad}, OperandForm::Register);
  d.also(f.product, {Madh, Madhu}, OperandForm::Any, {});
  f.loaded_product = d.ops("loaded_product", {Mad}, OperandForm::Memory);
  f.multiply_low = d.ops("multiply_low", {Mad});
  f.low = d.ops("low", {Mad});
  d.also(f.low, {Add}, OperandForm::Memory, {});
  d.also(f.low, {AtomAdd}, OperandForm::Any, {});
  f.high = d.ops("high", {Madh, Madhu});
  f.high_signed = d.ops("high_signed", {Madh});
  f.add_loaded = d.ops("add_loaded", {Add}, OperandForm::Memory);
  f.atomic = d.ops("atomic", {AtomAdd});
  f.with_a = d.ops("with_a", {Min, Max, Minu, Maxu}, OperandForm::Memory);
  f.with_c = d.ops("with_c", {AtomMin, AtomMax, AtomMinu, AtomMaxu});
  f.compare = d.ops("compare", {Min, Max, Minu, Maxu}, OperandForm::Memory);
  d.also(f.compare, {AtomMin, AtomMax, AtomMinu, AtomMaxu}, OperandForm::Any, {});
  f.compare_signed = d.ops("compare_signed", {Min, Max}, OperandForm::Memory);
  d.also(f.compare_signed, {AtomMin, AtomMax}, OperandForm::Any, {});
  f.smaller = d.ops("smaller", {Min, Minu}, OperandForm::Memory);
  d.also(f.smaller, {AtomMin, AtomMinu}, OperandForm::Any, {});
  f.larger = d.ops("larger", {Max, Maxu}, OperandForm::Memory);
  d.also(f.larger, {AtomMax, AtomMaxu}, OperandForm::Any, {});
  f.exchange_equal = d.ops("cas", {AtomCas});
  return f;
}

Form nibble(const Bus& word, int i) {
  return number(std::span(word).subspan(4 * static_cast<std::size_t>(i), 4));
}

struct Digit {
  Bus bits;                   // 4, of the digit modulo 16
  std::array<Wire, 4> reach;  // the bits below are all ones (none for bit 0)
  Wire generate, propagate;   // it is 16 or more; it is 15
};

// The columns of one lane.
class Columns {
 public:
  Columns(Stage& s, const ColumnFlags& f, int lane)
      : s_(s),
        net_(s.net),
        f_(f),
        lane_(lane),
        high_(net_.wires("high", kColumns - 1, integer(0, kLargestHigh))),
        extra_(net_.wires("extra", kColumns, integer(0, kLargestExtra))) {}

  void build() {
    products();
    signs();
    addends();
    comparands();
    atomicSums();
    digits();
    results();
    selections();
  }

 private:
  const Bus& a() const { return s_.operands.a[lane_]; }
  const Bus& b() const { return s_.second[lane_]; }
  const Bus& c() const { return s_.operands.c[lane_]; }
  const Bus& m() const { return s_.loaded[lane_]; }

  void products() {
    for (int i = 0; i < kNibbles; ++i)
      for (int j = 0; j < kNibbles; ++j) {
        const Wire p = net_.wire("product", integer(0, kLargestProduct));
        {
          const auto at = net_.at(s_.layer(4));
          net_.add(p, f_.product & relu(nibble(a(), i)), nibble(b(), j));
          net_.add(p, f_.loaded_product & relu(nibble(a(), i)), nibble(m(), j));
        }
        // floor(p / 16) = 4 floor(p / 64) + floor((p mod 64) / 16)
        const Wire quarter = net_.wire("quarter", integer(0, 3));
        {
          const auto at = net_.at(s_.layer(5));
          addFunction(net_, quarter, {}, Form(p), [](int n) { return n / 64; });
        }
        const auto at = net_.at(s_.layer(6));
        net_.add(high_[i + j], relu(Form(quarter)), 4);
        addFunction(net_, high_[i + j], {}, Form(p) - 64 * Form(quarter), {0, 63},
                    [](int n) { return n / 16; });
        products_[i + j].push_back(p);
      }
  }

  void extra(int column, const Gate& when, const Form& amount) {
    net_.add(extra_[column], when, amount);
  }

  // What makes an unsigned high word signed: subtracting b where a is negative is adding ~b and 1.
  void signs() {
    const auto at = net_.at(s_.layer(4));
    for (int i = 0; i < kNibbles; ++i) {
      extra(i + kNibbles, f_.high_signed & a()[31], 15 - nibble(b(), i));
      extra(i + kNibbles, f_.high_signed & b()[31], 15 - nibble(a(), i));
    }
    extra(kNibbles, f_.high_signed & a()[31], 1);
    extra(kNibbles, f_.high_signed & b()[31], 1);
  }

  // What a multiply-add and an addition add.
  void addends() {
    const auto at = net_.at(s_.layer(5));
    for (int i = 0; i < kNibbles; ++i) {
      extra(i, Gate(f_.multiply_low), nibble(c(), i));
      extra(i + kNibbles, Gate(f_.high), nibble(c(), i));
      extra(i, Gate(f_.add_loaded), nibble(a(), i) + nibble(m(), i));
    }
  }

  // m - x for a comparison: m + ~x + 1, of which only the carry is wanted. Signed: with both sign
  // bits inverted. For equality: m + ~x, all ones where they are equal.
  void comparands() {
    const auto at = net_.at(s_.layer(5));
    const auto difference = [&](Wire flag, const Bus& x) {
      for (int i = 0; i < kNibbles; ++i) extra(i, Gate(flag), nibble(m(), i) + 15 - nibble(x, i));
    };
    difference(f_.with_a, a());
    difference(f_.with_c, c());
    // From here on c is what memory is compared with.
    for (std::size_t i = 0; i < 32; ++i) {
      s_.late[lane_].push_back(net_.revise(c()[i], "late", kFlag));
      net_.add(s_.late[lane_][i], Gate(f_.with_a), Form(a()[i]) - Form(c()[i]));
    }
    difference(f_.exchange_equal, a());
    extra(0, Gate(f_.compare), 1);
    extra(kNibbles - 1, f_.compare_signed & m()[31], -16);
    extra(kNibbles - 1, f_.compare_signed & f_.with_a & a()[31], 16);
    extra(kNibbles - 1, f_.compare_signed & f_.with_c & c()[31], 16);
  }

  // The word before this lane's turn, and after all lanes' that share it.
  void atomicSums() {
    const auto at = net_.at(s_.layer(5));
    const Gate part = f_.atomic & s_.access[lane_];
    for (int i = 0; i < kNibbles; ++i) {
      extra(i, part, nibble(m(), i));
      extra(i + kNibbles, part, nibble(m(), i) + nibble(c(), i));
      for (int other = 0; other < kMachine.lanes; ++other) {
        if (other == lane_) continue;
        const Gate together = f_.atomic & s_.same[lane_][other];
        const Form addend = nibble(s_.operands.c[other], i);
        if (other < lane_) extra(i, together, addend);
        extra(i + kNibbles, together, addend);
      }
    }
  }

  Form columnSum(int column) const {
    Form sum(extra_[column]);
    if (column < kColumns - 1)
      sum += -16 * Form(high_[column]);  // no product starts in the last one
    if (column > 0) sum += Form(high_[column - 1]);
    for (const Wire p : products_[column]) sum += Form(p);
    return sum;
  }

  void digits() {
    const Interval range{0, kLargestSum};
    for (int column = 0; column < kColumns; ++column) {
      const Wire digit = net_.wire("digit", integer(0, kLargestDigit));
      {
        const auto at = net_.at(s_.layer(7));
        addFunction(net_, digit, {}, columnSum(column), range, [](int n) { return n % 16; });
        // What overflows column 7 belongs to a low word alone where the high columns hold a sum.
        if (column == kNibbles)
          addFunction(net_, digit, Gate(f_.high), columnSum(column - 1), range,
                      [](int n) { return n / 16; });
        else if (column > 0)
          addFunction(net_, digit, {}, columnSum(column - 1), range, [](int n) { return n / 16; });
      }
      const auto at = net_.at(s_.layer(8));
      digits_.push_back(splitDigit(Form(digit)));
    }
    const auto at = net_.at(s_.layer(7));
    overflow_ = net_.wire("overflow");
    addFunction(net_, overflow_, Gate(f_.compare), columnSum(kNibbles - 1), {0, kLargestDigit},
                [](int n) { return n >= 16; });
  }

  Digit splitDigit(const Form& digit) {
    Digit d{net_.wires("bit", 4), {}, net_.wire("generate"), net_.wire("propagate")};
    addBits(net_, d.bits, {}, digit);
    for (int k = 1; k < 4; ++k) {
      d.reach[k] = net_.wire("reach");
      const int mask = (1 << k) - 1;
      addFunction(net_, d.reach[k], {}, digit, [mask](int n) { return (n & mask) == mask; });
    }
    addAtLeast(net_, d.generate, {}, digit, 16);
    addEqual(net_, d.propagate, {}, digit, 15);
    return d;
  }

  // The carries into a column from those at `first` and above: at most one gate is open.
  std::vector<Gate> carriesInto(int column, int first) const {
    std::vector<Gate> gates;
    Gate through;
    for (int i = column - 1; i >= first; --i) {
      gates.push_back(through & digits_[i].generate);
      through &= digits_[i].propagate;
    }
    return gates;
  }

  // out += the word in columns column0 .. column0 + 7, with carries from column `first` up.
  void word(const Gate& when, int column0, int first, const Bus& out) {
    for (int i = 0; i < kNibbles; ++i) {
      const Digit& d = digits_[column0 + i];
      for (std::size_t b = 0; b < 4; ++b) {
        const Wire target = out[4 * static_cast<std::size_t>(i) + b];
        net_.add(target, when & d.bits[b]);
        for (const Gate& carry : carriesInto(column0 + i, first)) {
          const Gate flips = b == 0 ? carry : carry & d.reach[b];
          net_.add(target, when & flips, 1 - 2 * Form(d.bits[b]));
        }
      }
    }
  }

  void results() {
    const auto at = net_.at(s_.layer(9));
    const Bus& result = s_.out.result[lane_];
    word(f_.low & s_.open[lane_], 0, 0, result);
    word(f_.high & s_.open[lane_], kNibbles, 0, result);
    word(Gate(f_.atomic), kNibbles, kNibbles, s_.write.word[lane_]);
    // A comparison carries out of the low word in its column sums or behind them, never in both.
    at_least_ = net_.define("at_least", Gate(overflow_));
    for (const Gate& carry : carriesInto(kNibbles, 0)) net_.add(at_least_, f_.compare & carry);
    Gate equal(f_.exchange_equal);
    for (int i = 0; i < kNibbles; ++i) equal &= digits_[i].propagate;
    equal_ = net_.define("equal", equal);
  }

  void selections() {
    const auto at = net_.at(s_.layer(10));
    const Wire part = s_.access[lane_];
    const Bus &result = s_.out.result[lane_], &updated = s_.write.word[lane_];
    // at_least_: the word in memory is not the smaller one
    const auto pick = [&](const Gate& when, const Bus& x, const Bus& out) {
      addCopy(net_, when & f_.smaller & at_least_, x, out);
      addCopy(net_, when & f_.smaller & !at_least_, m(), out);
      addCopy(net_, when & f_.larger & at_least_, m(), out);
      addCopy(net_, when & f_.larger & !at_least_, x, out);
    };
    const Bus& late = s_.late[lane_];
    pick(f_.with_a & s_.open[lane_], late, result);
    pick(f_.with_c & part, late, updated);
    addCopy(net_, f_.exchange_equal & part & equal_, late, updated);
    addCopy(net_, f_.exchange_equal & part & !equal_, m(), updated);
  }

  Stage& s_;
  Net& net_;
  const ColumnFlags& f_;
  int lane_;
  Bus high_, extra_;
  std::array<Bus, kColumns> products_;
  std::vector<Digit> digits_;
  Wire overflow_, at_least_, equal_;
};

}  // namespace

void buildColumns(Stage& s) {
  const auto scope = s.net.scope("columns");
  const ColumnFlags flags = decodeColumns(s);
  for (const Wire flag :
       {flags.product, flags.loaded_product, flags.multiply_low, flags.low, flags.high,
        flags.high_signed, flags.add_loaded, flags.atomic, flags.compare, flags.compare_signed,
        flags.with_a, flags.with_c, flags.smaller, flags.larger, flags.exchange_equal})
    s.net.implies(flag, s.columns);
  const auto mode = s.net.within(s.columns);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = s.net.scope("lane" + std::to_string(l));
    Columns(s, flags, l).build();
  }
}

}  // namespace qgpu::circuit::machine
