// The units that finish within five layers of their stage: adder, logic, shifter, bits.
#include "compiler/circuit/machine/stage.h"
#include "compiler/circuit/primitives/adder.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"
#include "compiler/circuit/primitives/shifter.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Compare;
using isa::Opcode;
using OperandForm = Decoder::Form;

struct AdderFlags {
  Wire active, subtracts, carry_one, carry_guard, sum;
  // The predicate is, or is not: equal; at least, signed; the carry.
  Wire equal, not_equal, at_least, less, carry, no_carry;
  Wire selects, min, max, minu, maxu;
};

AdderFlags decodeAdder(Stage& s) {
  const auto at = s.decoding();
  const auto scope = s.net.scope("adder");
  Decoder d = s.decoder();
  const Bus compare = s.bits.field("compare");
  const auto comparing = [&](std::string_view name, std::initializer_list<Opcode> set, Compare c) {
    return d.ops(name, set, OperandForm::Register, spells(compare, static_cast<unsigned>(c)));
  };
  const auto alsoCarry = [&](Wire flag, Compare c) {
    d.also(flag, {Opcode::Add, Opcode::Addc}, OperandForm::Register,
           spells(compare, static_cast<unsigned>(c)));
  };
  AdderFlags f;
  f.active = s.adds;
  f.subtracts = d.ops("subtracts",
                      {Opcode::Sub, Opcode::Subc, Opcode::Setp, Opcode::Min, Opcode::Max,
                       Opcode::Minu, Opcode::Maxu},
                      OperandForm::Register);
  f.carry_one =
      d.ops("carry_one",
            {Opcode::Sub, Opcode::Setp, Opcode::Min, Opcode::Max, Opcode::Minu, Opcode::Maxu},
            OperandForm::Register);
  f.carry_guard = d.ops("carry_guard", {Opcode::Addc, Opcode::Subc});
  f.sum =
      d.ops("sum", {Opcode::Add, Opcode::Addc, Opcode::Sub, Opcode::Subc}, OperandForm::Register);
  f.equal = comparing("equal", {Opcode::Sub, Opcode::Setp}, Compare::Eq);
  f.not_equal = comparing("not_equal", {Opcode::Sub, Opcode::Setp}, Compare::Ne);
  f.at_least = comparing("at_least", {Opcode::Sub, Opcode::Setp, Opcode::Subc}, Compare::Ge);
  f.less = comparing("less", {Opcode::Sub, Opcode::Setp, Opcode::Subc}, Compare::Lt);
  f.carry = comparing("carry", {Opcode::Sub, Opcode::Setp, Opcode::Subc}, Compare::Geu);
  f.no_carry = comparing("no_carry", {Opcode::Sub, Opcode::Setp, Opcode::Subc}, Compare::Ltu);
  alsoCarry(f.carry, Compare::Carry);
  alsoCarry(f.no_carry, Compare::NoCarry);
  f.selects = d.ops("selects", {Opcode::Min, Opcode::Max, Opcode::Minu, Opcode::Maxu},
                    OperandForm::Register);
  f.min = d.ops("min", {Opcode::Min}, OperandForm::Register);
  f.max = d.ops("max", {Opcode::Max}, OperandForm::Register);
  f.minu = d.ops("minu", {Opcode::Minu}, OperandForm::Register);
  f.maxu = d.ops("maxu", {Opcode::Maxu}, OperandForm::Register);
  return f;
}

