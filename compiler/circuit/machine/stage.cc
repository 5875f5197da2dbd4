#include "compiler/circuit/machine/stage.h"

#include "compiler/circuit/primitives/divider.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::GuardUse;
using isa::Row;

StageWires stageWires(Net& net, const SlotBits& bits) {
  StageWires out;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::string lane = std::to_string(l);
    out.result[l] = net.wires("result" + lane, 32);
    out.predicate[l] = net.wire("predicate" + lane);
    out.old[l] = net.wire("old" + lane);
    out.commits[l] = net.wire("commits" + lane);
  }
  out.live = bits.flag("live");
  out.plive = bits.flag("plive");
  out.rd = bits.field("rd");
  out.pd = bits.field("pd");
  return out;
}

// The units whose wires share dimensions.
void buildUnitModes(Stage& s) {
  using enum isa::Opcode;
  const auto at = s.decoding();
  Decoder d = s.decoder();
  s.adds =
      d.ops("adds", {Add, Addc, Sub, Subc, Setp, Min, Max, Minu, Maxu}, Decoder::Form::Register);
  s.shifts = d.ops("shifts", {Shl, Shr, Sar, Rotl});
  s.sums =
      d.ops("sums", {Mad, Madh, Madhu, AtomAdd, AtomMin, AtomMax, AtomMinu, AtomMaxu, AtomCas});
  d.also(s.sums, {Add, Min, Max, Minu, Maxu}, Decoder::Form::Memory, {});
  s.adder = s.net.mode("adder", s.adds);
  s.shifter = s.net.mode("shifter", s.shifts);
  s.columns = s.net.mode("columns", s.sums);
  s.net.exclusive(s.adder, s.shifter);
  s.net.exclusive(s.adder, s.columns);
  s.net.exclusive(s.shifter, s.columns);
}

// open, access and commits; and the value that a failed guard keeps.
void buildGuard(Stage& s) {
  Decoder decode = s.decoder();
  Wire guarded, free, commit, merge;
  {
    const auto at = s.decoding();
    const auto isFree = [](const Row& r) {
      return r.guard == GuardUse::Input || r.guard == GuardUse::Unused;
    };
    free = decode.rows("free", isFree);
    guarded = decode.rows("guarded", [&](const Row& r) { return !isFree(r); });
    commit = decode.rows("commit", [](const Row& r) { return r.guard == GuardUse::Commit; });
    merge =
        decode.rows("merge", [](const Row& r) { return r.guard == GuardUse::Merge && r.result; });
  }
  const auto at = s.net.at(s.layer(2));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Wire guard = s.operands.guard[l], runs = s.front.mask[l];
    s.open[l] = s.net.define("open" + std::to_string(l), guarded & guard);
    s.net.add(s.open[l], Gate(free));
    s.access[l] = s.net.define("access" + std::to_string(l), runs & guard);
    s.net.add(s.out.commits[l], s.in.exec & runs & !commit);
    s.net.add(s.out.commits[l], commit & runs & guard);
  }
  const auto later = s.net.at(s.layer(5));
  for (int l = 0; l < kMachine.lanes; ++l)
    addCopy(s.net, merge & !s.open[l], s.operands.c[l], s.out.result[l]);
}

// The predicate with its old value where the guard failed. Predicate p stands in row p + 1
// modulo 4.
void buildPredicate(Stage& s) {
  const Bus pd = s.out.pd;
  const Bus row = s.net.wires("old_row", 2);
  Wire keeps;
  {
    const auto at = s.decoding();
    Decoder decode = s.decoder();
    s.net.add(row[0], s.in.exec & !pd[0]);
    s.net.add(row[1], s.in.exec & pd[0] & !pd[1]);
    s.net.add(row[1], s.in.exec & !pd[0] & pd[1]);
    keeps = decode.rows("keeps_predicate", [](const Row& r) {
      return r.guard == GuardUse::Merge &&
             (r.predicate == isa::PredicateUse::Compare || r.predicate == isa::PredicateUse::Flag);
    });
    const Bus compare = s.bits.field("compare");
    decode.also(keeps, {isa::Opcode::Add}, Decoder::Form::Register, compare[1] & compare[2]);
  }
  const auto at = s.net.at(s.layer(4));
  readPredicate(s.net, s.in, s.front, "old", row, s.in.exec, s.out.old);
  const auto next = s.net.at(s.layer(5));
  for (int l = 0; l < kMachine.lanes; ++l) {
    s.net.add(s.out.predicate[l], s.open[l] & s.predicate[l]);
    s.net.add(s.out.predicate[l], keeps & !s.open[l] & s.out.old[l]);
  }
}

}  // namespace

