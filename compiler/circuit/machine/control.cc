#include "compiler/circuit/machine/control.h"

#include "compiler/circuit/machine/operands.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Terminator;

constexpr int kKeyBits = 8;

LaneWire laneWires(Net& net, std::string_view name) {
  LaneWire wires;
  const Bus bus = net.wires(name, kMachine.lanes);
  std::ranges::copy(bus, wires.begin());
  return wires;
}

Gate isKind(const HeaderBits& header, Terminator kind) {
  return spells(header.kind, static_cast<unsigned>(kind));
}

// out += number + 1, modulo its width: a bit flips where all lower bits are ones.
void addIncrement(Net& net, const Bus& number, const Bus& out) {
  Gate ones;
  for (std::size_t i = 0; i < number.size(); ++i) {
    net.add(out[i], Gate(number[i]));
    net.add(out[i], ones, 1 - 2 * Form(number[i]));
    ones &= number[i];
  }
}

// The lanes whose condition holds. Predicate p stands in row p + 1 modulo 4 of its memory.
LaneWire buildCondition(Net& net, const Inputs& in, const Front& front, const HeaderBits& header,
                        const Results& results) {
  const Bus row = net.wires("row", 2);
  net.add(row[0], in.exec & !header.condition[0]);
  net.add(row[1], in.exec & header.condition[0], 1 - Form(header.condition[1]));
  net.add(row[1], in.exec & !header.condition[0] & header.condition[1]);
  const Bus stored = net.wires("stored", kMachine.lanes);
  readPredicate(net, in, front, "predicates", row, in.exec & !header.condition[2], stored);
  const LaneWire taken = laneWires(net, "taken");
  const auto source = [&](Wire out, const Gate& when, Wire predicate) {
    net.add(out, when & predicate & !header.condition_not);
    net.add(out, when & !predicate & header.condition_not);
  };
  const Bus slot = {header.condition[0], header.condition[1]};
  for (int l = 0; l < kMachine.lanes; ++l) {
    source(taken[l], in.exec & !header.condition[2], stored[l]);
    for (int s = 0; s < kMachine.slots; ++s)
      source(taken[l], in.exec & header.condition[2] & spells(slot, static_cast<unsigned>(s)),
             results.stages[s].predicate[l]);
  }
  return taken;
}

// The new key of each lane: the next block, +128 waiting, 255 ended.
LaneBus buildKeys(Net& net, const Inputs& in, const Front& front, const HeaderBits& header,
                  const LaneWire& taken, const WriteWires& write) {
  const LaneWire target = laneWires(net, "target"), other = laneWires(net, "other"),
                 ends = laneWires(net, "ends"), waits = laneWires(net, "waits");
  LaneBus keys;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Gate moves = in.exec & write.wins(l);
    net.add(target[l], moves & isKind(header, Terminator::Jump));
    net.add(target[l], moves & isKind(header, Terminator::Barrier));
    net.add(waits[l], moves & isKind(header, Terminator::Barrier));
    net.add(target[l], moves & isKind(header, Terminator::Branch) & taken[l]);
    net.add(other[l], moves & isKind(header, Terminator::Branch) & !taken[l]);
    net.add(target[l], moves & isKind(header, Terminator::ExitIf) & !taken[l]);
    // At its start a warp has no lanes outside the mask; block 0 never replays.
    const Gate exists = moves & front.mask[l];
    net.add(ends[l], exists & isKind(header, Terminator::ExitIf) & taken[l]);
    for (const Terminator end : {Terminator::Exit, Terminator::Trap})
      net.add(ends[l], exists & isKind(header, end));
    net.add(ends[l], in.exec & front.at_entry & !front.mask[l]);
  }
  for (int l = 0; l < kMachine.lanes; ++l) {
    keys[l] = net.wires("key" + std::to_string(l), kKeyBits);
    addCopy(net, target[l] & !ends[l], header.target, std::span(keys[l]).first(7));
    addCopy(net, other[l] & !ends[l], header.other, std::span(keys[l]).first(7));
    if (write.loses[l])
      addCopy(net, write.loses[l] & !ends[l], in.block, std::span(keys[l]).first(in.block.size()));
    net.add(keys[l][7], waits[l] & !ends[l]);
    addConstant(net, ends[l], 255, keys[l]);
  }
  return keys;
}

