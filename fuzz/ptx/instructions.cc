#include "fuzz/ptx/instructions.h"

#include <array>

namespace qgpu::fuzz::ptxlevel {
namespace {

constexpr int kWords = 5, kPairs = 2, kHalves = 2, kPredicates = 3;  // registers that hold values

}  // namespace

std::string text(std::string_view pattern, std::initializer_list<Part> parts) {
  std::string result;
  for (const Part& part : parts) {
    const std::size_t hole = pattern.find("{}");
    result += std::string(pattern.substr(0, hole)) + part.text;
    pattern.remove_prefix(hole + 2);
  }
  return result + std::string(pattern);
}

Instructions::Instructions(isatest::Random& random, std::bitset<kFeatures>& features)
    : random_(random), features_(features), palette_(static_cast<std::uint32_t>(random.next())) {}

void Instructions::note(Feature f) { features_.set(static_cast<std::size_t>(f)); }

bool Instructions::wants(Feature f, int percent) {
  return (palette_ >> static_cast<int>(f) & 1) != 0 && random_.chance(percent);
}

// ---- operands --------------------------------------------------------------------------------

std::string Instructions::r() { return text("%r{}", {random_.below(kWords)}); }
std::string Instructions::d() { return text("%d{}", {random_.below(kPairs)}); }
std::string Instructions::h() { return text("%h{}", {random_.below(kHalves)}); }
std::string Instructions::p() { return text("%p{}", {random_.below(kPredicates)}); }
std::string Instructions::immediate() {
  const std::uint32_t word = random_.chance(60) ? random_.below(40) : random_.word();
  return random_.chance(50) ? text("{}", {static_cast<std::int32_t>(word)}) : text("{}", {word});
}

std::string Instructions::ri() { return random_.chance(30) ? immediate() : r(); }
std::string Instructions::small() {
  return random_.chance(70) ? text("{}", {random_.below(40)}) : r();
}
std::string Instructions::su() { return random_.chance(50) ? "s" : "u"; }
std::string Instructions::relation(bool is_signed) {
  constexpr std::array kSigned = {"eq", "ne", "lt", "le", "gt", "ge"};
  constexpr std::array kUnsigned = {"eq", "ne", "lo", "ls", "hi", "hs", "lt", "ge"};
  return is_signed ? random_.pick(kSigned) : random_.pick(kUnsigned);
}

// ---- instructions ----------------------------------------------------------------------------

std::string Instructions::arithmetic() {
  const std::string t = su() + "32";
  switch (random_.below(14)) {
    case 0: return text("add.{} {}, {}, {};", {t, r(), r(), ri()});
    case 1: return text("sub.{} {}, {}, {};", {t, r(), r(), ri()});
    case 2: return text("mul.lo.{} {}, {}, {};", {t, r(), r(), ri()});
    case 3: return text("mul.hi.{} {}, {}, {};", {t, r(), r(), ri()});
    case 4: return text("mad.lo.{} {}, {}, {}, {};", {t, r(), r(), ri(), r()});
    case 5: return text("mad.hi.{} {}, {}, {}, {};", {t, r(), r(), r(), ri()});
    case 6: return text("min.{} {}, {}, {};", {t, r(), r(), ri()});
    case 7: return text("max.{} {}, {}, {};", {t, r(), r(), ri()});
    case 8: return text("abs.s32 {}, {};", {r(), r()});
    case 9: return text("neg.s32 {}, {};", {r(), r()});
    case 10: return text("sad.{} {}, {}, {}, {};", {t, r(), r(), r(), ri()});
    case 11: return text("mul24.lo.{} {}, {}, {};", {t, r(), r(), ri()});
    case 12: return text("dp4a.{}.{} {}, {}, {}, {};", {t, t, r(), r(), r(), r()});
    default: return text("{}.sat.s32 {}, {}, {};", {random_.pick({"add", "sub"}), r(), r(), r()});
  }
}

std::string Instructions::logic() {
  switch (random_.below(8)) {
    case 0: return text("and.b32 {}, {}, {};", {r(), r(), ri()});
    case 1: return text("or.b32 {}, {}, {};", {r(), r(), ri()});
    case 2: return text("xor.b32 {}, {}, {};", {r(), r(), ri()});
    case 3: return text("{}.b32 {}, {};", {random_.pick({"not", "cnot"}), r(), r()});
    case 4: return text("lop3.b32 {}, {}, {}, {}, {};", {r(), r(), r(), r(), random_.below(256)});
    case 5: return text("shl.b32 {}, {}, {};", {r(), r(), small()});
    case 6: return text("shr.{}32 {}, {}, {};", {su(), r(), r(), small()});
    default:
      return text(
          "shf.{}.{}.b32 {}, {}, {}, {};",
          {random_.pick({"l", "r"}), random_.pick({"wrap", "clamp"}), r(), r(), r(), small()});
  }
}

std::string Instructions::bits() {
  note(Feature::BitField);
  switch (random_.below(6)) {
    case 0: return text("popc.b32 {}, {};", {r(), r()});
    case 1: return text("clz.b32 {}, {};", {r(), r()});
    case 2: return text("bfind{}.{}32 {}, {};", {random_.pick({"", ".shiftamt"}), su(), r(), r()});
    case 3: return text("brev.b32 {}, {};", {r(), r()});
    case 4: return text("bfe.{}32 {}, {}, {}, {};", {su(), r(), r(), small(), small()});
    default: return text("bfi.b32 {}, {}, {}, {}, {};", {r(), r(), r(), small(), small()});
  }
}

std::string Instructions::permutation() {
  note(Feature::Permute);
  if (random_.chance(50))
    return text("prmt.b32 {}, {}, {}, {};", {r(), r(), r(), random_.below(65536)});
  return text("prmt.b32.{} {}, {}, {}, {};",
              {random_.pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}), r(), r(), r(),
               random_.chance(60) ? fmt::format("{}", random_.below(4)) : r()});
}

