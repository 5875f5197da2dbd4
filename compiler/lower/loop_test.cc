// Loop variables that change places, and old values that are wanted behind the loop: where leaving
// static single assignment goes wrong. Expected values are the C++ next to each kernel.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using testing::kernelText;
using testing::lowerPtx;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

constexpr std::uint32_t kThreads = 4;

// A kernel over one array: thread t leaves its result in word t.
PtxLaunch loop(std::string_view body) {
  return {.ptx = kernelText(1, 0,
                            "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                            "add.s64 %w1, %p0, %w0;\n" +
                                std::string(body)),
          .arrays = {Words(kThreads, 0)}};
}

// The loop's head is the kernel's first block, so that two ways lead there: the launch and the
// branch.
TEST(LoopTest, FromTheFirstInstruction) {
  PtxLaunch launch = loop("");
  const std::size_t at = launch.ptx.find("ld.param");
  launch.ptx.replace(at, std::string::npos, R"(again:
      ld.param.u64 %p0, [p0];
      atom.global.add.u32 %a0, [%p0], 1;
      setp.lt.u32 %q0, %a0, 5;
      @%q0 bra again;
      ret;
    })");
  launch.arrays = {Words{0}};
  launch.block = {1, 1, 1};
  EXPECT_EQ(runPtx(launch)->front(), Words{6});
}

// The swap problem: a, b = b, a + b, and a is the result.
TEST(LoopTest, Rotation) {
  expectFor(loop(R"(
      mov.u32 %a1, 0;
      mov.u32 %a2, 1;
      mov.u32 %a3, %a0;
    again:
      setp.eq.u32 %q0, %a3, 0;
      @%q0 bra done;
      add.u32 %a4, %a1, %a2;
      mov.u32 %a1, %a2;
      mov.u32 %a2, %a4;
      sub.u32 %a3, %a3, 1;
      bra again;
    done:
      st.global.u32 [%w1], %a1;)"),
            [](std::uint32_t t) {
              std::uint32_t a = 0, b = 1;
              for (; t != 0; --t) a = std::exchange(b, a + b);
              return a;
            });
}

// The test stands at the end, and both old values are wanted where it fails.
TEST(LoopTest, RotationOfOldValues) {
  expectFor(loop(R"(
      mov.u32 %a1, 3;
      mov.u32 %a2, 5;
      mov.u32 %a3, 0;
    again:
      mov.u32 %a5, %a1;
      mov.u32 %a6, %a2;
      add.u32 %a4, %a1, %a2;
      mov.u32 %a1, %a2;
      mov.u32 %a2, %a4;
      add.u32 %a3, %a3, 1;
      setp.le.u32 %q0, %a3, %a0;
      @%q0 bra again;
      mad.lo.u32 %a7, %a5, 1000, %a6;
      st.global.u32 [%w1], %a7;)"),
            [](std::uint32_t t) {
              std::uint32_t a = 3, b = 5, old_a = 0, old_b = 0;
              for (std::uint32_t i = 0; i <= t; ++i) {
                old_a = a, old_b = b;
                a = std::exchange(b, a + b);
              }
              return old_a * 1000 + old_b;
            });
}

// Digits 1 to n that change places in t + 1 rounds: a1 = a2, a2 = a3 ... an = a1.
PtxLaunch cycleOf(int n) {
  std::string body;
  for (int i = 1; i <= n; ++i) body += fmt::format("mov.u32 %a{0}, {0};\n", i);
  body += "mov.u32 %a8, 0;\nagain:\nmov.u32 %a9, %a1;\n";
  for (int i = 1; i < n; ++i) body += fmt::format("mov.u32 %a{}, %a{};\n", i, i + 1);
  body += fmt::format("mov.u32 %a{}, %a9;\n", n);
  body += "add.u32 %a8, %a8, 1;\nsetp.le.u32 %q0, %a8, %a0;\n@%q0 bra again;\nmov.u32 %a9, 0;\n";
  for (int i = 1; i <= n; ++i) body += fmt::format("mad.lo.u32 %a9, %a9, 10, %a{};\n", i);
  return loop(body + "st.global.u32 [%w1], %a9;");
}