// The keys of the warp's lanes, after this token's writes. Read by EXEC only.
LaneBus storeKeys(Net& net, const Inputs& in, const Front& front, const LaneBus& keys) {
  LaneBus stored;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::string lane = std::to_string(l);
    const Wire write = net.define("write" + lane, in.exec & front.mask[l]);
    net.add(write, in.exec & front.at_entry & !front.mask[l]);
    stored[l] = net.wires("pc" + lane, kKeyBits);
    net.memory({.name = "pc" + lane,
                .rows = kMachine.warps,
                .write = {.address = front.warp, .when = Gate(write)},
                .read = {.address = front.warp, .when = in.exec},
                .lanes = lanes(keys[l], stored[l])});
  }
  return stored;
}

struct WarpRows {
  Wire alive, running;  // of the current warp, in EXEC
  Bus block, mask;      // of its resume row
};

WarpRows buildWarpRows(Net& net, const Inputs& in, const LaneBus& pc) {
  // at_most[i][j]: lane i's key is at most lane j's
  std::array<LaneWire, kMachine.lanes> at_most;
  Gate ended = in.exec, stopped = in.exec;
  for (int i = 0; i < kMachine.lanes; ++i) {
    for (const Wire w : pc[i]) ended &= w;
    stopped &= pc[i][7];
    for (int j = 0; j < kMachine.lanes; ++j) {
      if (i == j) continue;
      at_most[i][j] = net.wire("at_most" + std::to_string(i) + std::to_string(j));
      addAtLeast(net, at_most[i][j], in.exec, number(pc[j]) - number(pc[i]), 0);
    }
  }
  WarpRows rows{net.wire("alive"), net.wire("running"), net.wires("block", 7),
                net.wires("mask", kMachine.lanes)};
  net.add(rows.alive, in.exec);
  net.add(rows.alive, ended, -1);
  net.add(rows.running, in.exec);
  net.add(rows.running, stopped, -1);
  for (int i = 0; i < kMachine.lanes; ++i) {
    Gate lowest = in.exec, first = in.exec;
    for (int j = 0; j < kMachine.lanes; ++j) {
      if (i == j) continue;
      lowest &= at_most[i][j];
      first &= j < i ? !at_most[j][i] : Literal(at_most[i][j]);
    }
    net.add(rows.mask[i], lowest);
    addCopy(net, first, std::span(pc[i]).first(7), rows.block);
  }
  return rows;
}

struct Status {
  Bus alive, running, started;  // of each warp
};

// A row for each warp in a memory of its own, so that a CTA token can clear them all at once.
Status storeStatus(Net& net, const Inputs& in, const Front& front, const WarpRows& rows) {
  const Status status{net.wires("alive", kMachine.warps), net.wires("running", kMachine.warps),
                      net.wires("started", kMachine.warps)};
  for (int w = 0; w < kMachine.warps; ++w) {
    const Wire write = net.define("write_status" + std::to_string(w),
                                  in.exec & spells(front.warp, static_cast<unsigned>(w)));
    net.add(write, in.cta);
    net.memory({.name = "status" + std::to_string(w),
                .write = {.when = Gate(write)},
                .lanes = lanes(Bus{rows.alive, rows.running, in.exec},
                               Bus{status.alive[w], status.running[w], status.started[w]})});
  }
  return status;
}

struct Candidates {
  Wire running, fresh, alive;  // the current warp runs; the next is fresh; some warp lives
  Bus live;                    // one-hot: the next live warp
};