std::string Instructions::choice() {
  note(Feature::Select);
  const bool is_signed = random_.chance(50);
  const std::string test = relation(is_signed);
  const char* const t = is_signed ? "s32" : "u32";
  switch (random_.below(6)) {
    case 0:
    case 1: return text("setp.{}.{} {}, {}, {};", {test, t, p(), r(), ri()});
    case 2:
      return text("setp.{}.{}.{} {}|%q0, {}, {}, {}{};",
                  {test, random_.pick({"and", "or", "xor"}), t, p(), r(), ri(),
                   random_.pick({"", "!"}), p()});
    case 3: return text("selp.b32 {}, {}, {}, {};", {r(), r(), ri(), p()});
    case 4: return text("slct.u32.s32 {}, {}, {}, {};", {r(), r(), ri(), r()});
    default: return text("set.{}.u32.{} {}, {}, {};", {test, t, r(), r(), ri()});
  }
}

std::string Instructions::predicate() {
  if (random_.chance(25)) return text("not.pred {}, {};", {p(), p()});
  return text("{}.pred {}, {}, {};", {random_.pick({"and", "or", "xor"}), p(), p(), p()});
}

std::string Instructions::wide() {
  note(Feature::Wide);
  const std::string t = su();
  switch (random_.below(11)) {
    case 0: return text("mul.wide.{}32 {}, {}, {};", {t, d(), r(), r()});
    case 1: return text("mad.wide.{}32 {}, {}, {}, {};", {t, d(), r(), r(), d()});
    case 2: return text("{}.{}64 {}, {}, {};", {random_.pick({"add", "sub"}), t, d(), d(), d()});
    case 3: return text("{}.b64 {}, {}, {};", {random_.pick({"and", "or", "xor"}), d(), d(), d()});
    case 4: return text("shl.b64 {}, {}, {};", {d(), d(), random_.below(70)});
    case 5: return text("shr.{}64 {}, {}, {};", {t, d(), d(), random_.below(70)});
    case 6: return text("cvt.{}64.{}32 {}, {};", {t, su(), d(), r()});
    case 7: return text("cvt.u32.u64 {}, {};", {r(), d()});
    case 8: return text("mov.b64 {}, {{}, {}};", {d(), r(), r()});
    case 9: return text("mov.b64 {%r0, %r{}}, {};", {random_.between(1, kWords - 1), d()});
    default: return text("setp.{}.{}64 {}, {}, {};", {relation(t == "s"), t, p(), d(), d()});
  }
}

