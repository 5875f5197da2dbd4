#include "fuzz/ptx/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/ptx/instructions.h"

namespace qgpu::fuzz::ptxlevel {
namespace {

using isatest::Random;

constexpr int kMostLoops = 3;

// The launch, and a body of instructions with branches, barriers and exchanges between lanes.
class Generator {
 public:
  explicit Generator(std::uint64_t number)
      : random_(Random(~number).next()), instructions_(random_, kernel_.features) {
    kernel_.number = number;
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
    if (l.grid.x > 1) note(Feature::SeveralBlocks);
    std::vector<std::int64_t> input, accumulators, output;
    for (int i = 0; i < Instructions::kInputs; ++i) input.push_back(random_.word());
    for (int i = 0; i < Instructions::kAccumulators; ++i)
      accumulators.push_back(random_.below(100));
    for (std::uint32_t i = 0; i < l.block.x * l.grid.x; ++i) output.push_back(random_.below(100));
    l.parameters = {arrayOf("in", input, launch::ElementType::Unsigned),
                    arrayOf("acc", accumulators, launch::ElementType::Unsigned),
                    arrayOf("out", output, launch::ElementType::Unsigned),
                    launch::scalarOf("n", static_cast<std::int32_t>(random_.word()))};
    instructions_.reduceBy(
        random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}));
  }
  int threads() const { return static_cast<int>(kernel_.launch.block.x); }

  std::string r() { return instructions_.r(); }
  std::string p() { return instructions_.p(); }
  void note(Feature f) { instructions_.note(f); }

  // `count` instructions, with branches from anywhere to anywhere among them.
  void stretch(int count) {
    // Before each instruction, and at the end.
    std::vector<Lines> before(static_cast<std::size_t>(count) + 1);
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
      if (n < count) append(instructions_.any());
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
      if (instructions_.wants(Feature::Vote, 50)) {
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
  PtxKernel kernel_;
  Instructions instructions_;
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
    "guard",   "branch", "loop",   "barrier",        "shuffle",      "vote",
    "atomic",  "memory", "wide",   "half",           "division",     "bit field",
    "permute", "carry",  "select", "several blocks", "wide division"};

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
