#include "compiler/circuit/primitives/divider.h"

#include <algorithm>

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

constexpr int kDigits = 8;
constexpr int kMultiples = 16;

std::span<const Wire> nibble(const Bus& word, int digit) {
  return std::span(word).subspan(4 * static_cast<std::size_t>(digit), 4);
}

class Divider {
 public:
  Divider(Net& net, Literal active, Literal is_signed)
      : net_(net), active_(active), signed_(is_signed) {}

  void run(const Bus& a, const Bus& b, const Bus& quotient, const Bus& remainder) {
    const auto scope = net_.scope("divide");
    dividend_ = absoluteDigits("dividend", a);
    divisor_ = absoluteDigits("divisor", b);
    findSigns(a, b);
    for (int step = 0; step < kDigits; ++step) {
      if (step == 1) findMultiples();
      quotient_.push_back(divideStep(step));
    }
    std::ranges::reverse(quotient_);
    std::vector<Form> digits(quotient_.begin(), quotient_.end());
    const auto last = net_.from(net_.readyLayer(quotient_.front()));
    addSigned(digits, quotient_negative_, {}, quotient);
    digits.clear();
    for (int j = 0; j < kDigits; ++j) digits.push_back(remainderDigit(j, kDigits));
    addSigned(digits, remainder_negative_, !by_zero_, remainder);
    for (const Wire w : remainder) net_.add(w, active_ & by_zero_);
  }

 private:
  // Two's complement: the complement of each digit, plus 1 that runs up through digits of 0.
  Bus absoluteDigits(std::string_view name, const Bus& word) {
    const Bus digits = net_.wires(name, kDigits, integer(0, 15));
    Gate carry = active_ & signed_ & word[31];
    for (int j = 0; j < kDigits; ++j) {
      net_.add(digits[j], active_, number(nibble(word, j)));
      net_.add(digits[j], active_ & signed_ & word[31], 15 - 2 * number(nibble(word, j)));
      net_.add(digits[j], carry);
      for (const Wire bit : nibble(word, j)) carry &= !bit;
      net_.add(digits[j], carry, -16);
    }
    return digits;
  }

  void findSigns(const Bus& a, const Bus& b) {
    by_zero_ = net_.wire("by_zero");
    quotient_negative_ = net_.wire("quotient_negative");
    remainder_negative_ = net_.wire("remainder_negative");
    net_.add(by_zero_, active_ & relu(1 - count(b)));
    const Gate is_signed = active_ & signed_;
    net_.add(quotient_negative_, is_signed & b[31] & !a[31]);
    net_.add(quotient_negative_, is_signed & a[31] & !b[31]);
    net_.add(remainder_negative_, is_signed & a[31]);
    // Nothing changes its sign where the divisor is 0.
    net_.add(quotient_negative_, is_signed & a[31] & relu(1 - count(b)), -1);
    net_.add(remainder_negative_, is_signed & a[31] & relu(1 - count(b)), -1);
  }

  // k * d for all k: digits of k * d_j with one carry each, then carries that run on.
  void findMultiples() {
    multiples_.assign(kMultiples, {});
    multiples_[1] = divisor_;
    for (int k = 2; k < kMultiples; ++k) {
      Bus sums = net_.wires("multiple", kDigits + 1, integer(0, 29));
      for (int j = 0; j < kDigits; ++j) {
        addFunction(net_, sums[j], active_, divisor_[j], [k](int n) { return k * n % 16; });
        addFunction(net_, sums[j + 1], active_, divisor_[j], [k](int n) { return k * n / 16; });
      }
      multiples_[k] = carried(sums, k);
    }
  }

  Bus carried(const Bus& sums, int k) {
    // A power of two shifts digits: no sum exceeds 15.
    if ((k & (k - 1)) == 0) return sums;
    const Bus generate = net_.wires("generate", kDigits),
              propagate = net_.wires("propagate", kDigits);
    Bus digits = {sums[0]};
    for (int j = 1; j <= kDigits; ++j)
      digits.push_back(net_.revise(sums[j], "digit", integer(0, 15)));
    for (int j = 1; j < kDigits; ++j) {
      addAtLeast(net_, generate[j], active_, sums[j], 16);
      addEqual(net_, propagate[j], active_, sums[j], 15);
    }
    for (int j = 2; j <= kDigits; ++j) {
      Gate through = active_;
      for (int i = j - 1; i > 0; --i) {
        net_.add(digits[j], through & generate[i]);
        net_.add(digits[j - 1], through & generate[i], -16);
        through &= propagate[i];
      }
    }
    return digits;
  }

  // Digit j of k * d. Before the multiples exist, one digit is all there is to divide.
  Form multipleDigit(int k, int j) const {
    if (k == 0) return 0;
    if (multiples_.empty()) return k * Form(divisor_[j]);
    return j < static_cast<int>(multiples_[k].size()) ? Form(multiples_[k][j]) : Form(0);
  }

  // Digit j of the remainder as step `step` finds it, with the borrows that are still owed.
  Form remainderDigit(int j, int step) const {
    const int i = step < kDigits ? j - 1 : j;  // its number in the step before
    const Wire digit =
        dividend_[static_cast<std::size_t>(step < kDigits ? kDigits - 1 - step + j : j)];
    Form form = digit;
    if (i >= 0 && i + 1 < static_cast<int>(borrow_.size())) form += 16 * Form(borrow_[i + 1]);
    if (i >= 1 && i < static_cast<int>(borrow_.size())) form += -Form(borrow_[i]);
    return form;
  }

