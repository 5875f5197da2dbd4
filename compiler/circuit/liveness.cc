#include "compiler/circuit/liveness.h"

#include <algorithm>
#include <ranges>

namespace qgpu::circuit {
namespace {

constexpr int kNever = kEmbeddingStep - 1;

template <typename Visit>
void eachRead(const Gate& gate, Visit visit) {
  for (const Literal& l : gate.literals()) visit(l.wire);
  for (const Term& t : gate.form().terms()) visit(t.wire);
}
template <typename Visit>
void eachRead(const Unit& unit, Visit visit) {
  eachRead(unit.gate, visit);
  for (const Term& t : unit.amount.terms()) visit(t.wire);
}
template <typename Visit>
void eachRead(const Memory& memory, Visit visit) {
  for (const Port* port : {&memory.write, &memory.read}) {
    for (const Wire w : port->address) visit(w);
    eachRead(port->when, visit);
  }
  for (const Lane& lane : memory.lanes) eachRead(lane.value, visit);
}

struct Reads {
  std::vector<int> last;  // per wire
  void at(Wire w, int step) { last[w.id] = std::max(last[w.id], step); }
  bool any(Wire w) const { return last[w.id] != kNever; }
};

// What is read whatever the units do: outputs, memories' ports, and what tells a mode.
Reads initialReads(const Net& net) {
  Reads reads{std::vector<int>(net.wires().size(), kNever)};
  for (std::size_t m = 1; m < net.modes().size(); ++m) {
    const Wire enabled = net.modes()[m].enabled.wire;
    reads.at(enabled, net.info(enabled).last_drive + 1);
  }
  for (std::uint32_t id = 0; id < net.wires().size(); ++id)
    if (net.wires()[id].last_read == kLastStep) reads.at({id}, kLastStep);
  for (const Memory& memory : net.memories())
    eachRead(memory, [&](Wire w) { reads.at(w, memory.step); });
  return reads;
}

// Reads of needed units, found from the last step back: a unit's outputs are read later than it.
std::vector<std::uint32_t> neededUnits(const Net& net, Reads& reads) {
  const auto& units = net.units();
  std::vector<std::uint32_t> order(units.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return units[i].step; });
  const auto needed = [&](Wire w) {
    for (Wire v = w; v; v = net.info(v).revised_by)
      if (reads.any(v)) return true;
    return false;
  };
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t number : order | std::views::reverse) {
    const Unit& unit = units[number];
    if (std::ranges::none_of(unit.outs, [&](const Output& o) { return needed(o.wire); })) continue;
    kept.push_back(number);
    eachRead(unit, [&](Wire w) { reads.at(w, unit.step); });
  }
  std::ranges::reverse(kept);
  return kept;
}

int nextUnitStep(int step) { return isUnitStep(step) ? step : step + 1; }

Tenant tenantFrom(const Net& net, const Reads& reads, Wire root) {
  Tenant tenant;
  const WireInfo& first = net.info(root);
  tenant.mode = first.mode;
  tenant.is_signed = first.type.encoding == Encoding::Sign;
  tenant.first_drive = first.is_input ? kEmbeddingStep : first.first_drive;
  int last = kNever;
  for (Wire w = root; w; w = net.info(w).revised_by) {
    const WireInfo& info = net.info(w);
    tenant.wires.push_back(w);
    tenant.low = std::min(tenant.low, info.type.low);
    tenant.high = std::max(tenant.high, info.type.high);
    if (info.last_drive != kLastStep) last = std::max(last, info.last_drive + 1);
    last = std::max(last, reads.last[w.id]);
  }
  if (tenant.is_signed) tenant.low = -1, tenant.high = 1;
  tenant.start = isUnitStep(tenant.first_drive) || tenant.first_drive == kEmbeddingStep
                     ? tenant.first_drive
                     : tenant.first_drive - 1;
  tenant.end = last == kLastStep ? kLastStep : nextUnitStep(last);
  return tenant;
}

// A mode must be known until the last of its wires that is ever cleared can be.
std::vector<int> modeEnds(const Net& net, Reads& reads) {
  std::vector<int> ends(net.modes().size(), kNever);
  for (std::uint32_t id = 0; id < net.wires().size(); ++id) {
    const WireInfo& info = net.wires()[id];
    const int last = std::max(info.last_drive + 1, reads.last[id]);
    if (info.mode.id != 0 && last != kLastStep)
      ends[info.mode.id] = std::max(ends[info.mode.id], nextUnitStep(last));
  }
  for (std::size_t m = 1; m < ends.size(); ++m) reads.at(net.modes()[m].enabled.wire, ends[m]);
  return ends;
}

}  // namespace

Liveness analyse(const Net& net) {
  Reads reads = initialReads(net);
  Liveness result;
  result.units = neededUnits(net, reads);
  result.mode_end = modeEnds(net, reads);
  result.read.resize(net.wires().size());
  for (std::uint32_t id = 0; id < net.wires().size(); ++id) {
    if (net.wires()[id].revises) continue;
    bool read = false;
    for (Wire w{id}; w; w = net.info(w).revised_by) read = read || reads.any(w);
    for (Wire w{id}; w; w = net.info(w).revised_by) result.read[w.id] = read;
    if (read) result.tenants.push_back(tenantFrom(net, reads, {id}));
  }
  std::ranges::stable_sort(result.tenants, {}, &Tenant::start);
  return result;
}

}  // namespace qgpu::circuit
