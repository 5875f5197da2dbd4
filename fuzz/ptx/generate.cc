#include "fuzz/ptx/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interpreter/testing/random.h"

namespace qgpu::fuzz::ptxlevel {
namespace {

using isatest::Random;
using Lines = std::vector<std::string>;

// The pattern with its {} replaced in order. A list is evaluated from left to right, the arguments
// of a function in any order: what draws random numbers must stand in a list.
struct Part {
  template <typename T>
  Part(const T& value) : text(fmt::format("{}", value)) {}
  std::string text;
};
std::string text(std::string_view pattern, std::initializer_list<Part> parts) {
  std::string result;
  for (const Part& part : parts) {
    const std::size_t hole = pattern.find("{}");
    result += std::string(pattern.substr(0, hole)) + part.text;
    pattern.remove_prefix(hole + 2);
  }
  return result + std::string(pattern);
}

constexpr int kWords = 5, kPairs = 2, kHalves = 2, kPredicates = 3;  // that hold values
constexpr int kInputs = 16, kAccumulators = 4;
constexpr int kMostLoops = 3;

class Generator {
 public:
  explicit Generator(std::uint64_t number) : random_(Random(~number).next()) {
    kernel_.number = number;
    palette_ = static_cast<std::uint32_t>(random_.next());
  }

  PtxKernel run() {
    launch();
    const int stretches = random_.between(1, 3);
    for (int n = 0; n < stretches; ++n) {
      if (n > 0) collective();
      stretch(random_.between(3, 14 / stretches));
    }
    return std::move(kernel_);
  }

 private:
  void launch() {
    launch::Launch& l = kernel_.launch;
    l.name = l.entry = fmt::format("k{}", kernel_.number);
    l.kernel = l.entry + ".ptx";
    constexpr std::array<std::uint32_t, 8> kThreads = {1, 3, 4, 4, 6, 8, 12, 16};
    l.block.x = random_.pick(kThreads);
    l.grid.x = random_.chance(40) ? static_cast<std::uint32_t>(random_.between(2, 3)) : 1;
    note(Feature::SeveralBlocks, l.grid.x > 1);
    std::vector<std::int64_t> input, accumulators, output;
    for (int i = 0; i < kInputs; ++i) input.push_back(random_.word());
    for (int i = 0; i < kAccumulators; ++i) accumulators.push_back(random_.below(100));
    for (std::uint32_t i = 0; i < l.block.x * l.grid.x; ++i) output.push_back(random_.below(100));
    l.parameters = {arrayOf("in", input, launch::ElementType::Unsigned),
                    arrayOf("acc", accumulators, launch::ElementType::Unsigned),
                    arrayOf("out", output, launch::ElementType::Unsigned),
                    launch::scalarOf("n", static_cast<std::int32_t>(random_.word()))};
    red_ = random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"});
  }
  int threads() const { return static_cast<int>(kernel_.launch.block.x); }

  void note(Feature f, bool seen = true) {
    if (seen) kernel_.features.set(static_cast<std::size_t>(f));
  }
  // Each kernel leaves out about half of the families: that mixes the others more.
  bool wants(Feature f, int percent) {
    return (palette_ >> static_cast<int>(f) & 1) != 0 && random_.chance(percent);
  }

  // ---- operands --------------------------------------------------------------------------------

  std::string r() { return text("%r{}", {random_.below(kWords)}); }
  std::string d() { return text("%d{}", {random_.below(kPairs)}); }
  std::string h() { return text("%h{}", {random_.below(kHalves)}); }
  std::string p() { return text("%p{}", {random_.below(kPredicates)}); }
  std::string immediate() {
    const std::uint32_t word = random_.chance(60) ? random_.below(40) : random_.word();
    return random_.chance(50) ? text("{}", {static_cast<std::int32_t>(word)}) : text("{}", {word});
  }
  std::string ri() { return random_.chance(30) ? immediate() : r(); }
  std::string small() { return random_.chance(70) ? text("{}", {random_.below(40)}) : r(); }
  std::string su() { return random_.chance(50) ? "s" : "u"; }
  std::string relation(bool is_signed) {
    constexpr std::array kSigned = {"eq", "ne", "lt", "le", "gt", "ge"};
    constexpr std::array kUnsigned = {"eq", "ne", "lo", "ls", "hi", "hs", "lt", "ge"};
    return is_signed ? random_.pick(kSigned) : random_.pick(kUnsigned);
  }

  // ---- instructions ----------------------------------------------------------------------------

