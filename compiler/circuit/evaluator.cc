#include "compiler/circuit/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace qgpu::circuit {
namespace {

using Values = Evaluator::Values;
constexpr std::size_t kCases = Evaluator::kCases;

std::uint32_t count(const auto& v) { return static_cast<std::uint32_t>(v.size()); }

// Indices 0..n-1 ordered by step, stable.
template <typename StepOf>
std::vector<std::uint32_t> byStep(std::size_t n, StepOf step) {
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, step);
  return order;
}

}  // namespace

Evaluator::Evaluator(const Net& net) : net_(net), values_(net.wires().size()) {
  const auto verdict = net.verify();
  check(verdict.has_value(), verdict ? "" : verdict.error().message);
  flatten();
  for (const Memory& memory : net.memories()) {
    stores_.push_back({std::vector<Row>(static_cast<std::size_t>(memory.rows) * kCases), {}});
    for (Access& access : stores_.back().history)
      access.write_row.fill(-1), access.read_row.fill(-1);
  }
}

void Evaluator::flatten() {
  const auto& units = net_.units();
  const auto& memories = net_.memories();
  unit_ids_ = byStep(units.size(), [&](std::uint32_t i) { return units[i].step; });
  memory_ids_ = byStep(memories.size(), [&](std::uint32_t i) { return memories[i].step; });
  for (const std::uint32_t id : unit_ids_) {
    const Unit& unit = units[id];
    FlatUnit flat;
    flat.literals.begin = count(literals_);
    for (const Literal& l : unit.gate.literals()) literals_.push_back(l);
    flat.literals.end = count(literals_);
    flat.rectifies = unit.gate.rectifies();
    if (unit.gate.most() >= 0) flat.most = unit.gate.most();
    flat.form = flatten(unit.gate.form());
    flat.amount = flatten(unit.amount);
    flat.outs.begin = count(outs_);
    outs_.insert(outs_.end(), unit.outs.begin(), unit.outs.end());
    flat.outs.end = count(outs_);
    units_.push_back(flat);
  }
  std::vector<std::uint32_t> revised;
  for (std::uint32_t id = 0; id < net_.wires().size(); ++id)
    if (net_.wires()[id].revises) revised.push_back(id);
  std::ranges::stable_sort(revised, {},
                           [&](std::uint32_t id) { return net_.wires()[id].first_drive; });
  for (const std::uint32_t id : revised) revisions_.push_back({id});
  std::uint32_t u = 0, m = 0, r = 0;
  for (int step = 0; step < net_.steps(); ++step) {
    Event event{{u, u}, {m, m}, {r, r}};
    while (u < units.size() && units[unit_ids_[u]].step == step) event.units.end = ++u;
    while (m < memories.size() && memories[memory_ids_[m]].step == step) event.memories.end = ++m;
    while (r < revised.size() && net_.info(revisions_[r]).first_drive == step)
      event.revisions.end = ++r;
    events_.push_back(event);
  }
}

Evaluator::FlatForm Evaluator::flatten(const Form& form) {
  FlatForm flat{form.constant(), {count(terms_), 0}};
  terms_.insert(terms_.end(), form.terms().begin(), form.terms().end());
  flat.terms.end = count(terms_);
  return flat;
}

void Evaluator::set(Wire input, int which, int value) {
  check(net_.info(input).is_input, "only inputs can be set");
  values_[input.id][static_cast<std::size_t>(which)] = value;
}

void Evaluator::set(std::span<const Wire> inputs, int which, std::uint64_t value) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    set(inputs[i], which, static_cast<int>((value >> i) & 1));
}

std::uint64_t Evaluator::get(std::span<const Wire> bus, int which) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bus.size(); ++i)
    value |= static_cast<std::uint64_t>(get(bus[i], which) & 1) << i;
  return value;
}

