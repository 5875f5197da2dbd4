#include "compiler/circuit/net.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace qgpu::circuit {
namespace {

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}

void mix(std::uint64_t& hash, const Form& form) {
  mix(hash, static_cast<std::uint32_t>(form.constant()));
  for (const Term& t : form.terms())
    mix(hash, t.wire.id), mix(hash, static_cast<std::uint32_t>(t.factor));
}

std::uint64_t hashOf(int step, const Gate& gate, const Form& amount) {
  std::uint64_t hash = static_cast<std::uint64_t>(step);
  for (const Literal& l : gate.literals()) mix(hash, 2 * std::uint64_t{l.wire.id} + l.value);
  mix(hash, gate.rectifies());
  mix(hash, gate.form());
  mix(hash, amount);
  return hash;
}

// Takes the largest common factor out of `amount`, leaving its first coefficient positive; a
// constant becomes 1.
int takeFactor(Form& amount) {
  int factor = amount.constant();
  for (const Term& t : amount.terms()) factor = std::gcd(factor, t.factor);
  const int leading = amount.isConstant() ? amount.constant() : amount.terms().front().factor;
  factor = leading < 0 ? -std::abs(factor) : std::abs(factor);
  Form reduced(amount.constant() / factor);
  for (const Term& t : amount.terms()) reduced += (t.factor / factor) * Form(t.wire);
  amount = std::move(reduced);
  return factor;
}

void collect(std::vector<Wire>& wires, const Gate& gate) {
  for (const Literal& l : gate.literals()) wires.push_back(l.wire);
  for (const Term& t : gate.form().terms()) wires.push_back(t.wire);
}

}  // namespace

std::string stepName(int step) {
  if (step == kEmbeddingStep) return "the embedding";
  if (step == kLastStep) return "the end";
  return fmt::format("layer {}'s {}", layerOf(step), isUnitStep(step) ? "MLP" : "memories");
}

std::vector<Lane> lanes(std::span<const Wire> values, std::span<const Wire> outs) {
  check(values.size() == outs.size(), "each stored bit has one output");
  std::vector<Lane> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = {values[i], 0, {{outs[i], 1}}};
  return result;
}

Net::Net() : scopes_{""}, modes_(1) {}

Net::Scope::Scope(Net& net, const Context& next)
    : net_(net), saved_(std::exchange(net.context_, next)) {}

Net::Scope Net::at(int layer) {
  Context next = context_;
  next.at = layer;
  return {*this, next};
}

Net::Scope Net::from(int layer) {
  Context next = context_;
  next.from = layer;
  next.at = -1;
  return {*this, next};
}

Net::Scope Net::scope(std::string_view name) {
  Context next = context_;
  const std::string& outer = scopes_[context_.scope];
  next.scope = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back(outer.empty() ? std::string(name) : fmt::format("{}.{}", outer, name));
  return {*this, next};
}

Net::Scope Net::within(Mode mode) {
  Context next = context_;
  next.mode = mode;
  return {*this, next};
}

Wire Net::wire(std::string_view name, Type type) {
  WireInfo info;
  info.name = name;
  info.scope = context_.scope;
  info.type = type;
  info.mode = context_.mode;
  const Wire w{static_cast<std::uint32_t>(wires_.size())};
  wires_.push_back(std::move(info));
  if (type.low > 0 || type.high < 0 || type.low < -256 || type.high > 256)
    error(fmt::format("{} has the range {}..{}, which must hold 0 and lie in -256..256", nameOf(w),
                      type.low, type.high));
  return w;
}

Bus Net::wires(std::string_view name, int width, Type type) {
  Bus bus;
  for (int i = 0; i < width; ++i) bus.push_back(wire(fmt::format("{}[{}]", name, i), type));
  return bus;
}

Wire Net::input(std::string_view name, Type type) {
  const Wire w = wire(name, type);
  if (context_.mode.id != 0)
    error(fmt::format("{} is an input, so it belongs to no mode", nameOf(w)));
  wires_[w.id].mode = {};
  wires_[w.id].is_input = true;
  markDriven(w, kEmbeddingStep);
  return w;
}

Bus Net::inputs(std::string_view name, int width, Type type) {
  Bus bus;
  for (int i = 0; i < width; ++i) bus.push_back(input(fmt::format("{}[{}]", name, i), type));
  return bus;
}

Wire Net::revise(Wire old, std::string_view name, Type type) {
  const Wire w = wire(name, type);
  if (!known(old, "is revised")) return w;
  wires_[w.id].revises = old;
  wires_[w.id].mode = wires_[old.id].mode;
  if (wires_[old.id].revised_by) error(fmt::format("{} is revised twice", nameOf(old)));
  if (wires_[old.id].type.encoding != type.encoding)
    error(fmt::format("{} and its revision {} have different encodings", nameOf(old), nameOf(w)));
  wires_[old.id].revised_by = w;
  return w;
}

