// Branch tables, variables of one way, special registers, and predicates that are more than the
// machine has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using ::testing::HasSubstr;
using testing::kernelText;
using testing::kThreads;
using testing::lowerPtx;
using testing::perThread;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

// ---- Branches. ----

constexpr std::string_view kTable = R"(
    table: .branchtargets zero, one, two, zero, four;
      rem.u32 %a1, %a0, 5;
      setp.gt.u32 %q0, %a0, 3;
      {} brx.idx %a1, table;
      {}
    zero:
      mov.u32 %a9, 100;
      bra done;
    one:
      mov.u32 %a9, 101;
      bra done;
    two:
      mov.u32 %a9, 102;
      bra done;
    four:
      mov.u32 %a9, 104;
    done:)";

std::uint32_t tableValue(std::uint32_t t) { return 100 + (t % 5 == 3 ? 0 : t % 5); }

TEST(Control, BranchTable) { expectFor(perThread(fmt::format(kTable, "", "")), tableValue); }
TEST(Control, GuardedBranchTable) {
  expectFor(perThread(fmt::format(kTable, "@%q0", "bra done;")),
            [](std::uint32_t t) { return t > 3 ? tableValue(t) : 7; });
  expectFor(perThread(fmt::format(kTable, "@!%q0", "mov.u32 %a9, 8;\nbra done;")),
            [](std::uint32_t t) { return t > 3 ? 8 : tableValue(t); });
}

// Guards that are known, and branches both of whose ways lead to one place.
TEST(Control, BranchesThatAreNone) {
  expectFor(perThread(R"(
      setp.eq.u32 %q0, 1, 1;
      @%q0 bra on;
      mov.u32 %a9, 8;
    on:
      @!%q0 bra off;
      add.u32 %a9, %a9, 1;
    off:
      setp.lt.u32 %q1, %a0, 5;
      @%q1 bra next;
    next:
      @!%q0 mov.u32 %a9, 9;
      @!%q0 exit;)"),
            [](std::uint32_t) { return 8; });
}

TEST(Control, ExitsByGuard) {
  expectFor(perThread("setp.lt.u32 %q0, %a0, 5;\n@%q0 exit;\nadd.u32 %a9, %a9, %a0;\n"
                      "setp.gt.u32 %q1, %a0, 9;\n@%q1 ret;"),
            [](std::uint32_t t) { return t < 5 || t > 9 ? 0 : 7 + t; });
}

// A guard that is known to fail, and one that is known to hold.
TEST(Control, ExitsByKnownGuard) {
  expectFor(perThread("setp.eq.u32 %q0, 1, 2;\n@%q0 exit;"), [](std::uint32_t) { return 7; });
  expectFor(perThread("setp.eq.u32 %q0, 1, 1;\n@%q0 exit;"), [](std::uint32_t) { return 0; });
  expectFor(perThread("setp.eq.u32 %q0, 1, 2;\n@%q0 mov.u32 %a9, 8;\n@!%q0 add.u32 %a9, %a9, 2;"),
            [](std::uint32_t) { return 9; });
}

// The same without the optimisations that would take it out.
TEST(Control, WhatNeverHolds) {
  expectFor(perThread("setp.eq.u32 %q0, 1, 2;\nselp.u32 %a9, 8, %a0, %q0;"),
            [](std::uint32_t t) { return t; });
  expectFor(perThread("setp.eq.u32 %q0, 1, 2;\n@%q0 add.u32 %a9, %a9, 1;\n"
                      "@%q0 st.global.u32 [%w1], 99;\nld.global.u32 %a8, [%w1];\n"
                      "add.u32 %a9, %a9, %a8;"),
            [](std::uint32_t) { return 7; });
}

// What is set on one way alone, and read on that way alone.
TEST(Control, VariablesThatOneWaySets) {
  expectFor(perThread("setp.gt.u32 %q0, %a0, 5;\n@!%q0 bra on;\nmul.lo.u32 %a5, %a0, 3;\non:\n"
                      "bar.sync 0;\n@!%q0 bra end;\nadd.u32 %a9, %a5, 1;\nend:"),
            [](std::uint32_t t) { return t > 5 ? 3 * t + 1 : 7; });
}

// One way does something before it ends, the other only ends.
TEST(Control, WaysThatEnd) {
  expectFor(perThread("st.global.u32 [%w1], 1;\nsetp.gt.u32 %q0, %a0, 5;\n@%q0 bra on;\n"
                      "st.global.u32 [%w1], %a0;\nexit;\non:\nexit;"),
            [](std::uint32_t t) { return t > 5 ? 1 : t; });
  expectFor(perThread("st.global.u32 [%w1], 1;\nsetp.gt.u32 %q0, %a0, 5;\n@%q0 bra on;\n"
                      "exit;\non:\nst.global.u32 [%w1], %a0;\nexit;"),
            [](std::uint32_t t) { return t > 5 ? t : 1; });
}