LaneWire Stage::whereOpen(std::string_view name, Wire flag, int k) const {
  const auto at = net.at(layer(k));
  LaneWire flags;
  for (int l = 0; l < kMachine.lanes; ++l)
    flags[l] = net.define(std::string(name) + std::to_string(l), flag & open[l]);
  return flags;
}

BlockModes buildBlockModes(Net& net, const Inputs& in, const SlotBits& first) {
  const auto at = net.at(0);
  Decoder d(net, in, first);
  BlockModes modes{d.ops("divides", {isa::Opcode::Div, isa::Opcode::Divu}),
                   d.ops("divides_signed", {isa::Opcode::Div})};
  const Wire ordinary = net.define("ordinary", Gate(in.exec));
  d.also(ordinary, {isa::Opcode::Div, isa::Opcode::Divu}, Decoder::Form::Any, {}, -1);
  modes.division = net.mode("division", modes.divides);
  modes.ordinary = net.mode("ordinary", ordinary);
  net.exclusive(modes.division, modes.ordinary);
  return modes;
}

Operands buildStage(Net& net, const Inputs& in, const Front& front, const SlotBits& bits, int slot,
                    const BlockModes& modes, Results& results) {
  const auto scope = net.scope("stage" + std::to_string(slot + 1));
  results.stages[slot] = stageWires(net, bits);
  Stage stage{.net = net,
              .in = in,
              .front = front,
              .bits = bits,
              .slot = slot,
              .operands = buildOperands(net, in, front, bits, slot, modes.ordinary, results),
              .out = results.stages[slot],
              .write = results.write,
              .ordinary = modes.ordinary};
  for (int l = 0; l < kMachine.lanes; ++l)
    stage.predicate[l] = net.wire("new_predicate" + std::to_string(l));
  buildUnitModes(stage);
  for (const Mode mode : {stage.adder, stage.shifter, stage.columns})
    net.exclusive(mode, modes.division);
  buildGuard(stage);
  buildAddress(stage);
  buildLoads(stage);
  buildAdder(stage);
  buildLogic(stage);
  buildShifter(stage);
  buildBits(stage);
  buildLanes(stage);
  buildWrites(stage);
  buildColumns(stage);
  buildNewWords(stage);
  buildPredicate(stage);
  return stage.operands;
}

void buildDivision(Net& net, const Inputs& in, const BlockModes& modes, const Operands& operands,
                   const std::array<SlotBits, kMachine.slots>& bits, Results& results) {
  const auto scope = net.scope("division");
  std::array<Wire, 2> takes;
  const std::array<isa::Opcode, 2> ops = {isa::Opcode::Quo, isa::Opcode::Rem};
  for (int i = 0; i < 2; ++i) {
    const auto at = net.at(fetchLayer(2 + i));
    takes[i] = Decoder(net, in, bits[2 + i]).ops("takes", {ops[i]});
    net.implies(takes[i], modes.division);
  }
  const auto mode = net.within(modes.division);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = net.scope("lane" + std::to_string(l));
    const Bus quotient = net.wires("quotient", 32), remainder = net.wires("remainder", 32);
    const auto from = net.from(2);
    addDivision(net, modes.divides, modes.divides_signed, operands.a[l], operands.b[l], quotient,
                remainder);
    // The quotient comes long after the third stage, so it changes that result in place.
    Bus& third = results.stages[2].result[l];
    for (Wire& w : third) w = net.revise(w, "with_quotient", kFlag);
    addCopy(net, Gate(takes[0]), quotient, third);
    addCopy(net, Gate(takes[1]), remainder, results.stages[3].result[l]);
  }
}

}  // namespace qgpu::circuit::machine
