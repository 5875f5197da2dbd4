// What the lanes of a warp and the warps of a thread block do together: shuffles, votes, reductions
// at a barrier.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using testing::kThreads;
using testing::perThread;
using testing::PtxLaunch;
using testing::Words;

// Lanes that the guard excludes do not take part and keep what they have.
TEST(Warp, GuardedShufflesAndVotes) {
  const std::string odd = "and.b32 %a1, %a0, 1;\nsetp.ne.u32 %q0, %a1, 0;\n";
  expectFor(perThread(odd + "mul.lo.u32 %a2, %a0, 10;\n"
                            "@%q0 shfl.sync.idx.b32 %a9, %a2, 3, 31, -1;"),
            [](std::uint32_t t) { return t % 2 != 0 ? 10 * (t / 4 * 4 + 3) : 7; });
  expectFor(perThread(odd + "@%q0 activemask.b32 %a9;"),
            [](std::uint32_t t) { return t % 2 != 0 ? 0b1010u : 7; });
  expectFor(perThread(odd + "setp.gt.u32 %q1, %a0, 5;\n@%q0 vote.sync.ballot.b32 %a9, %q1, -1;"),
            [](std::uint32_t t) {
              if (t % 2 == 0) return 7u;
              return t < 4 ? 0u : t < 8 ? 0b1000u : 0b1010u;
            });
}

TEST(Warp, VotesAndShuffles) {
  const auto vote = [](std::string_view mode) {
    return perThread(
        fmt::format("setp.gt.u32 %q0, %a0, 5;\nvote.sync.{}.pred %q1, %q0, -1;\n"
                    "selp.u32 %a9, 1, 0, %q1;",
                    mode));
  };
  expectFor(vote("any"), [](std::uint32_t t) { return std::uint32_t{t >= 4}; });
  expectFor(vote("all"), [](std::uint32_t t) { return std::uint32_t{t >= 8}; });
  expectFor(vote("uni"), [](std::uint32_t t) { return std::uint32_t{t < 4 || t >= 8}; });
  const auto shuffle = [](std::string_view mode, int last) {
    return perThread(
        fmt::format("shfl.sync.{}.b32 %a1|%q0, %a0, 1, {}, -1;\n"
                    "selp.u32 %a2, 100, 0, %q0;\nadd.u32 %a9, %a1, %a2;",
                    mode, last));
  };
  expectFor(shuffle("up", 0), [](std::uint32_t t) { return t % 4 == 0 ? t : t - 1 + 100; });
  expectFor(shuffle("down", 31), [](std::uint32_t t) { return t % 4 == 3 ? t : t + 1 + 100; });
  expectFor(shuffle("bfly", 31), [](std::uint32_t t) { return (t ^ 1) + 100; });
  expectFor(shuffle("idx", 31), [](std::uint32_t t) { return t / 4 * 4 + 1 + 100; });
  // Two segments of two lanes.
  expectFor(shuffle("down", 31 | 30 << 8),
            [](std::uint32_t t) { return t % 2 == 1 ? t : t + 1 + 100; });
}

// Votes on what is known.
TEST(Warp, VotesOnConstants) {
  const auto vote = [](std::string_view text) {
    return perThread("setp.eq.u32 %q0, 1, 1;\nsetp.eq.u32 %q1, 1, 2;\n" + std::string(text));
  };
  const std::string one = "\nselp.u32 %a9, 1, 0, %q2;";
  const auto always = [](std::uint32_t) { return 1u; };
  const auto never = [](std::uint32_t) { return 0u; };
  expectFor(vote("vote.sync.any.pred %q2, %q0, -1;" + one), always);
  expectFor(vote("vote.sync.any.pred %q2, %q1, -1;" + one), never);
  expectFor(vote("vote.sync.all.pred %q2, %q0, -1;" + one), always);
  expectFor(vote("vote.sync.all.pred %q2, %q1, -1;" + one), never);
  expectFor(vote("vote.sync.uni.pred %q2, %q1, -1;" + one), always);
  expectFor(vote("vote.sync.ballot.b32 %a9, %q1, -1;"), never);
  expectFor(vote("vote.sync.ballot.b32 %a9, %q0, -1;"), [](std::uint32_t) { return 15u; });
}

// A vote behind a store whose lanes take turns.
TEST(Warp, VotesBehindNarrowStores) {
  expectFor(perThread("st.global.u8 [%w1], %a0;\nsetp.gt.u32 %q0, %a0, 5;\n"
                      "vote.sync.ballot.b32 %a9, %q0, -1;\nst.global.u8 [%w1+1], %a9;\n"
                      "ld.global.u32 %a2, [%w1];\nadd.u32 %a9, %a9, %a2;"),
            [](std::uint32_t t) {
              const std::uint32_t votes = t < 4 ? 0 : t < 8 ? 12 : 15;
              return votes + t + 256 * votes;
            });
}

// Two in a row, of threads some of which have ended; in one warp and in three.
TEST(Warp, ReductionsAtABarrier) {
  const std::string_view body = R"(
      setp.eq.u32 %q0, %a0, 1;
      @%q0 exit;
      and.b32 %a1, %a0, 1;
      setp.eq.u32 %q1, %a1, 0;
      bar.red.popc.u32 %a2, 0, %q1;
      barrier.cta.red.popc.aligned.u32 %a3, 0, !%q1;
      bar.red.and.pred %q2, 0, %q1;
      bar.red.or.pred %q3, 0, %q1;
      selp.u32 %a4, 1, 0, %q2;
      selp.u32 %a5, 1, 0, %q3;
      mad.lo.u32 %a9, %a2, 1000, %a3;
      mad.lo.u32 %a9, %a9, 10, %a4;
      mad.lo.u32 %a9, %a9, 10, %a5;)";
  for (const std::uint32_t threads : {1u, 3u, 4u, kThreads}) {
    SCOPED_TRACE(threads);
    PtxLaunch launch = perThread(body);
    launch.arrays = {Words(threads, 0)};
    launch.block = {threads, 1, 1};
    const std::uint32_t even = (threads + 1) / 2, odd = threads / 2 - (threads > 1 ? 1 : 0);
    const std::uint32_t value = ((even * 1000 + odd) * 10 + (odd == 0 ? 1 : 0)) * 10 + 1;
    expectFor(launch, [=](std::uint32_t t) { return t == 1 ? 0 : value; });
  }
}

TEST(Warp, GuardedReductionAtABarrier) {
  expectFor(perThread("setp.lt.u32 %q0, %a0, 20;\nsetp.gt.u32 %q1, %a0, 6;\n"
                      "@%q0 bar.red.popc.u32 %a9, 0, 32, %q1;"),
            [](std::uint32_t) { return 5; });
}

// PTX counts whole warps of 32, however few threads there are.
TEST(Warp, ABarrierOfOneThread) {
  PtxLaunch launch =
      perThread("setp.eq.u32 %q0, %a0, 0;\nbar.sync 0, 32;\nbar.red.popc.u32 %a9, 0, 32, %q0;");
  launch.arrays = {Words(1, 0)};
  launch.block = {1, 1, 1};
  expectFor(launch, [](std::uint32_t) { return 1; });
}

}  // namespace
}  // namespace qgpu::lower
