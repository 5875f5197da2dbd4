#include "compiler/circuit/machine/operands.h"

#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Operand;
using isa::Special;

// Fields of one operand, decoded one layer before it is fetched.
struct Selector {
  Bus code;  // the six bits
  Wire immediate;
  Bus forward;  // the result of slot 1, 2, 3
};

Selector decodeSelector(Net& net, const Inputs& in, const Bus& code, int slot) {
  Selector s{
      code, net.define("immediate", in.exec & spells(code, Operand::immediate().code())), {}};
  for (int i = 0; i < slot; ++i)
    s.forward.push_back(
        net.define("forward" + std::to_string(i), in.exec & spells(code, Operand::slot(i).code())));
  return s;
}

// The registers of one operand, a memory for each lane: row = warp and register.
void readRegisters(Net& net, const Inputs& in, const Front& front, const Selector& s,
                   const LaneBus& out) {
  const auto rowOf = [&](const Bus& reg) {
    Bus row(reg.begin(), reg.begin() + 4);
    row.insert(row.end(), front.warp.begin(), front.warp.end());
    return row;
  };
  for (int l = 0; l < kMachine.lanes; ++l)
    net.memory({.name = "registers" + std::to_string(l),
                .rows = kMachine.warps * kMachine.registers,
                .write = {.address = rowOf(in.word.reg()), .when = Gate(front.write_register[l])},
                .read = {.address = rowOf(s.code), .when = in.exec & !s.code[5] & !s.code[4]},
                .lanes = lanes(front.word, out[l])});
}

Bus readParameter(Net& net, const Inputs& in, const Front& front, std::string_view name,
                  std::span<const Wire> index, Wire when) {
  const Bus out = net.wires(name, 32);
  net.memory({.name = std::string(name),
              .rows = kMachine.parameters,
              .write = {.address = in.word.parameter(), .when = Gate(in.word.param)},
              .read = {.address = {index.begin(), index.end()}, .when = in.exec & when},
              .lanes = lanes(front.word, out)});
  return out;
}

// The sources that are the same for all operands: what a special is worth in a lane, bit by bit.
struct SpecialBits {
  Bus bits;
  std::uint32_t constant = 0;
};
SpecialBits specialBits(const Front& front, Special special, int lane) {
  const auto constant = static_cast<std::uint32_t>(lane);
  switch (special) {
    case Special::Tid:
      return {{Wire{}, Wire{}, front.warp[0], front.warp[1], front.warp[2]}, constant};
    case Special::Ctaid: return {front.ctaid};
    case Special::Ntid: return {front.ntid};
    case Special::Nctaid: return {front.nctaid};
    case Special::Gtid: return {front.gtid[lane]};
    case Special::Lane: return {{}, constant};
    case Special::Warp: return {front.warp};
    case Special::Mask: return {front.mask};
  }
  bug("a special that has no bits");
}

void addSpecials(Net& net, const Inputs& in, const Front& front, const Selector& s, int lane,
                 const Bus& out) {
  for (int i = 0; i < isa::kSpecials; ++i) {
    const auto special = static_cast<Special>(i);
    const Gate when = in.exec & spells(s.code, Operand::special(special).code());
    const SpecialBits value = specialBits(front, special, lane);
    addConstant(net, when, value.constant, out);
    for (std::size_t b = 0; b < value.bits.size(); ++b)
      if (value.bits[b]) net.add(out[b], when & value.bits[b]);
  }
}

void addSources(Net& net, const Inputs& in, const Front& front, const Selector& s, const Bus& imm,
                const Bus& parameter, const Results& results, int lane, const Bus& out) {
  for (std::size_t i = 0; i < 32; ++i) {
    net.add(out[i], s.immediate & imm[std::min<std::size_t>(i, 15)]);
    net.add(out[i], in.exec & s.code[5] & parameter[i]);
    for (std::size_t j = 0; j < s.forward.size(); ++j)
      net.add(out[i], s.forward[j] & results.stages[j].result[lane][i]);
  }
  addSpecials(net, in, front, s, lane, out);
}

// The parameter that a, b or c names: at most one of them is a parameter, or they name the same.
Bus parameterIndex(Net& net, const Inputs& in, const std::array<Selector, 3>& s) {
  const Bus index = net.wires("parameter_index", 5);
  Gate earlier = in.exec;
  for (const Selector& operand : s) {
    addCopy(net, earlier & operand.code[5], std::span(operand.code).first(5), index);
    earlier &= !operand.code[5];
  }
  return index;
}

