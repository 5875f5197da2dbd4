#include "compiler/circuit/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/circuit/liveness.h"

namespace qgpu::circuit {
namespace {

constexpr int kLargest = 256;
// binary32 holds integers of 24 bits; forms may be worth half integers in between.
constexpr double kLargestSum = 1 << 23;
// A quarter of the last place of the sum of BIG's squares, at least 2^52.
constexpr double kLargestSquares = 1 << 27;

int largest(Interval range) { return std::max(std::abs(range.low), std::abs(range.high)); }

class Checker {
 public:
  Checker(const Net& net, const CompiledNet& compiled)
      : net_(net), compiled_(compiled), liveness_(analyse(net)) {
    report_.layers.resize(compiled.layers.size());
    drive_.resize(net.wires().size());
  }

  ExactnessReport run() {
    for (const Memory& memory : net_.memories()) driveFrom(memory);
    for (const std::uint32_t u : liveness_.units) checkUnit(net_.units()[u]);
    for (const auto& [group, kinks] : functions_) addFunction(group, kinks);
    for (const Tenant& tenant : liveness_.tenants) checkTenant(tenant);
    checkSums();
    return std::move(report_);
  }

 private:
  // What is added to a wire, and in which steps.
  struct Drive {
    int low = 0, high = 0;
    int first_step = kLastStep, last_step = kEmbeddingStep;
    void add(int step, Interval amount) {
      low += std::min(amount.low, 0);
      high += std::max(amount.high, 0);
      first_step = std::min(first_step, step);
      last_step = std::max(last_step, step);
    }
  };

  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    report_.problems.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  int highestGate(const Gate& gate, LayerMargins& margins) {
    if (!gate.rectifies()) return 1;
    const int high = std::max(0, rangeOf(net_, gate.form()).high);
    if (gate.most() < 0 || gate.most() >= high) return high;
    ++margins.promised;
    return gate.most();
  }

  void checkUnit(const Unit& unit) {
    LayerMargins& margins = report_.layers[static_cast<std::size_t>(layerOf(unit.step))];
    const int gate = highestGate(unit.gate, margins);
    const Interval amount = rangeOf(net_, unit.amount);
    const int product = gate * largest(amount);
    margins.gate = std::max(margins.gate, gate);
    margins.product = std::max(margins.product, product);
    if (gate > kLargest || product > kLargest)
      problem("a unit of {} in {}: its gate may be {} and its product {}",
              net_.scopeName(unit.scope), stepName(unit.step), gate, product);
    for (const Output& out : unit.outs) drive(out, unit, gate, amount);
  }

  // Kinks of one number that drive one wire together are a function of that number; taken one by
  // one they would seem to reach far beyond it.
  struct Group {
    Wire wire;
    int step;
    std::vector<Literal> literals;
    std::vector<std::pair<std::uint32_t, int>> terms;  // the first factor is positive
    friend auto operator<=>(const Group&, const Group&) = default;
  };
  struct Kink {
    int sign, threshold, amount;  // amount * relu(sign * n - threshold)
  };

  void drive(const Output& out, const Unit& unit, int gate, Interval amount) {
    const Form& form = unit.gate.form();
    if (unit.gate.rectifies() && unit.amount.isConstant() && !form.isConstant()) {
      const int sign = form.terms().front().factor < 0 ? -1 : 1;
      Group group{out.wire, unit.step, unit.gate.literals(), {}};
      for (const Term& t : form.terms()) group.terms.emplace_back(t.wire.id, sign * t.factor);
      functions_[group].push_back({sign, -form.constant(), out.amount * unit.amount.constant()});
      return;
    }
    const int a = out.amount * gate * amount.low, b = out.amount * gate * amount.high;
    drive_[out.wire.id].add(unit.step, {std::min(a, b), std::max(a, b)});
  }

  // A sum of kinks has its extremes at a kink or at an end; 0 where the literals do not hold.
  void addFunction(const Group& group, const std::vector<Kink>& kinks) {
    Form form;
    for (const auto& [wire, factor] : group.terms) form += factor * Form(Wire{wire});
    const Interval range = rangeOf(net_, form);
    Interval values;
    const auto visit = [&](int n) {
      if (n < range.low || n > range.high) return;
      int value = 0;
      for (const Kink& k : kinks) value += k.amount * std::max(0, k.sign * n - k.threshold);
      values = {std::min(values.low, value), std::max(values.high, value)};
    };
    visit(range.low), visit(range.high);
    for (const Kink& k : kinks) visit(k.sign * k.threshold);
    drive_[group.wire.id].add(group.step, values);
  }