// A flag, or its complement, of the sum.
void addFlags(Stage& s, const AdderFlags& f, const ByteSums& sums, Literal carry_in, Wire predicate,
              Wire pick) {
  Net& net = s.net;
  addComplement(net, sums, Gate(f.equal), predicate);
  net.add(predicate, Gate(f.not_equal));
  addComplement(net, sums, Gate(f.not_equal), predicate, -1);
  addSignedCarry(net, sums, Gate(f.at_least), carry_in, predicate);
  net.add(predicate, Gate(f.less));
  addSignedCarry(net, sums, Gate(f.less), carry_in, predicate, -1);
  addCarry(net, sums, Gate(f.carry), carry_in, predicate);
  net.add(predicate, Gate(f.no_carry));
  addCarry(net, sums, Gate(f.no_carry), carry_in, predicate, -1);
  // The larger is a where a is at least b; the smaller, where it is not.
  addSignedCarry(net, sums, Gate(f.max), carry_in, pick);
  addCarry(net, sums, Gate(f.maxu), carry_in, pick);
  net.add(pick, Gate(f.min));
  addSignedCarry(net, sums, Gate(f.min), carry_in, pick, -1);
  net.add(pick, Gate(f.minu));
  addCarry(net, sums, Gate(f.minu), carry_in, pick, -1);
}

}  // namespace

void buildAdder(Stage& s) {
  const AdderFlags f = decodeAdder(s);
  const auto scope = s.net.scope("adder");
  for (const Wire flag : {f.sum, f.selects, f.equal, f.not_equal, f.at_least, f.less, f.carry,
                          f.no_carry, f.min, f.max, f.minu, f.maxu})
    s.net.implies(flag, s.adder);
  s.net.implies(f.active, s.adder);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = s.net.scope("lane" + std::to_string(l));
    const Bus &a = s.operands.a[l], &b = s.operands.b[l];
    const Wire carry_in = s.net.wire("carry_in"), pick = s.net.wire("pick");
    {
      const auto at = s.net.at(s.layer(2));
      for (std::size_t i = 0; i < 32; ++i) {
        s.second[l].push_back(s.net.revise(b[i], "second", kFlag));
        s.net.add(s.second[l][i], Gate(f.subtracts), 1 - 2 * Form(b[i]));
      }
      s.net.add(carry_in, Gate(f.carry_one));
      s.net.add(carry_in, f.carry_guard & s.operands.guard[l]);
    }
    const auto mode = s.net.within(s.adder);
    ByteSums sums;
    {
      const auto at = s.net.at(s.layer(3));
      sums = sumBytes(s.net, Gate(f.active), a, s.second[l]);
    }
    const Bus other = s.net.wires("other", 32);
    {
      const auto at = s.net.at(s.layer(4));
      addSum(s.net, sums, f.sum & s.open[l], carry_in, s.out.result[l]);
      addFlags(s, f, sums, carry_in, s.predicate[l], pick);
      for (std::size_t i = 0; i < 32; ++i)
        s.net.add(other[i], f.selects & s.open[l] & !s.second[l][i]);
    }
    const auto at = s.net.at(s.layer(5));
    addCopy(s.net, f.selects & s.open[l] & pick, a, s.out.result[l]);
    addCopy(s.net, f.selects & !pick, other, s.out.result[l]);
  }
}

void buildLogic(Stage& s) {
  const auto scope = s.net.scope("logic");
  struct Flags {
    Wire active, left, right, both;
  };
  const auto decodeForm = [&](std::string_view name, OperandForm form) {
    const auto at = s.decoding();
    const auto inner = s.net.scope(name);
    Decoder d = s.decoder();
    const Flags f{d.ops("active", {Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Andn}, form),
                  d.ops("left", {Opcode::Or, Opcode::Xor, Opcode::Andn}, form),
                  d.ops("right", {Opcode::Or, Opcode::Xor}, form),
                  s.net.wire("both", integer(-2, 1))};
    d.also(f.both, {Opcode::And}, form, {}, 1);
    d.also(f.both, {Opcode::Or, Opcode::Andn}, form, {}, -1);
    d.also(f.both, {Opcode::Xor}, form, {}, -2);
    return f;
  };
  const auto build = [&](const Flags& f, const Bus& a, const Bus& b, int l) {
    addBitwise(s.net, f.active & s.open[l], {0, f.left, f.right, f.both}, a, b, s.out.result[l]);
  };
  const Flags reg = decodeForm("register", OperandForm::Register),
              mem = decodeForm("memory", OperandForm::Memory);
  Wire mov;
  {
    const auto at = s.decoding();
    mov = s.decoder().ops("mov", {Opcode::Mov}, OperandForm::Register);
  }
  const auto at = s.net.at(s.layer(4));
  for (int l = 0; l < kMachine.lanes; ++l) {
    build(reg, s.operands.a[l], s.second[l], l);
    build(mem, s.operands.a[l], s.loaded[l], l);
    addCopy(s.net, mov & s.open[l], s.second[l], s.out.result[l]);
  }
}