  Wire divideStep(int step) {
    // All multiples are compared in the same layer, though some are ready earlier.
    const auto from = net_.from(net_.readyLayer(step == 0 ? divisor_[0] : multiples_[3].back()));
    Bus fits(kMultiples);
    for (int k = 1; k < kMultiples; ++k) fits[k] = fitsMultiple(step, k);
    const Wire digit = net_.wire("quotient", integer(0, 15));
    net_.add(digit, active_, count(std::span(fits).subspan(1)));
    subtract(step, fits);
    findBorrows(step);
    return digit;
  }

  // Whether the remainder, of step + 1 digits, is at least k * d: the highest pair of digits that
  // differs decides.
  Wire fitsMultiple(int step, int k) {
    std::vector<Form> excess;  // of pairs of digits, the lowest pair first
    for (int j = 0; j <= step; j += 2) {
      Form pair = remainderDigit(j, step) - multipleDigit(k, j);
      if (j < step) pair += 16 * (remainderDigit(j + 1, step) - multipleDigit(k, j + 1));
      excess.push_back(pair);
    }
    // A multiple with more digits than the remainder is larger.
    for (int j = step + 1; j <= kDigits; ++j)
      excess.back() +=
          -256 * (step == 0 ? j < kDigits ? Form(divisor_[j]) : Form(0) : multipleDigit(k, j));
    const Interval range{-2, 255};
    const auto atLeast = [&](const Form& form, int value) {
      const Wire flag = net_.wire("at_least");
      addFunction(net_, flag, active_, form, range, [value](int n) { return n >= value; });
      return flag;
    };
    const Wire lowest = atLeast(excess.front(), 0);
    if (excess.size() == 1) return lowest;
    const Wire fits = net_.wire("fits");
    Gate equal = active_;
    for (std::size_t c = excess.size() - 1; c > 0; --c) {
      net_.add(fits, equal & atLeast(excess[c], 1));
      const Wire same = net_.wire("same");
      addFunction(net_, same, active_, excess[c], range, [](int n) { return n == 0; });
      equal &= same;
    }
    net_.add(fits, equal & lowest);
    return fits;
  }

  // In place, digit by digit: each multiple that fits takes d more than the one before.
  void subtract(int step, const Bus& fits) {
    for (int j = 0; j <= step; ++j) {
      Wire& digit = dividend_[kDigits - 1 - step + j];
      const Form owed = remainderDigit(j, step) - digit;
      const Wire difference = net_.revise(digit, "difference", integer(-15, 15));
      const auto at = net_.at(net_.readyLayer(fits[1]));
      net_.add(difference, active_, owed);
      for (int k = 1; k < kMultiples; ++k)
        net_.add(difference, active_ & fits[k], multipleDigit(k - 1, j) - multipleDigit(k, j));
      digit = difference;
    }
  }

  // borrow_[j]: digit j owes 1 to the digits below it.
  void findBorrows(int step) {
    borrow_.assign(1, {});
    Bus negative, zero;
    for (int j = 0; j < step; ++j) {
      const Wire digit = dividend_[kDigits - 1 - step + j];
      negative.push_back(net_.wire("negative"));
      zero.push_back(net_.wire("zero"));
      addFunction(net_, negative[j], active_, digit, [](int n) { return n < 0; });
      addEqual(net_, zero[j], active_, digit, 0);
    }
    for (int j = 1; j <= step; ++j)
      borrow_.push_back(j == 1 ? negative[0] : borrowInto(j, negative, zero));
  }

  Wire borrowInto(int digit, const Bus& negative, const Bus& zero) {
    const Wire borrow = net_.wire("borrow");
    Gate through = active_;
    for (int i = digit - 1; i >= 0; --i) {
      net_.add(borrow, through & negative[i]);
      through &= zero[i];
    }
    return borrow;
  }

  // Two layers: the bits of each digit and of its complement to 16, then a sign for all. The
  // complement to 2^32 has digits complemented to 15, and to 16 where all lower digits are 0.
  void addSigned(const std::vector<Form>& digits, Wire negative, const Gate& when, const Bus& out) {
    const Interval range{0, 15};
    Gate all_zero = active_ & negative;
    for (int j = 0; j < kDigits; ++j) {
      for (int k = 0; k < 4; ++k) {
        const Wire plus = net_.wire("plus"), minus = net_.wire("minus");
        addFunction(net_, plus, active_, digits[j], range, [k](int n) { return n >> k & 1; });
        addFunction(net_, minus, active_, digits[j], range,
                    [k](int n) { return (16 - n) >> k & 1; });
        const Wire bit = out[4 * j + k];
        net_.add(bit, active_ & when & plus);
        net_.add(bit, active_ & negative, 1 - 2 * plus);
        net_.add(bit, all_zero, plus + minus - 1);
      }
      const Wire zero = net_.wire("zero");
      addFunction(net_, zero, active_, digits[j], range, [](int n) { return n == 0; });
      all_zero &= zero;
    }
  }

  Net& net_;
  Literal active_, signed_;
  Wire by_zero_, quotient_negative_, remainder_negative_;
  Bus dividend_;  // digits of the dividend, and where a step has passed, of the remainder
  Bus divisor_;
  std::vector<Bus> multiples_;
  Bus borrow_;    // owed to the digits of the step before
  Bus quotient_;  // digits, most significant first
};

}  // namespace

void addDivision(Net& net, Literal active, Literal is_signed, const Bus& a, const Bus& b,
                 const Bus& quotient, const Bus& remainder) {
  Divider(net, active, is_signed).run(a, b, quotient, remainder);
}

}  // namespace qgpu::circuit