  void driveFrom(const Memory& memory) {
    const auto drive = [&](const Output& out) {
      drive_[out.wire.id].add(memory.step, {std::min(out.amount, 0), std::max(out.amount, 0)});
    };
    for (const Lane& lane : memory.lanes) std::ranges::for_each(lane.outs, drive);
    std::ranges::for_each(memory.written, drive);
  }

  // A wire that is complete after one step is in its range then; one that grows over several steps
  // must stay small whatever is added first.
  void checkTenant(const Tenant& tenant) {
    Interval before{0, 0};
    for (const Wire w : tenant.wires) {
      const Type& type = net_.info(w).type;
      const Drive& drive = drive_[w.id];
      const Interval grown{before.low + drive.low, before.high + drive.high};
      if (drive.last_step > drive.first_step && largest(grown) > kLargest)
        problem("{} may be {}..{} before it is complete", net_.nameOf(w), grown.low, grown.high);
      if (type.high - before.low > kLargest || before.high - type.low > kLargest)
        problem("{} may change by more than {} in one step", net_.nameOf(w), kLargest);
      before = {type.low, type.high};
    }
  }

  // The largest value that each dim ever holds.
  std::vector<double> largestValues() const {
    std::vector<double> values(static_cast<std::size_t>(compiled_.substrate.hidden));
    for (const Tenant& tenant : liveness_.tenants) {
      double& value = values[static_cast<std::size_t>(compiled_.dim(tenant.wires.front()))];
      value = std::max<double>(value, std::max(-tenant.low, tenant.high));
    }
    return values;
  }

  void checkSums() {
    const Constants constants(compiled_.substrate);
    std::vector<double> normed = largestValues();
    double squares = 0;
    for (const double v : normed) squares += v * v;
    for (double& v : normed) v /= constants.unit_weight;
    std::fill_n(normed.begin() + compiled_.substrate.first_dim, constants.bigs,
                static_cast<double>(constants.big_normed));
    normed[static_cast<std::size_t>(constants.one)] = 1 / constants.unit_weight;
    for (std::size_t layer = 0; layer < compiled_.layers.size(); ++layer) {
      const LayerWeights& w = compiled_.layers[layer];
      LayerMargins& margins = report_.layers[layer];
      margins.square_sum = squares;
      margins.gate_sum =
          largestRow(w.gate_proj, [&](std::size_t c) { return normed[c]; }) / kGateScale;
      const double up = largestRow(w.up_proj, [&](std::size_t c) { return normed[c]; });
      margins.down_sum = largestRow(w.down_proj, [](std::size_t) { return kLargest * kGateScale; });
      if (std::max({margins.gate_sum, up, margins.down_sum}) > kLargestSum)
        problem("layer {}: a partial sum may need more than 24 bits", layer);
    }
    if (squares > kLargestSquares)
      problem("the squares of all wires may add up to {}, at most {} vanish beside BIG's", squares,
              kLargestSquares);
  }

  template <typename Largest>
  static double largestRow(const SparseMatrix& w, Largest largest_input) {
    double most = 0;
    for (std::size_t r = 0; r < w.rows(); ++r) {
      const auto columns = w.rowColumns(r);
      const auto values = w.rowValues(r);
      double sum = 0;
      for (std::size_t i = 0; i < columns.size(); ++i)
        sum += std::fabs(static_cast<double>(toFloat(values[i]))) * largest_input(columns[i]);
      most = std::max(most, sum);
    }
    return most;
  }

  const Net& net_;
  const CompiledNet& compiled_;
  Liveness liveness_;
  std::vector<Drive> drive_;
  std::map<Group, std::vector<Kink>> functions_;
  ExactnessReport report_;
};

}  // namespace

std::string ExactnessReport::tightest(int count) const {
  const auto tightness = [&](std::size_t i) {
    const LayerMargins& m = layers[i];
    return std::max({m.gate / double{kLargest}, m.product / double{kLargest},
                     m.gate_sum / kLargestSum, m.down_sum / kLargestSum});
  };
  std::vector<std::size_t> order(layers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(), tightness);
  std::string text = "layer  gate  product  promised  gate sum  down sum\n";
  for (std::size_t i = 0; i < order.size() && i < static_cast<std::size_t>(count); ++i) {
    const LayerMargins& m = layers[order[i]];
    text += fmt::format("{:>5}  {:>4}  {:>7}  {:>8}  {:>8.0f}  {:>8.0f}\n", order[i], m.gate,
                        m.product, m.promised, m.gate_sum, m.down_sum);
  }
  text += fmt::format("limit  {:>4}  {:>7}  {:>8}  {:>8.0f}  {:>8.0f}\n", kLargest, kLargest, "",
                      kLargestSum, kLargestSum);
  return text;
}

ExactnessReport checkExactness(const Net& net, const CompiledNet& compiled) {
  return Checker(net, compiled).run();
}

}  // namespace qgpu::circuit