// A predicate by its guard code: none is true, p0-p3 stand in `row`, the others were forwarded.
void addGuard(Net& net, const Inputs& in, const Bus& code, Wire negate, const Bus& row, int slot,
              const Results& results, const LaneWire& out) {
  for (int l = 0; l < kMachine.lanes; ++l) {
    net.add(out[l], in.exec & spells(code, 0));
    const auto source = [&](const Gate& when, Wire predicate) {
      net.add(out[l], when & predicate & !negate);
      net.add(out[l], when & !predicate & negate);
    };
    for (unsigned p = 1; p <= kMachine.predicates; ++p) source(in.exec & spells(code, p), row[l]);
    for (int j = 0; j < slot; ++j)
      source(in.exec & spells(code, static_cast<unsigned>(1 + kMachine.predicates + j)),
             results.stages[j].predicate[l]);
  }
}

LaneWire laneFlags(Net& net, std::string_view name) {
  LaneWire out;
  std::ranges::copy(net.wires(name, kMachine.lanes), out.begin());
  return out;
}

LaneBus laneWords(Net& net, std::string_view name) {
  LaneBus out;
  for (int l = 0; l < kMachine.lanes; ++l)
    out[l] = net.wires(std::string(name) + std::to_string(l), 32);
  return out;
}

// Whether a guard's code names p0-p3.
Wire namesRow(Net& net, std::string_view name, const Inputs& in, const Bus& code) {
  const Wire out = net.wire(name);
  for (unsigned p = 1; p <= kMachine.predicates; ++p) net.add(out, in.exec & spells(code, p));
  return out;
}

}  // namespace

void readPredicate(Net& net, const Inputs& in, const Front& front, std::string_view name,
                   std::span<const Wire> row, const Gate& when, std::span<const Wire> out) {
  const auto withWarp = [&](std::span<const Wire> low) {
    Bus address(low.begin(), low.end());
    address.insert(address.end(), front.warp.begin(), front.warp.end());
    return address;
  };
  net.memory({.name = std::string(name),
              .rows = kMachine.warps * kMachine.predicates,
              .write = {.address = withWarp(in.predicate), .when = Gate(in.pred)},
              .read = {.address = withWarp(row), .when = when},
              .lanes = lanes(in.bits, out)});
}

Operands buildOperands(Net& net, const Inputs& in, const Front& front, const SlotBits& bits,
                       int slot, Mode ordinary, const Results& results) {
  const auto scope = net.scope("operands");
  const Bus guard = bits.field("guard"), aux = bits.field("aux"), imm = bits.field("imm");
  const Wire base_parameter = bits.flag("base_parameter");
  std::array<Selector, 3> s;
  {
    const auto decode = net.at(fetchLayer(slot));
    const char* const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
      const auto operand = net.scope(names[i]);
      s[i] = decodeSelector(net, in, bits.field(names[i]), slot);
    }
  }
  Bus index;
  Wire guard_row, second_row;
  {
    const auto decode = net.at(fetchLayer(slot));
    index = parameterIndex(net, in, s);
    guard_row = namesRow(net, "guard_row", in, guard);
    second_row = namesRow(net, "second_row", in, {aux.begin(), aux.begin() + 3});
  }
  const int layer = fetchLayer(slot) + 1;
  const auto at = net.at(layer);
  Operands out;
  {
    const auto words = net.within(slot == 0 ? Mode{} : ordinary);
    out.a = laneWords(net, "a");
    out.b = laneWords(net, "b");
    out.c = laneWords(net, "c");
  }
  {
    const auto words = net.within(ordinary);
    out.base = net.wires("base", 32);
  }
  out.guard = laneFlags(net, "guard");
  out.second = laneFlags(net, "second");
  const LaneBus* const words[] = {&out.a, &out.b, &out.c};
  const char* const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i) {
    const auto operand = net.scope(names[i]);
    readRegisters(net, in, front, s[i], *words[i]);
  }
  const Bus parameter = readParameter(net, in, front, "parameter", index, in.exec);
  const Bus base = readParameter(net, in, front, "base_parameter", aux, base_parameter);
  const Bus guard_bits = net.wires("guard_bits", kMachine.lanes);
  readPredicate(net, in, front, "guard_row", std::span(guard).first(2), Gate(guard_row),
                guard_bits);
  for (int l = 0; l < kMachine.lanes; ++l)
    for (int i = 0; i < 3; ++i)
      addSources(net, in, front, s[i], imm, parameter, results, l, (*words[i])[l]);
  for (std::size_t i = 0; i < 32; ++i) {
    net.add(out.base[i], base_parameter & base[i]);
    net.add(out.base[i], in.exec & !base_parameter & imm[std::min<std::size_t>(i, 15)]);
  }
  addGuard(net, in, guard, bits.flag("guard_not"), guard_bits, slot, results, out.guard);
  const auto next = net.at(layer + 1);
  const Bus second_bits = net.wires("second_bits", kMachine.lanes);
  readPredicate(net, in, front, "second_row", std::span(aux).first(2), Gate(second_row),
                second_bits);
  addGuard(net, in, {aux.begin(), aux.begin() + 3}, aux[3], second_bits, slot, results, out.second);
  return out;
}

}  // namespace qgpu::circuit::machine