void buildShifter(Stage& s) {
  const auto scope = s.net.scope("shifter");
  Wire active, left, right, rotate, fill;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    active = s.shifts;
    left = d.ops("left", {Opcode::Shl});
    right = d.ops("right", {Opcode::Shr, Opcode::Sar});
    rotate = d.ops("rotate", {Opcode::Rotl});
    fill = d.ops("fill", {Opcode::Sar});
  }
  for (const Wire flag : {active, left, right, rotate, fill}) s.net.implies(flag, s.shifter);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = s.net.scope("lane" + std::to_string(l));
    const Bus& b = s.operands.b[l];
    Bus amount;
    ShiftOperation op;
    {
      const auto at = s.net.at(s.layer(2));
      const auto mode = s.net.within(s.shifter);
      amount = s.net.wires("amount", 5);
      for (std::size_t i = 0; i < amount.size(); ++i) {
        s.net.add(amount[i], active & !right & b[i]);
        s.net.add(amount[i], right & !b[i]);
      }
    }
    {
      const auto at = s.net.at(s.layer(3));
      const auto here = [&](std::string_view name, Wire flag) {
        return s.net.define(name, flag & s.open[l]);
      };
      op = {here("active", active), here("left", left), here("right", right),
            here("rotate", rotate), here("fill", fill)};
      for (const Wire flag : {op.active, op.left, op.right, op.rotate_left, op.sign_fill})
        s.net.implies(flag, s.shifter);
    }
    const auto mode = s.net.within(s.shifter);
    Shift shift;
    {
      const auto at = s.net.at(s.layer(4));
      shift = beginShift(s.net, op, s.operands.a[l], amount, std::span(s.second[l]).subspan(5));
    }
    const auto at = s.net.at(s.layer(5));
    addShift(s.net, shift, s.out.result[l]);
  }
}

void buildBits(Stage& s) {
  const auto scope = s.net.scope("bits");
  Wire popc, clz, brev, prmt;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    popc = d.ops("popc", {Opcode::Popc});
    clz = d.ops("clz", {Opcode::Clz});
    brev = d.ops("brev", {Opcode::Brev});
    prmt = d.ops("prmt", {Opcode::Prmt});
  }
  const auto at = s.net.at(s.layer(4));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Bus &a = s.operands.a[l], &b = s.second[l], &c = s.operands.c[l], &r = s.out.result[l];
    addBits(s.net, std::span(r).first(6), popc & s.open[l], count(a));
    Gate zeros = clz & s.open[l];
    for (std::size_t i = 32; i-- > 0;) {
      addConstant(s.net, zeros & a[i], 31 - i, r);
      zeros &= Gate(!a[i]);
      s.net.add(r[31 - i], brev & s.open[l] & a[i]);
    }
    addConstant(s.net, zeros, 32, r);
    for (std::size_t byte = 0; byte < 4; ++byte)
      for (unsigned from = 0; from < 8; ++from) {
        const auto nibble = std::span(c).subspan(4 * byte, 4);
        const auto source = std::span(from < 4 ? a : b).subspan(std::size_t{8} * (from & 3), 8);
        const Gate chosen = prmt & s.open[l] & spells(nibble.first(3), from);
        const auto target = std::span(r).subspan(8 * byte, 8);
        addCopy(s.net, chosen & !nibble[3], source, target);
        addConstant(s.net, chosen & nibble[3] & source[7], 255, target);
      }
  }
}

}  // namespace qgpu::circuit::machine
