// Lanes of a warp meet where they exchange something, whatever parted them before: votes and
// memory behind a barrier of the warp (bar.warp.sync).
#include <gtest/gtest.h>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using testing::kernelText;
using testing::PtxLaunch;
using testing::Words;

constexpr std::uint32_t kThreads = 4;

// One warp. Thread t finds its number in %a0, addresses of word t of the results and of the scratch
// words in %w1 and %w2, and leaves %a9 in its result.
PtxLaunch warp(const std::string& body) {
  return {.ptx = kernelText(2, 0,
                            "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                            "add.s64 %w1, %p0, %w0;\nadd.s64 %w2, %p1, %w0;\n" +
                                body + "\nst.global.u32 [%w1], %a9;"),
          .arrays = {Words(kThreads, 0), Words(kThreads + 1, 50)}};
}

// A thread's own two words are apart, so that nothing but the barrier says which comes first.
TEST(Converge, ABarrierOfTheWarpOrdersMemory) {
  expectFor(warp(R"(
      st.global.u32 [%w2+4], %a0;
      bar.warp.sync -1;
      ld.global.u32 %a1, [%w2];
      bar.warp.sync -1;
      st.global.u32 [%w2+4], %a1;
      bar.warp.sync -1;
      ld.global.u32 %a2, [%w2];
      mad.lo.u32 %a9, %a2, 100, %a1;)"),
            [](std::uint32_t t) {
              const std::uint32_t first[] = {50, 0, 1, 2}, second[] = {50, 50, 0, 1};
              return second[t] * 100 + first[t];
            });
}

// What a loop's last operation does in turns must not let the first lane run ahead of the others.
TEST(Converge, BehindTurnsAtTheEndOfALoop) {
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      setp.eq.u32 %q0, %a1, 0;
    again:
      vote.sync.ballot.b32 %a9, %q0, -1;
      atom.global.xor.b32 %a2, [%p1], 1;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 3;
      @%q1 bra again;)"),
            [](std::uint32_t) { return 15; });
  // Here each lane reads what the one before it wrote in the same round.
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      mov.u32 %a9, 0;
    again:
      mad.lo.u32 %a3, %a1, 10, %a0;
      st.global.u32 [%w2+4], %a3;
      bar.warp.sync -1;
      ld.global.u32 %a4, [%w2];
      add.u32 %a9, %a9, %a4;
      bar.warp.sync -1;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 3;
      atom.global.xor.b32 %a2, [%p1], 0;
      @%q1 bra again;)"),
            [](std::uint32_t t) { return t == 0 ? 150 : 30 + 3 * (t - 1); });
}

// Some lanes go back from the middle of a loop, as `continue` does.
TEST(Converge, WhereSeveralWaysLeadBack) {
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      mov.u32 %a9, 0;
      setp.eq.u32 %q0, %a1, 0;
      and.b32 %a4, %a0, 1;
      setp.ne.u32 %q1, %a4, 0;
    again:
      vote.sync.ballot.b32 %a3, %q0, -1;
      add.u32 %a9, %a9, %a3;
      add.u32 %a1, %a1, 1;
      setp.ge.u32 %q2, %a1, 3;
      @%q2 bra done;
      @%q1 bra again;
      atom.global.xor.b32 %a5, [%w2], 4;
      add.u32 %a9, %a9, 100;
      bra again;
    done:)"),
            [](std::uint32_t t) { return t % 2 == 0 ? 245 : 45; });
}

// Lanes that the guard excludes do not wait.
TEST(Converge, AGuardedBarrierOfTheWarp) {
  expectFor(warp(R"(
      setp.lt.u32 %q0, %a0, 3;
      st.global.u32 [%w2+4], %a0;
      @%q0 bar.warp.sync 7;
      ld.global.u32 %a9, [%w2];)"),
            [](std::uint32_t t) { return t == 0 ? 50 : t - 1; });
}

}  // namespace
}  // namespace qgpu::lower