std::string Instructions::half() {
  note(Feature::Half);
  const std::string t = su();
  switch (random_.below(7)) {
    case 0:
      return text("{}.{}16 {}, {}, {};",
                  {random_.pick({"add", "sub", "mul.lo", "min", "max"}), t, h(), h(), h()});
    case 1: return text("cvt.u16.u32 {}, {};", {h(), r()});
    case 2: return text("cvt.{}32.{}16 {}, {};", {su(), t, r(), h()});
    case 3: return text("cvt.{}32.{}8 {}, {};", {su(), t, r(), r()});
    case 4: return text("shr.{}16 {}, {}, {};", {t, h(), h(), random_.below(18)});
    case 5: return text("mul.wide.{}16 {}, {}, {};", {t, r(), h(), h()});
    default: return text("setp.{}.{}16 {}, {}, {};", {relation(t == "s"), t, p(), h(), h()});
  }
}

Lines Instructions::division() {
  note(Feature::Division);
  if (wants(Feature::Wide, 30)) return wideDivision();
  const bool is_signed = random_.chance(50);
  const char* const op = random_.pick({"div", "rem"});
  // A signed divisor is positive: -1 has quotients that PTX does not define.
  const std::string made =
      is_signed ? text("and.b32 %t0, {}, 65535;", {r()}) : text("mov.b32 %t0, {};", {r()});
  return {made, "or.b32 %t0, %t0, 1;",
          text("{}.{}32 {}, {}, %t0;", {op, is_signed ? "s" : "u", r(), r()})};
}

Lines Instructions::wideDivision() {
  note(Feature::WideDivision);
  const bool is_signed = random_.chance(50);
  const std::string by = d();
  const std::string made =
      is_signed ? text("and.b64 %a4, {}, 281474976710655;", {by}) : text("mov.b64 %a4, {};", {by});
  return {made, "or.b64 %a4, %a4, 1;",
          text("{}.{}64 {}, {}, %a4;",
               {random_.pick({"div", "rem"}), is_signed ? "s" : "u", d(), d()})};
}

Lines Instructions::carry() {
  note(Feature::Carry);
  const std::string op = random_.pick({"add", "sub"});
  return {text("{}.cc.u32 {}, {}, {};", {op, r(), r(), r()}),
          text("{}c.u32 {}, {}, {};", {op, r(), r(), ri()})};
}

Lines Instructions::load() {
  note(Feature::Memory);
  constexpr std::array<std::string_view, 5> kTypes = {"u32", "u8", "s8", "u16", "s16"};
  const std::string_view type = random_.chance(50) ? "u32" : random_.pick(kTypes);
  const int size = type == "u32" ? 4 : type.ends_with("8") ? 1 : 2;
  return {text("and.b32 %t0, {}, {};", {r(), kInputs * 4 - size}), "mul.wide.u32 %a4, %t0, 1;",
          "add.s64 %a4, %a0, %a4;", text("ld.global.{} {}, [%a4];", {type, r()})};
}

Lines Instructions::atomic() {
  note(Feature::Atomic);
  if (random_.chance(50))
    return {text("and.b32 %t0, {}, {};", {r(), 4 * (kAccumulators - 1)}),
            "mul.wide.u32 %a4, %t0, 1;", "add.s64 %a4, %a1, %a4;",
            text("red.global.{} [%a4], {};", {red_, r()})};
  if (random_.chance(25)) return {text("atom.global.cas.b32 {}, [%a3], {}, {};", {r(), r(), ri()})};
  return {text("atom.global.{} {}, [%a3], {};",
               {random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
                              "exch.b32", "inc.u32", "dec.u32"}),
                r(), ri()})};
}

Lines Instructions::any() {
  if (wants(Feature::Division, 10)) return division();
  if (wants(Feature::Carry, 10)) return carry();
  if (wants(Feature::Atomic, 12)) return atomic();
  if (wants(Feature::Memory, 12)) return load();
  if (random_.chance(4)) return {text("st.global.u32 [%a3], {};", {r()})};
  return {guard() + simple()};
}

std::string Instructions::simple() {
  if (wants(Feature::Wide, 30)) return wide();
  if (wants(Feature::Half, 20)) return half();
  if (wants(Feature::BitField, 25)) return bits();
  if (wants(Feature::Permute, 15)) return permutation();
  if (random_.chance(22)) return choice();
  if (random_.chance(5)) return predicate();
  return random_.chance(55) ? arithmetic() : logic();
}

std::string Instructions::guard() {
  if (!wants(Feature::Guard, 40)) return "";
  note(Feature::Guard);
  return text("@{}{} ", {random_.pick({"", "!"}), p()});
}

}  // namespace qgpu::fuzz::ptxlevel