// Two are a swap; six at once are more than one block can turn round.
TEST(LoopTest, Cycles) {
  struct Cycle {
    int n;
    std::uint32_t digits, highest;
  };
  for (const Cycle& c : {Cycle{2, 12, 10}, Cycle{3, 123, 100}, Cycle{6, 123456, 100000}})
    expectFor(cycleOf(c.n), [&](std::uint32_t t) {
      std::uint32_t turned = c.digits;
      for (std::uint32_t i = 0; i <= t; ++i) turned = turned % c.highest * 10 + turned / c.highest;
      return turned;
    });
}

// The lost copy problem: the counter before its last step is the result.
TEST(LoopTest, LostCopy) {
  expectFor(loop(R"(
      mov.u32 %a1, 10;
    again:
      mov.u32 %a2, %a1;
      add.u32 %a1, %a1, 3;
      mad.lo.u32 %a3, %a0, 7, 15;
      setp.lt.u32 %q0, %a1, %a3;
      @%q0 bra again;
      mad.lo.u32 %a2, %a2, 100, %a1;
      st.global.u32 [%w1], %a2;)"),
            [](std::uint32_t t) {
              std::uint32_t i = 10, old = 0;
              do {
                old = i;
                i += 3;
              } while (i < 7 * t + 15);
              return old * 100 + i;
            });
}

// Two ways out of one block give a variable different values.
TEST(LoopTest, TwoExits) {
  expectFor(loop(R"(
      mov.u32 %a1, 0;
      mov.u32 %a2, 77;
    again:
      add.u32 %a3, %a1, %a0;
      and.b32 %a4, %a3, 3;
      setp.eq.u32 %q0, %a4, 3;
      @%q0 bra found;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 2;
      @%q1 bra again;
      mov.u32 %a2, %a1;
      bra done;
    found:
      add.u32 %a2, %a1, 40;
    done:
      st.global.u32 [%w1], %a2;)"),
            [](std::uint32_t t) {
              for (std::uint32_t i = 0; i < 2; ++i)
                if (((i + t) & 3) == 3) return i + 40;
              return std::uint32_t{2};
            });
}

// Predicates as loop variables that change places, one of them the condition itself.
TEST(LoopTest, RotationOfPredicates) {
  expectFor(loop(R"(
      setp.gt.u32 %q0, %a0, 1;
      setp.ne.u32 %q1, %a0, 0;
      mov.u32 %a1, 0;
      mov.u32 %a2, 0;
    again:
      selp.u32 %a3, 1, 0, %q0;
      mad.lo.u32 %a1, %a1, 2, %a3;
      add.u32 %a2, %a2, 1;
      setp.lt.u32 %q3, %a2, 5;
      mov.pred %q2, %q0;
      mov.pred %q0, %q1;
      not.pred %q1, %q2;
      or.pred %q3, %q3, %q0;
      setp.lt.u32 %q4, %a2, 9;
      and.pred %q3, %q3, %q4;
      @%q3 bra again;
      st.global.u32 [%w1], %a1;)"),
            [](std::uint32_t t) {
              bool p = t > 1, q = t != 0, more = false;
              std::uint32_t bits = 0, n = 0;
              do {
                bits = bits * 2 + (p ? 1 : 0);
                ++n;
                const bool old = p;
                p = q;
                q = !old;
                more = (n < 5 || p) && n < 9;
              } while (more);
              return bits;
            });
}