const Evaluator::Row& Evaluator::row(std::size_t memory, int row, int which) const {
  return stores_[memory]
      .rows[static_cast<std::size_t>(row) * kCases + static_cast<std::size_t>(which)];
}

void Evaluator::pass() {
  for (std::size_t id = 0; id < values_.size(); ++id)
    if (!net_.wires()[id].is_input) values_[id].fill(0);
  for (const Event& event : events_) {
    for (std::uint32_t i = event.revisions.begin; i < event.revisions.end; ++i)
      values_[revisions_[i].id] = values_[net_.info(revisions_[i]).revises.id];
    for (std::uint32_t i = event.units.begin; i < event.units.end; ++i) run(units_[i], i);
    for (std::uint32_t i = event.memories.begin; i < event.memories.end; ++i) run(memory_ids_[i]);
  }
  checkWires();
  ++pass_;
}

void Evaluator::foreignPass() {
  for (auto& values : values_) values.fill(0);
  for (Store& store : stores_) {
    Access& access = store.history[pass_ % 4];
    access.write_row.fill(-1);
    access.read_row.fill(-1);
    access.lanes.fill({});
  }
  // A port that looks back still sees the tokens before this one.
  for (std::uint32_t i = 0; i < stores_.size(); ++i) access(i);
  ++pass_;
}

Values Evaluator::valueOf(const FlatForm& form) const {
  Values sum;
  sum.fill(form.constant);
  for (std::uint32_t i = form.terms.begin; i < form.terms.end; ++i) {
    const Values& v = values_[terms_[i].wire.id];
    for (std::size_t c = 0; c < kCases; ++c) sum[c] += terms_[i].factor * v[c];
  }
  return sum;
}

Values Evaluator::open(Range literals) const {
  Values mask;
  mask.fill(-1);
  for (std::uint32_t i = literals.begin; i < literals.end; ++i) {
    const Values& v = values_[literals_[i].wire.id];
    const std::int32_t wanted = literals_[i].value ? 1 : 0;
    for (std::size_t c = 0; c < kCases; ++c) mask[c] &= -static_cast<std::int32_t>(v[c] == wanted);
  }
  return mask;
}

void Evaluator::run(const FlatUnit& unit, std::uint32_t index) {
  const Values mask = open(unit.literals);
  std::int32_t any = 0;
  for (const std::int32_t m : mask) any |= m;
  if (any == 0) return;
  Values gate;
  gate.fill(1);
  if (unit.rectifies) gate = valueOf(unit.form);
  Values product = valueOf(unit.amount);
  std::int32_t highest = 0, widest = 0;
  for (std::size_t c = 0; c < kCases; ++c) {
    gate[c] = std::max(gate[c], 0) & mask[c];
    product[c] *= gate[c];
    highest = std::max(highest, gate[c]);
    widest = std::max(widest, std::abs(product[c]));
  }
  if (highest == 0) return;
  largest_gate_ = std::max(largest_gate_, highest);
  if (highest > unit.most || widest > 256) [[unlikely]]
    report(fmt::format("a unit of {} at {} has a gate of {} (at most {}) and a product of {}",
                       net_.scopeName(net_.units()[unit_ids_[index]].scope),
                       stepName(net_.units()[unit_ids_[index]].step), highest, unit.most, widest));
  for (std::uint32_t i = unit.outs.begin; i < unit.outs.end; ++i) {
    Values& out = values_[outs_[i].wire.id];
    for (std::size_t c = 0; c < kCases; ++c) out[c] += outs_[i].amount * product[c];
  }
}

Values Evaluator::rowOf(const Port& port) const {
  Values row{};
  for (std::size_t i = 0; i < port.address.size(); ++i)
    for (std::size_t c = 0; c < kCases; ++c) row[c] |= values_[port.address[i].id][c] << i;
  for (const Literal& l : port.when.literals())
    for (std::size_t c = 0; c < kCases; ++c)
      if (values_[l.wire.id][c] != (l.value ? 1 : 0)) row[c] = -1;
  return row;
}