void Net::output(Wire w) {
  if (known(w, "is an output")) markRead(w, kLastStep);
}
void Net::output(std::span<const Wire> bus) {
  for (const Wire w : bus) output(w);
}

void Net::add(Wire out, const Gate& gate, const Form& amount) {
  if (!known(out, "is driven") || amount == Form(0)) return;
  checkLiterals(gate, "a unit");
  Gate guarded = gate;
  Form reduced = amount;
  const int factor = takeFactor(reduced);
  std::vector<Wire> read;
  collect(read, gate);
  for (const Term& t : amount.terms()) read.push_back(t.wire);
  if (!std::ranges::all_of(read, [&](Wire w) { return known(w, "is read"); })) return;
  std::vector<Wire> touched = read;
  touched.push_back(out);
  guard(guarded, touched);
  if (guarded.contradictory()) return;
  read.clear();
  collect(read, guarded);
  for (const Term& t : amount.terms()) read.push_back(t.wire);
  const int step = place(read, 1);
  markDriven(out, step);
  Unit& unit = units_[unitFor(step, std::move(guarded), std::move(reduced))];
  const auto same = std::ranges::find(unit.outs, out, &Output::wire);
  if (same != unit.outs.end())
    same->amount += factor;
  else
    unit.outs.push_back({out, factor});
}

Wire Net::define(std::string_view name, const Gate& gate) {
  const Wire w = wire(name);
  add(w, gate);
  return w;
}

std::uint32_t Net::unitFor(int step, Gate gate, Form amount) {
  const std::uint64_t hash = hashOf(step, gate, amount);
  const auto [begin, end] = unit_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Unit& unit = units_[it->second];
    if (unit.step == step && unit.gate == gate && unit.amount == amount) return it->second;
  }
  const auto index = static_cast<std::uint32_t>(units_.size());
  units_.push_back({step, context_.scope, std::move(gate), std::move(amount), {}});
  unit_index_.emplace(hash, index);
  return index;
}

void Net::placePort(Port& port, std::vector<Wire>& read, std::string_view name) {
  if (port.when.rectifies()) error(fmt::format("{}: a port's condition is made of literals", name));
  if (port.delay < 0 || port.delay > 3) error(fmt::format("{}: a delay is 0 to 3 passes", name));
  for (const Wire w : port.address) known(w, "is an address bit");
  checkLiterals(port.when, name);
  std::vector<Wire> touched = port.address;
  collect(touched, port.when);
  guard(port.when, touched);
  read.insert(read.end(), port.address.begin(), port.address.end());
  collect(read, port.when);
}

void Net::memory(Memory memory) {
  const std::string name =
      fmt::format("{}{}{}", scopes_[context_.scope], context_.scope ? "." : "", memory.name);
  const std::size_t address_bits =
      std::max(memory.write.address.size(), memory.read.address.size());
  if (memory.rows < 1 || memory.rows > kRows || address_bits > 7)
    error(fmt::format("{}: {} rows with {} address bits; at most {}", name, memory.rows,
                      address_bits, kRows));
  if (memory.lanes.size() > kLanes) error(fmt::format("{}: more than {} lanes", name, kLanes));
  std::vector<Wire> read;
  for (Lane& lane : memory.lanes) {
    if (lane.value.rectifies() || lane.delay < 0 || lane.delay > 3)
      error(fmt::format("{}: a lane stores literals, 0 to 3 passes late", name));
    checkLiterals(lane.value, name);
    std::vector<Wire> touched;
    collect(touched, lane.value);
    guard(lane.value, touched);
    collect(read, lane.value);
  }
  placePort(memory.write, read, name);
  placePort(memory.read, read, name);
  if (!std::ranges::all_of(read, [&](Wire w) { return known(w, "is read"); })) return;
  memory.step = place(read, 0);
  memory.scope = context_.scope;
  memory.name = name;
  for (const Lane& lane : memory.lanes)
    for (const Output& out : lane.outs) markDriven(out.wire, memory.step);
  for (const Output& out : memory.written) markDriven(out.wire, memory.step);
  memories_.push_back(std::move(memory));
}

Mode Net::mode(std::string_view name, Literal enabled) {
  modes_.push_back({std::string(name), enabled, {enabled}, {}});
  return {static_cast<std::uint32_t>(modes_.size() - 1)};
}

void Net::implies(Literal literal, Mode mode) { modes_[mode.id].implied_by.push_back(literal); }

