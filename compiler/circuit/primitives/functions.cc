#include "compiler/circuit/primitives/functions.h"

#include <algorithm>
#include <vector>

namespace qgpu::circuit {
namespace {

constexpr int kLargestGate = 256;

// A function on low..high, continued flat on both sides.
struct Samples {
  Interval range;
  std::vector<int> values;
  int at(int n) const {
    return values[static_cast<std::size_t>(std::clamp(n, range.low, range.high) - range.low)];
  }
  int kink(int n) const { return at(n + 1) - 2 * at(n) + at(n - 1); }
};

// The place up to which kinks are taken from above, relu(t - n), so that no gate exceeds the
// largest allowed; beyond it they are taken from below, relu(n - t). The function is flat there.
int splitOf(const Samples& f) {
  const auto fits = [&](int split) {
    for (int t = f.range.low; t <= f.range.high; ++t) {
      const int highest = t <= split ? t - f.range.low : f.range.high - t;
      if (f.kink(t) != 0 && highest > kLargestGate) return false;
    }
    return f.at(split) == f.at(split + 1);
  };
  for (int split = f.range.low - 1; split <= f.range.high; ++split)
    if (fits(split)) return split;
  bug("a function of a number needs a flat place to be split at");
}

}  // namespace

void addFunction(Net& net, Wire out, const Gate& when, const Form& form, const Function& f) {
  addFunction(net, out, when, form, rangeOf(net, form), f);
}

void addFunction(Net& net, Wire out, const Gate& when, const Form& form, Interval range,
                 const Function& f) {
  Samples samples{range, {}};
  for (int n = range.low; n <= range.high; ++n) samples.values.push_back(f(n));
  const int split = splitOf(samples);
  net.add(out, when, samples.at(split));
  for (int t = range.low; t <= range.high; ++t) {
    const bool from_above = t <= split;
    const int highest = from_above ? t - range.low : range.high - t;
    if (samples.kink(t) == 0 || highest == 0) continue;
    const Gate kink = relu(from_above ? t - form : form - t).atMost(highest);
    net.add(out, when & kink, samples.kink(t));
  }
}

void addAtLeast(Net& net, Wire out, const Gate& when, const Form& form, int value) {
  addFunction(net, out, when, form, [value](int n) { return n >= value; });
}

void addEqual(Net& net, Wire out, const Gate& when, const Form& form, int value) {
  addFunction(net, out, when, form, [value](int n) { return n == value; });
}

void addBits(Net& net, std::span<const Wire> out, const Gate& when, const Form& form) {
  for (std::size_t i = 0; i < out.size(); ++i)
    addFunction(net, out[i], when, form, [i](int n) { return n >> i & 1; });
}

}  // namespace qgpu::circuit