void Evaluator::run(std::uint32_t index) {
  const Memory& memory = net_.memories()[index];
  Access& now = stores_[index].history[pass_ % 4];
  now.write_row = rowOf(memory.write);
  now.read_row = rowOf(memory.read);
  now.lanes.fill({});
  for (std::size_t i = 0; i < memory.lanes.size(); ++i)
    for (std::size_t c = 0; c < kCases; ++c) {
      const bool holds = std::ranges::all_of(
          memory.lanes[i].value.literals(),
          [&](const Literal& l) { return values_[l.wire.id][c] == (l.value ? 1 : 0); });
      now.lanes[c].bits[i / 64] |= std::uint64_t{holds} << (i % 64);
    }
  access(index);
}

// The write and the read that fall due in this pass, each delayed as its port asks.
void Evaluator::access(std::uint32_t index) {
  const Memory& memory = net_.memories()[index];
  Store& store = stores_[index];
  const auto past = [&](int delay) -> const Access& {
    return store.history[(pass_ + 4 - static_cast<std::size_t>(delay)) % 4];
  };
  for (std::size_t c = 0; c < kCases; ++c) {
    if (const int row = past(memory.write.delay).write_row[c]; row >= 0 && row < memory.rows) {
      Row& stored = store.rows[static_cast<std::size_t>(row) * kCases + c];
      stored = {{}, true};
      for (std::size_t i = 0; i < memory.lanes.size(); ++i)
        stored.bits[i / 64] |=
            past(memory.lanes[i].delay).lanes[c].bits[i / 64] & (std::uint64_t{1} << (i % 64));
    }
    if (const int row = past(memory.read.delay).read_row[c]; row >= 0 && row < memory.rows)
      deliver(memory, store.rows[static_cast<std::size_t>(row) * kCases + c], c);
  }
}

void Evaluator::deliver(const Memory& memory, const Row& row, std::size_t c) {
  for (std::size_t i = 0; i < memory.lanes.size(); ++i)
    if ((row.bits[i / 64] >> (i % 64)) & 1)
      for (const Output& out : memory.lanes[i].outs) values_[out.wire.id][c] += out.amount;
  if (row.written)
    for (const Output& out : memory.written) values_[out.wire.id][c] += out.amount;
}

// Each wire against its range, each mode against what should imply it.
void Evaluator::checkWires() {
  for (std::uint32_t id = 0; id < values_.size(); ++id) {
    const WireInfo& info = net_.wires()[id];
    const auto [low, high] = std::ranges::minmax(values_[id]);
    if (low < info.type.low || high > info.type.high) [[unlikely]]
      report(fmt::format("{} holds {}..{}, outside {}..{}", net_.nameOf({id}), low, high,
                         info.type.low, info.type.high));
    if (info.mode.id == 0 || (low == 0 && high == 0)) continue;
    const Literal on = net_.modes()[info.mode.id].enabled;
    for (std::size_t c = 0; c < kCases; ++c)
      if (values_[id][c] != 0 && values_[on.wire.id][c] != (on.value ? 1 : 0))
        report(fmt::format("{} is not 0 outside its mode {}", net_.nameOf({id}),
                           net_.modes()[info.mode.id].name));
  }
  for (std::size_t m = 1; m < net_.modes().size(); ++m) {
    const ModeInfo& mode = net_.modes()[m];
    for (const Literal& l : mode.implied_by)
      for (std::size_t c = 0; c < kCases; ++c)
        if (values_[l.wire.id][c] == (l.value ? 1 : 0) &&
            values_[mode.enabled.wire.id][c] != (mode.enabled.value ? 1 : 0))
          report(fmt::format("{} does not imply mode {}", net_.nameOf(l.wire), mode.name));
  }
}

void Evaluator::report(std::string message) {
  if (bad_++ == 0) first_bad_ = std::move(message);
}

}  // namespace qgpu::circuit