  std::string arithmetic() {
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

  std::string logic() {
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

  std::string bits() {
    note(Feature::BitField);
    switch (random_.below(6)) {
      case 0: return text("popc.b32 {}, {};", {r(), r()});
      case 1: return text("clz.b32 {}, {};", {r(), r()});
      case 2:
        return text("bfind{}.{}32 {}, {};", {random_.pick({"", ".shiftamt"}), su(), r(), r()});
      case 3: return text("brev.b32 {}, {};", {r(), r()});
      case 4: return text("bfe.{}32 {}, {}, {}, {};", {su(), r(), r(), small(), small()});
      default: return text("bfi.b32 {}, {}, {}, {}, {};", {r(), r(), r(), small(), small()});
    }
  }

  std::string permutation() {
    note(Feature::Permute);
    if (random_.chance(50))
      return text("prmt.b32 {}, {}, {}, {};", {r(), r(), r(), random_.below(65536)});
    return text("prmt.b32.{} {}, {}, {}, {};",
                {random_.pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}), r(), r(), r(),
                 random_.chance(60) ? fmt::format("{}", random_.below(4)) : r()});
  }

  std::string choice() {
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

  std::string predicate() {
    if (random_.chance(25)) return text("not.pred {}, {};", {p(), p()});
    return text("{}.pred {}, {}, {};", {random_.pick({"and", "or", "xor"}), p(), p(), p()});
  }

  std::string wide() {
    note(Feature::Wide);
    const std::string t = su();
    switch (random_.below(11)) {
      case 0: return text("mul.wide.{}32 {}, {}, {};", {t, d(), r(), r()});
      case 1: return text("mad.wide.{}32 {}, {}, {}, {};", {t, d(), r(), r(), d()});
      case 2: return text("{}.{}64 {}, {}, {};", {random_.pick({"add", "sub"}), t, d(), d(), d()});
      case 3:
        return text("{}.b64 {}, {}, {};", {random_.pick({"and", "or", "xor"}), d(), d(), d()});
      case 4: return text("shl.b64 {}, {}, {};", {d(), d(), random_.below(70)});
      case 5: return text("shr.{}64 {}, {}, {};", {t, d(), d(), random_.below(70)});
      case 6: return text("cvt.{}64.{}32 {}, {};", {t, su(), d(), r()});
      case 7: return text("cvt.u32.u64 {}, {};", {r(), d()});
      case 8: return text("mov.b64 {}, {{}, {}};", {d(), r(), r()});
      case 9: return text("mov.b64 {%r0, %r{}}, {};", {random_.between(1, kWords - 1), d()});
      default: return text("setp.{}.{}64 {}, {}, {};", {relation(t == "s"), t, p(), d(), d()});
    }
  }

  std::string half() {
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

  Lines division() {
    note(Feature::Division);
    const bool is_signed = random_.chance(50);
    const char* const op = random_.pick({"div", "rem"});
    // A signed divisor is positive: -1 has quotients that PTX does not define.
    const std::string made =
        is_signed ? text("and.b32 %t0, {}, 65535;", {r()}) : text("mov.b32 %t0, {};", {r()});
    return {made, "or.b32 %t0, %t0, 1;",
            text("{}.{}32 {}, {}, %t0;", {op, is_signed ? "s" : "u", r(), r()})};
  }

  Lines carry() {
    note(Feature::Carry);
    const std::string op = random_.pick({"add", "sub"});
    return {text("{}.cc.u32 {}, {}, {};", {op, r(), r(), r()}),
            text("{}c.u32 {}, {}, {};", {op, r(), r(), ri()})};
  }

  Lines load() {
    note(Feature::Memory);
    constexpr std::array<std::string_view, 5> kTypes = {"u32", "u8", "s8", "u16", "s16"};
    const std::string_view type = random_.chance(50) ? "u32" : random_.pick(kTypes);
    const int size = type == "u32" ? 4 : type.ends_with("8") ? 1 : 2;
    return {text("and.b32 %t0, {}, {};", {r(), kInputs * 4 - size}), "mul.wide.u32 %a4, %t0, 1;",
            "add.s64 %a4, %a0, %a4;", text("ld.global.{} {}, [%a4];", {type, r()})};
  }

  Lines atomic() {
    note(Feature::Atomic);
    if (random_.chance(50))
      return {text("and.b32 %t0, {}, {};", {r(), 4 * (kAccumulators - 1)}),
              "mul.wide.u32 %a4, %t0, 1;", "add.s64 %a4, %a1, %a4;",
              text("red.global.{} [%a4], {};", {red_, r()})};
    if (random_.chance(25))
      return {text("atom.global.cas.b32 {}, [%a3], {}, {};", {r(), r(), ri()})};
    return {text("atom.global.{} {}, [%a3], {};",
                 {random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
                                "exch.b32", "inc.u32", "dec.u32"}),
                  r(), ri()})};
  }