// One of the ways only ends, as others do that lead there.
TEST(Control, OneEndForMany) {
  expectFor(perThread("st.global.u32 [%w1], 1;\nsetp.gt.u32 %q0, %a0, 8;\n@%q0 bra out;\n"
                      "bar.sync 0;\nsetp.lt.u32 %q1, %a0, 3;\n@%q1 bra out;\n"
                      "st.global.u32 [%w1], %a0;\nexit;\nout:\nexit;"),
            [](std::uint32_t t) { return t > 8 || t < 3 ? 1 : t; });
}

// A guard on the barrier that all lanes pass, and a branch as the last instruction.
TEST(Control, GuardedBarrierAndBranchAtTheEnd) {
  PtxLaunch launch = perThread("setp.lt.u32 %q0, %a0, 100;\n@%q0 bar.sync 0;");
  expectFor(launch, [](std::uint32_t) { return 7; });
  launch = perThread("again:\nadd.u32 %a9, %a9, 1;\nsetp.lt.u32 %q0, %a9, 20;");
  const std::size_t end = launch.ptx.rfind("ret;");
  launch.ptx.replace(end, 4, "@%q0 bra again;");
  expectFor(launch, [](std::uint32_t) { return 20; });
}

// Either way sets the carry, and the addition behind takes the one of its way.
TEST(Control, CarriesThatMeet) {
  expectFor(perThread(R"(
      setp.gt.u32 %q0, %a0, 5;
      @%q0 bra high;
      add.cc.u32 %a1, %a0, -4;
      bra both;
    high:
      add.cc.u32 %a1, %a0, -8;
    both:
      bar.sync 0;
      addc.u32 %a9, %a0, 0;)"),
            [](std::uint32_t t) {
              return t + (t > 5 ? t >= 8 : t >= 4 ? 1 : 0);
            });
}

// A guarded exit is the last instruction of all.
TEST(Control, ExitsByGuardAtTheEnd) {
  PtxLaunch launch = perThread("");
  const auto at = launch.ptx.rfind("ret;");
  launch.ptx.replace(at, 4, "setp.lt.u32 %q0, %a0, 5;\n@%q0 exit;\n");
  expectFor(launch, [](std::uint32_t) { return 7; });
}

// ---- Special registers. ----

TEST(Control, SpecialRegisters) {
  struct Row {
    std::string_view name;
    std::uint32_t (*value)(std::uint32_t t);
  };
  const Row rows[] = {
      {"%laneid", [](std::uint32_t t) { return t % 4; }},
      {"%warpid", [](std::uint32_t t) { return t / 4; }},
      {"%nwarpid", [](std::uint32_t) { return 3u; }},
      {"%lanemask_eq", [](std::uint32_t t) { return 1u << t % 4; }},
      {"%lanemask_lt", [](std::uint32_t t) { return (1u << t % 4) - 1; }},
      {"%lanemask_le", [](std::uint32_t t) { return (2u << t % 4) - 1; }},
      {"%lanemask_ge", [](std::uint32_t t) { return 15u & ~((1u << t % 4) - 1); }},
      {"%lanemask_gt", [](std::uint32_t t) { return 15u & ~((2u << t % 4) - 1); }},
      {"%ntid.x", [](std::uint32_t) { return kThreads; }},
      {"%ntid.y", [](std::uint32_t) { return 1u; }},
      {"%ntid.z", [](std::uint32_t) { return 1u; }},
      {"%nctaid.x", [](std::uint32_t) { return 1u; }},
      {"%ctaid.y", [](std::uint32_t) { return 0u; }},
      {"%tid.w", [](std::uint32_t) { return 0u; }},
      {"%smid", [](std::uint32_t) { return 0u; }},
      {"%gridid", [](std::uint32_t) { return 0u; }},
      {"%nsmid", [](std::uint32_t) { return 1u; }},
      {"%dynamic_smem_size", [](std::uint32_t) { return 0u; }},
      {"%total_smem_size", [](std::uint32_t) { return 0u; }},
  };
  for (const Row& row : rows)
    expectFor(perThread(fmt::format("mov.u32 %a9, {};", row.name)), row.value);
  PtxLaunch shared = perThread(
      ".shared .align 4 .b8 s[10];\nst.shared.u32 [s], %a0;\nmov.u32 %a9, %total_smem_size;");
  expectFor(shared, [](std::uint32_t) { return 12; });
}

// One warp needs no register for its number.
TEST(Control, TheOnlyWarp) {
  PtxLaunch launch{.ptx = kernelText(1, 0, "mov.u32 %a0, %warpid;\nst.global.u32 [%p0], %a0;"),
                   .arrays = {Words{9}}};
  EXPECT_EQ(runPtx(launch)->front(), Words{0});
}