void Net::exclusive(Mode a, Mode b) {
  modes_[a.id].exclusive_with.push_back(b);
  modes_[b.id].exclusive_with.push_back(a);
}

// Appends the literals that keep a unit shut outside the modes of the wires it touches.
void Net::guard(Gate& gate, const std::vector<Wire>& touched) {
  for (const Wire w : touched) {
    if (w.id >= wires_.size() || wires_[w.id].mode.id == 0) continue;
    const ModeInfo& mode = modes_[wires_[w.id].mode.id];
    const bool guarded = std::ranges::any_of(gate.literals(), [&](const Literal& l) {
      return std::ranges::find(mode.implied_by, l) != mode.implied_by.end();
    });
    if (!guarded) gate &= mode.enabled;
  }
}

// The step of a new unit (parity 1) or memory (parity 0), after which the wires count as read.
int Net::place(const std::vector<Wire>& read, int parity) {
  int step = 2 * context_.from + parity;
  for (const Wire w : read) step = std::max(step, wires_[w.id].last_drive + 1);
  if (step % 2 != parity) ++step;
  if (context_.at >= 0) step = 2 * context_.at + parity;
  for (const Wire w : read) markRead(w, step);
  return step;
}

void Net::markRead(Wire w, int step) {
  wires_[w.id].first_read = std::min(wires_[w.id].first_read, step);
  wires_[w.id].last_read = std::max(wires_[w.id].last_read, step);
}

void Net::markDriven(Wire w, int step) {
  if (!known(w, "is driven")) return;
  wires_[w.id].first_drive = std::min(wires_[w.id].first_drive, step);
  wires_[w.id].last_drive = std::max(wires_[w.id].last_drive, step);
}

void Net::checkLiterals(const Gate& gate, std::string_view use) {
  for (const Literal& l : gate.literals())
    if (known(l.wire, "is a literal") && !wires_[l.wire.id].type.isBoolean())
      error(fmt::format("{} is a literal of {}, but holds {}..{}", nameOf(l.wire), use,
                        wires_[l.wire.id].type.low, wires_[l.wire.id].type.high));
}

bool Net::known(Wire w, std::string_view use) {
  if (w.id < wires_.size()) return true;
  error(fmt::format("a wire that does not exist {} in {}", use, scopes_[context_.scope]));
  return false;
}

void Net::error(std::string message) { errors_.push_back(std::move(message)); }

int Net::readyLayer(Wire w) const { return std::max(0, wires_[w.id].last_drive + 1) / 2; }

std::string Net::nameOf(Wire w) const {
  const WireInfo& info = wires_[w.id];
  const std::string& path = scopes_[info.scope];
  return path.empty() ? info.name : fmt::format("{}.{}", path, info.name);
}

int Net::steps() const {
  int last = kEmbeddingStep;
  for (const Unit& unit : units_) last = std::max(last, unit.step);
  for (const Memory& memory : memories_) last = std::max(last, memory.step);
  return last + 1;
}

// What is wrong with the order in which a wire is driven and read; empty where nothing is.
std::string Net::wireError(Wire w) const {
  const WireInfo& info = wires_[w.id];
  const bool driven = info.last_drive >= kEmbeddingStep;
  const bool read = info.last_read >= kEmbeddingStep;
  if (info.revises) {
    const WireInfo& old = wires_[info.revises.id];
    if (!driven)
      return fmt::format("{} revises {} but changes nothing", nameOf(w), nameOf(info.revises));
    if (old.last_drive >= info.first_drive || old.last_read > info.first_drive)
      return fmt::format("{} is revised in {}, but driven in {} and read in {}",
                         nameOf(info.revises), stepName(info.first_drive), stepName(old.last_drive),
                         stepName(old.last_read));
  }
  if (read && !driven) return fmt::format("{} is read but never driven", nameOf(w));
  if (read && info.first_read <= info.last_drive)
    return fmt::format("{} is read in {}, before it is complete: it is still driven in {}",
                       nameOf(w), stepName(info.first_read), stepName(info.last_drive));
  return {};
}

Interval rangeOf(const Net& net, const Form& form) {
  Interval range{form.constant(), form.constant()};
  for (const Term& term : form.terms()) {
    const Type& type = net.info(term.wire).type;
    range.low += std::min(term.factor * type.low, term.factor * type.high);
    range.high += std::max(term.factor * type.low, term.factor * type.high);
  }
  return range;
}

Expected<void> Net::verify() const {
  if (!errors_.empty()) return refuse(errors_.front());
  for (std::uint32_t id = 0; id < wires_.size(); ++id)
    if (std::string message = wireError({id}); !message.empty()) return refuse(std::move(message));
  return {};
}

}  // namespace qgpu::circuit