  Lines instruction() {
    if (wants(Feature::Division, 10)) return division();
    if (wants(Feature::Carry, 10)) return carry();
    if (wants(Feature::Atomic, 12)) return atomic();
    if (wants(Feature::Memory, 12)) return load();
    if (random_.chance(4)) return {text("st.global.u32 [%a3], {};", {r()})};
    return {guard() + simple()};
  }
  std::string simple() {
    if (wants(Feature::Wide, 30)) return wide();
    if (wants(Feature::Half, 20)) return half();
    if (wants(Feature::BitField, 25)) return bits();
    if (wants(Feature::Permute, 15)) return permutation();
    if (random_.chance(22)) return choice();
    if (random_.chance(5)) return predicate();
    return random_.chance(55) ? arithmetic() : logic();
  }
  std::string guard() {
    if (!wants(Feature::Guard, 40)) return "";
    note(Feature::Guard);
    return text("@{}{} ", {random_.pick({"", "!"}), p()});
  }

  // ---- control flow ----------------------------------------------------------------------------

  // `count` instructions, with branches from anywhere to anywhere among them.
  void stretch(int count) {
    std::vector<Lines> before(static_cast<std::size_t>(count) +
                              1);  // each instruction, and the end
    const auto at = [&](int place) -> Lines& { return before[static_cast<std::size_t>(place)]; };
    for (int n = random_.below(4); n > 0; --n) {
      const int from = random_.below(count), to = random_.between(from + 1, count);
      note(Feature::Branch);
      const std::string l = label();
      at(to).insert(at(to).begin(), l + ":");
      at(from).push_back(text("@{}{} bra {};", {random_.pick({"", "!"}), p(), l}));
    }
    for (int n = random_.below(3); n > 0 && loops_ < kMostLoops; --n) {
      const int to = random_.below(count), from = random_.between(to + 1, count);
      note(Feature::Loop);
      const std::string l = label();
      at(to).insert(at(to).begin(), l + ":");
      for (const std::string& line : branchBack(l)) at(from).push_back(line);
    }
    for (int n = 0; n <= count; ++n) {
      append(at(n));
      if (n < count) append(instruction());
    }
  }

  // Taken a few times at most, and only where a predicate says so.
  Lines branchBack(const std::string& l) {
    const int counter = loops_++;
    return {text("add.u32 %c{}, %c{}, 1;", {counter, counter}),
            text("setp.lt.and.u32 %q1, %c{}, {}, {};", {counter, random_.between(2, 5), p()}),
            text("@%q1 bra {};", {l})};
  }

  void collective() {
    if (threads() % 4 == 0 && random_.chance(60)) {
      if (wants(Feature::Vote, 50)) {
        note(Feature::Vote);
        if (random_.chance(40))
          return append({text("vote.sync.ballot.b32 {}, {}, -1;", {r(), p()})});
        return append({text("vote.sync.{}.pred {}, {}, -1;",
                            {random_.pick({"all", "any", "uni"}), p(), p()})});
      }
      note(Feature::Shuffle);
      const char* const mode = random_.pick({"up", "down", "bfly", "idx"});
      const int width = random_.chance(75) ? 4 : 2;
      const int c = (32 - width) << 8 | (mode == std::string("up") ? 0 : 31);
      append({text("and.b32 %t0, {}, 3;", {r()})});
      return append(
          {random_.chance(50)
               ? text("shfl.sync.{}.b32 {}|{}, {}, %t0, {}, -1;", {mode, r(), p(), r(), c})
               : text("shfl.sync.{}.b32 {}, {}, %t0, {}, -1;", {mode, r(), r(), c})});
    }
    note(Feature::Barrier);
    append({"mov.u32 %t1, s;", "mov.u32 %t2, %tid.x;", "mad.lo.u32 %t2, %t2, 4, %t1;",
            text("st.shared.u32 [%t2], {};", {r()}), "bar.sync 0;",
            text("rem.u32 %t0, {}, {};", {r(), threads()}), "mad.lo.u32 %t2, %t0, 4, %t1;",
            text("ld.shared.u32 {}, [%t2];", {r()}), "bar.sync 0;"});
  }