Candidates findCandidates(Net& net, const Front& front, const Status& status, const Schedule& out) {
  Candidates found{net.wire("current_runs"), net.wire("next_fresh"), net.wire("some_alive"),
                   net.wires("next_live", kMachine.warps)};
  for (int w = 0; w < kMachine.warps; ++w) {
    const Gate current = spells(front.warp, static_cast<unsigned>(w));
    net.add(found.running, current & status.running[w]);
    if (w + 1 < kMachine.warps)
      net.add(found.fresh, current & (!status.started[w + 1]) & out.fresh_lanes[0]);
    Gate passed = current;
    for (int d = 1; d <= kMachine.warps; ++d) {
      const auto next = static_cast<std::size_t>((w + d) % kMachine.warps);
      net.add(found.live[next], passed & status.alive[next]);
      net.add(found.alive, passed & status.alive[next]);
      passed &= Gate(!status.alive[next]);
    }
  }
  return found;
}

void choose(Net& net, const Front& front, const Candidates& found, Schedule& out, Wire last_cta) {
  const Gate stopped{!found.running, !found.fresh};
  net.add(out.resume, found.running);
  net.add(out.resume, stopped & found.alive);
  net.add(out.fresh, Gate{!found.running, found.fresh});
  net.add(out.cta, stopped & !found.alive & !last_cta);
  net.add(out.halt, stopped & !found.alive & last_cta);
  addCopy(net, found.running, front.warp, out.warp);
  for (int w = 0; w < kMachine.warps; ++w)
    addConstant(net, stopped & found.live[w], static_cast<unsigned>(w), out.warp);
}

}  // namespace

Schedule buildControl(Net& net, const Inputs& in, const Front& front, const Results& results,
                      int first) {
  const auto scope = net.scope("control");
  const HeaderBits header = fetchHeader(net, in, front, first);
  const auto from = net.from(first);
  net.add(results.write.faults, in.exec & isKind(header, Terminator::Trap));
  const LaneWire taken = buildCondition(net, in, front, header, results);
  const LaneBus keys = buildKeys(net, in, front, header, taken, results.write);
  const LaneBus pc = storeKeys(net, in, front, keys);
  const WarpRows rows = buildWarpRows(net, in, pc);
  const Status status = storeStatus(net, in, front, rows);

  Schedule out{net.wire("resume"),
               net.wire("fresh"),
               net.wire("cta"),
               net.wire("halt"),
               net.wires("next", 3),
               net.wires("resume_block", 7),
               net.wires("resume_mask", kMachine.lanes),
               net.wires("fresh_warp", 3),
               laneWires(net, "fresh_lane"),
               net.wires("next_cta", 8)};
  const Form room = number(front.ntid) - 4 * number(front.warp) - 4;
  for (int l = 0; l < kMachine.lanes; ++l) addAtLeast(net, out.fresh_lanes[l], {}, room - l, 1);
  addIncrement(net, front.warp, out.fresh_warp);
  addIncrement(net, front.ctaid, out.next_cta);
  const Wire last_cta = net.wire("last_cta");
  addFunction(net, last_cta, {}, number(front.ctaid) - number(front.nctaid) + 1, {-255, 255},
              [](int n) { return n >= 0; });
  const Candidates found = findCandidates(net, front, status, out);
  choose(net, front, found, out, last_cta);
  Bus stored = out.block;
  stored.insert(stored.end(), out.mask.begin(), out.mask.end());
  Bus values = rows.block;
  values.insert(values.end(), rows.mask.begin(), rows.mask.end());
  net.memory({.name = "resume",
              .rows = kMachine.warps,
              .write = {.address = front.warp, .when = in.exec},
              .read = {.address = out.warp, .when = Gate(out.resume)},
              .lanes = lanes(values, stored)});
  return out;
}

}  // namespace qgpu::circuit::machine