// A state that only says which way the loop was left disappears.
TEST(LoopTest, StateThatTheWayDecides) {
  const PtxLaunch launch = loop(R"(
      mov.u32 %a1, 0;
    again:
      mul.lo.u32 %a2, %a1, %a1;
      setp.gt.u32 %q0, %a2, %a0;
      @%q0 bra big;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 2;
      @%q1 bra again;
      mov.u32 %a3, 1;
      bra decide;
    big:
      mov.u32 %a3, 2;
    decide:
      setp.eq.u32 %q2, %a3, 2;
      @%q2 bra yes;
      st.global.u32 [%w1], 100;
      bra done;
    yes:
      st.global.u32 [%w1], %a1;
    done:)");
  expectFor(launch, [](std::uint32_t t) {
    for (std::uint32_t i = 0; i < 2; ++i)
      if (i * i > t) return i;
    return std::uint32_t{100};
  });
  Options without;
  without.thread_jumps = false;
  EXPECT_LE(lowerPtx(launch)->report.slots, lowerPtx(launch, without)->report.slots);
}

// A test that is decided at once leaves a loop without a way in: there is nowhere that the values
// it reads could come from.
TEST(LoopTest, WithoutAWayIn) {
  expectFor(loop(R"(
      mov.u32 %a1, 7;
      setp.ne.u32 %q0, 1, 2;
      @%q0 bra done;
    again:
      setp.eq.u32 %q1, %a0, 3;
      @%q1 bra done;
      bra again;
    done:
      st.global.u32 [%w1], %a1;)"),
            [](std::uint32_t) { return 7u; });
}

// Two ways out of a block bring constants to one place, and no slot has room for both.
TEST(LoopTest, TwoWideConstants) {
  expectFor(loop(R"(
      mov.u32 %a1, 44453620;
      setp.eq.u32 %q0, %a0, 1;
      @%q0 bra done;
      mov.u32 %a1, 1048576;
      setp.eq.u32 %q1, 1, 2;
    again:
      @%q1 bra again;
    done:
      st.global.u32 [%w1], %a1;)"),
            [](std::uint32_t t) { return t == 1 ? 44453620u : 1048576u; });
}

// A quotient, and behind a branch and a barrier the remainder of the same division and the same
// quotient again.
TEST(LoopTest, DivisionsOnBothSidesOfABarrier) {
  const auto value = [](std::uint32_t t) {
    const std::uint32_t a = 1000 + t, b = 3 + t;
    return a / b * 10000 + (t == 2 ? 0 : a % b * 100) + a / b;
  };
  expectFor(loop(R"(
      add.u32 %a1, %a0, 1000;
      add.u32 %a2, %a0, 3;
      div.u32 %a3, %a1, %a2;
      st.global.u32 [%w1], %a3;
      bar.sync 0;
      mov.u32 %a4, 0;
      setp.eq.u32 %q0, %a0, 2;
      @%q0 bra done;
      rem.u32 %a4, %a1, %a2;
      mul.lo.u32 %a4, %a4, 100;
    done:
      div.u32 %a5, %a1, %a2;
      mad.lo.u32 %a4, %a3, 10000, %a4;
      add.u32 %a4, %a4, %a5;
      st.global.u32 [%w1], %a4;)"),
            value);
}

// What a loop leaves behind needs no block of its own to move it.
TEST(LoopTest, OldValuesCostNoBlock) {
  const PtxLaunch launch = loop(R"(
      mov.u32 %a1, 48;
      add.u32 %a2, %a0, 18;
    again:
      rem.u32 %a3, %a1, %a2;
      mov.u32 %a1, %a2;
      mov.u32 %a2, %a3;
      setp.ne.u32 %q0, %a3, 0;
      @%q0 bra again;
      st.global.u32 [%w1], %a1;)");
  expectFor(launch, [](std::uint32_t t) {
    std::uint32_t a = 48, b = t + 18;
    do a = std::exchange(b, a % b);
    while (b != 0);
    return a;
  });
  EXPECT_LE(lowerPtx(launch)->report.blocks, 4);
}

}  // namespace
}  // namespace qgpu::lower