  std::string label() { return fmt::format("L{}", labels_++); }
  void append(const Lines& lines) {
    kernel_.body.insert(kernel_.body.end(), lines.begin(), lines.end());
  }

  Random random_;
  std::uint32_t palette_ = 0;
  PtxKernel kernel_;
  std::string red_;
  int labels_ = 0, loops_ = 0;
};

constexpr std::string_view kStart =
    "  .reg .b32 %r<5>, %t<4>, %c<3>, %g;\n"
    "  .reg .b64 %d<2>, %a<5>;\n"
    "  .reg .b16 %h<2>;\n"
    "  .reg .pred %p<3>, %q<2>;\n"
    "  ld.param.u64 %a0, [in];\n"
    "  ld.param.u64 %a1, [acc];\n"
    "  ld.param.u64 %a2, [out];\n"
    "  mov.u32 %r0, %tid.x;\n"
    "  mov.u32 %t0, %ntid.x;\n"
    "  mov.u32 %t1, %ctaid.x;\n"
    "  mad.lo.u32 %g, %t1, %t0, %r0;\n"
    "  mul.wide.u32 %a3, %g, 4;\n"
    "  add.s64 %a3, %a2, %a3;\n"
    "  and.b32 %t0, %g, 15;\n"
    "  mul.wide.u32 %a4, %t0, 4;\n"
    "  add.s64 %a4, %a0, %a4;\n"
    "  ld.global.u32 %r1, [%a4];\n"
    "  ld.global.u32 %r2, [%a0+20];\n"
    "  ld.param.u32 %r3, [n];\n"
    "  add.u32 %r4, %r1, %g;\n"
    "  mul.wide.s32 %d0, %r1, %r4;\n"
    "  cvt.u64.u32 %d1, %r2;\n"
    "  cvt.u16.u32 %h0, %r1;\n"
    "  cvt.u16.u32 %h1, %r3;\n"
    "  setp.lt.s32 %p0, %r1, %r2;\n"
    "  setp.eq.u32 %p1, %r0, 1;\n"
    "  setp.ge.u32 %p2, %g, 3;\n"
    "  mov.u32 %c0, 0;\n"
    "  mov.u32 %c1, 0;\n"
    "  mov.u32 %c2, 0;\n";

constexpr std::string_view kEnd =
    "  mad.lo.u32 %r0, %r0, 3, %r1;\n"
    "  mad.lo.u32 %r0, %r0, 5, %r2;\n"
    "  mad.lo.u32 %r0, %r0, 7, %r3;\n"
    "  xor.b32 %r0, %r0, %r4;\n"
    "  xor.b64 %d0, %d0, %d1;\n"
    "  mov.b64 {%t0, %t1}, %d0;\n"
    "  add.u32 %r0, %r0, %t0;\n"
    "  xor.b32 %r0, %r0, %t1;\n"
    "  add.u16 %h0, %h0, %h1;\n"
    "  cvt.u32.u16 %t0, %h0;\n"
    "  add.u32 %r0, %r0, %t0;\n"
    "  xor.pred %p0, %p0, %p1;\n"
    "  xor.pred %p0, %p0, %p2;\n"
    "  selp.u32 %t0, 77, 0, %p0;\n"
    "  xor.b32 %r0, %r0, %t0;\n"
    "  st.global.u32 [%a3], %r0;\n"
    "  ret;\n";

constexpr std::array<std::string_view, kFeatures> kNames = {
    "guard", "branch", "loop",     "barrier",   "shuffle", "vote",  "atomic", "memory",
    "wide",  "half",   "division", "bit field", "permute", "carry", "select", "several blocks"};

}  // namespace

std::string_view name(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::string PtxKernel::text() const {
  std::string lines;
  for (const std::string& line : body) lines += (line.ends_with(':') ? "" : "  ") + line + "\n";
  return fmt::format(
      ".version 7.8\n.target sm_75\n.address_size 64\n\n"
      ".visible .entry {}(.param .u64 in, .param .u64 acc, .param .u64 out, .param .u32 n)\n{{\n"
      "  .shared .align 4 .b8 s[{}];\n{}\n{}\n{}}}\n",
      launch.entry, 4 * launch.block.x, kStart, lines, kEnd);
}

PtxKernel generatePtx(std::uint64_t number) { return Generator(number).run(); }

}  // namespace qgpu::fuzz::ptxlevel