// Threads and thread blocks in three dimensions.
TEST(Control, Geometry) {
  PtxLaunch launch{.ptx = kernelText(1, 0, R"(
      mov.u32 %a0, %tid.x;
      mov.u32 %a1, %tid.y;
      mov.u32 %a2, %tid.z;
      mov.u32 %a3, %ctaid.x;
      mov.u32 %a4, %ctaid.y;
      mov.u32 %a5, %ctaid.z;
      mad.lo.u32 %a10, %a5, 2, %a4;
      mad.lo.u32 %a10, %a10, 3, %a3;
      mad.lo.u32 %a10, %a10, 3, %a2;
      mad.lo.u32 %a10, %a10, 2, %a1;
      mad.lo.u32 %a10, %a10, 3, %a0;
      mul.wide.u32 %w0, %a10, 4;
      add.s64 %w1, %p0, %w0;
      shl.b32 %a11, %a0, 20;
      shl.b32 %a12, %a1, 16;
      shl.b32 %a13, %a2, 12;
      shl.b32 %a14, %a3, 8;
      shl.b32 %a15, %a4, 4;
      or.b32 %a11, %a11, %a12;
      or.b32 %a11, %a11, %a13;
      or.b32 %a11, %a11, %a14;
      or.b32 %a11, %a11, %a15;
      or.b32 %a11, %a11, %a5;
      mov.u32 %a16, %tid.w;
      or.b32 %a11, %a11, %a16;
      st.global.u32 [%w1], %a11;)"),
                   .arrays = {Words(108, 0)}};
  launch.block = {3, 2, 3};
  launch.grid = {3, 2, 1};
  Words expected;
  for (std::uint32_t by = 0; by < 2; ++by)
    for (std::uint32_t bx = 0; bx < 3; ++bx)
      for (std::uint32_t z = 0; z < 3; ++z)
        for (std::uint32_t y = 0; y < 2; ++y)
          for (std::uint32_t x = 0; x < 3; ++x)
            expected.push_back(x << 20 | y << 16 | z << 12 | bx << 8 | by << 4);
  testing::expectFirst(launch, expected);
}

// ---- More predicates than the machine has. ----

// `count` predicates, all of them alive across a barrier.
PtxLaunch predicatesAlive(int count) {
  std::string body;
  for (int n = 0; n < count; ++n)
    body += fmt::format("and.b32 %a1, %a0, {};\nsetp.ne.u32 %q{}, %a1, 0;\n", n + 1, n);
  body += "bar.sync 0;\nmov.u32 %a9, 0;\n";
  for (int n = 0; n < count; ++n)
    body +=
        fmt::format("selp.u32 %a2, {}, 0, %q{};\nadd.u32 %a9, %a9, %a2;\n", 1 << n, count - 1 - n);
  return perThread(body);
}

TEST(Control, PredicatesAcrossABarrier) {
  for (const int count : {4, 5, 9}) {
    const auto value = [=](std::uint32_t t) {
      std::uint32_t sum = 0;
      for (int n = 0; n < count; ++n)
        if ((t & static_cast<std::uint32_t>(count - n)) != 0) sum += 1u << n;
      return sum;
    };
    Words expected;
    for (std::uint32_t t = 0; t < kThreads; ++t) expected.push_back(value(t));
    const PtxLaunch launch = predicatesAlive(count);
    const auto arrays = runPtx(launch);
    ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
    EXPECT_EQ(arrays->front(), expected);
  }
  Options without;
  without.spill = false;
  EXPECT_TRUE(lowerPtx(predicatesAlive(4), without).has_value());
  const auto lowered = lowerPtx(predicatesAlive(5), without);
  ASSERT_FALSE(lowered.has_value());
  EXPECT_THAT(lowered.error().text(), HasSubstr("needs 5 predicates, the machine has 4"));
}

// Seven predicates change places in a loop, one of them into another sense.
TEST(Control, PredicatesThatChangePlaces) {
  constexpr int kCount = 7;
  std::string body = "mov.u32 %a1, 0;\n";
  for (int n = 0; n < kCount; ++n)
    body += fmt::format("and.b32 %a2, %a0, {};\nsetp.eq.u32 %q{}, %a2, 0;\n", n + 1, n);
  body += "again:\nmov.pred %q20, %q0;\n";
  for (int n = 0; n + 1 < kCount; ++n) body += fmt::format("mov.pred %q{}, %q{};\n", n, n + 1);
  body += fmt::format("not.pred %q{}, %q20;\n", kCount - 1);
  body += "add.u32 %a1, %a1, 1;\nsetp.le.u32 %q21, %a1, %a0;\n@%q21 bra again;\nmov.u32 %a9, 0;\n";
  for (int n = 0; n < kCount; ++n)
    body += fmt::format("selp.u32 %a2, {}, 0, %q{};\nadd.u32 %a9, %a9, %a2;\n", 1 << n, n);
  const auto value = [](std::uint32_t t) {
    std::array<bool, kCount> q{};
    for (std::uint32_t n = 0; n < kCount; ++n) q[n] = (t & (n + 1)) == 0;
    for (std::uint32_t i = 0; i <= t; ++i) {
      std::rotate(q.begin(), q.begin() + 1, q.end());
      q.back() = !q.back();
    }
    std::uint32_t sum = 0;
    for (std::uint32_t n = 0; n < kCount; ++n) sum += std::uint32_t{q[n]} << n;
    return sum;
  };
  const auto arrays = runPtx(perThread(body));
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(arrays->front()[t], value(t)) << t;
}

}  // namespace
}  // namespace qgpu::lower
