// The rules of thread blocks: barriers, warp operations, convergence, and what is a kernel's fault.
#include "conformance/cpu/block.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/cpu/include/device_variables.h"

namespace qgpu::cpu {
namespace {

constexpr Order kOrders[] = {Order::Forward, Order::Backward, Order::Interleaved};

std::string trapOf(const std::function<void()>& thread, dim3 size) {
  const auto done = Block(thread, size, Order::Forward).run();
  return done ? "" : done.error().message;
}

WarpRequest request(WarpOperation operation, unsigned mask, std::uint64_t value = 0,
                    unsigned operand = 0, unsigned width = 4) {
  return {operation, mask, value, operand, width};
}

TEST(Block, ThreadsAreNumberedXFirst) {
  std::vector<std::string> seen;
  const auto done = Block(
                        [&] {
                          seen.push_back(std::to_string(threadIdx.x) + std::to_string(threadIdx.y) +
                                         std::to_string(threadIdx.z));
                        },
                        dim3(2, 1, 2), Order::Forward)
                        .run();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(seen, (std::vector<std::string>{"000", "100", "001", "101"}));
}

TEST(Block, NobodyPassesABarrierBeforeAllHaveCome) {
  for (const Order order : kOrders) {
    int arrived = 0;
    std::vector<int> seen(10);
    const auto done = Block(
                          [&] {
                            if (threadIdx.x == 7) return;
                            for (int round = 1; round <= 3; ++round) {
                              ++arrived;
                              meetBlock();
                              seen[threadIdx.x] = arrived;
                              meetBlock();
                            }
                          },
                          dim3(10), order)
                          .run();
    ASSERT_TRUE(done.has_value()) << done.error().text();
    for (int t = 0; t < 10; ++t) EXPECT_EQ(seen[t], t == 7 ? 0 : 27);
  }
}

TEST(Block, OrdersDiffer) {
  const auto sequence = [](Order order) {
    std::string log;
    const auto done = Block(
                          [&] {
                            log += static_cast<char>('a' + threadIdx.x);
                            afterAtomic();
                            log += static_cast<char>('A' + threadIdx.x);
                          },
                          dim3(3), order)
                          .run();
    EXPECT_TRUE(done.has_value());
    return log;
  };
  EXPECT_EQ(sequence(Order::Forward), "aAbBcC");
  EXPECT_EQ(sequence(Order::Backward), "cCbBaA");
  EXPECT_EQ(sequence(Order::Interleaved), "abcABC");
}

// Sources by the PTX ISA's pseudocode for shfl with segments of `width` lanes, for each lane.
TEST(Block, ShufflesReadTheLaneThatTheIsaSays) {
  struct Row {
    WarpOperation operation;
    unsigned operand, width;
    std::vector<int> sources;
  };
  const std::vector<Row> rows = {
      {WarpOperation::ShuffleIndex, 2, 4, {2, 2, 2, 2}},
      {WarpOperation::ShuffleIndex, 7, 4, {3, 3, 3, 3}},
      {WarpOperation::ShuffleIndex, 1, 2, {1, 1, 3, 3}},
      {WarpOperation::ShuffleIndex, 3, 1, {0, 1, 2, 3}},
      {WarpOperation::ShuffleUp, 1, 4, {0, 0, 1, 2}},
      {WarpOperation::ShuffleUp, 3, 4, {0, 1, 2, 0}},
      {WarpOperation::ShuffleUp, 1, 2, {0, 0, 2, 2}},
      {WarpOperation::ShuffleDown, 1, 4, {1, 2, 3, 3}},
      {WarpOperation::ShuffleDown, 2, 4, {2, 3, 2, 3}},
      {WarpOperation::ShuffleDown, 1, 2, {1, 1, 3, 3}},
      {WarpOperation::ShuffleXor, 1, 4, {1, 0, 3, 2}},
      {WarpOperation::ShuffleXor, 3, 4, {3, 2, 1, 0}},
      {WarpOperation::ShuffleXor, 2, 2, {0, 1, 0, 1}},
      {WarpOperation::ShuffleUp, 40, 4, {0, 1, 2, 3}},
  };
  for (const Row& row : rows) {
    std::vector<int> got(8);
    const auto done = Block(
                          [&] {
                            got[threadIdx.x] = static_cast<int>(meetWarp(
                                request(row.operation, ~0u, threadIdx.x, row.operand, row.width)));
                          },
                          dim3(8), Order::Backward)
                          .run();
    ASSERT_TRUE(done.has_value()) << done.error().text();
    for (int t = 0; t < 8; ++t)
      EXPECT_EQ(got[t], t / 4 * 4 + row.sources[t % 4])
          << static_cast<int>(row.operation) << " " << row.operand;
  }
}

TEST(Block, VotesCountTheLanesOfTheMask) {
  std::vector<std::uint64_t> all(4), any(4), ballot(4), uniform(4);
  const auto done = Block(
                        [&] {
                          const unsigned t = threadIdx.x, mask = t < 2 ? 0x3u : 0xcu;
                          all[t] = meetWarp(request(WarpOperation::VoteAll, mask, t != 3));
                          any[t] = meetWarp(request(WarpOperation::VoteAny, mask, t == 1));
                          ballot[t] = meetWarp(request(WarpOperation::Ballot, mask, t > 0));
                          uniform[t] = meetWarp(request(WarpOperation::VoteUniform, mask, t >= 2));
                        },
                        dim3(4), Order::Forward)
                        .run();
  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(all, (std::vector<std::uint64_t>{1, 1, 0, 0}));
  EXPECT_EQ(any, (std::vector<std::uint64_t>{1, 1, 0, 0}));
  EXPECT_EQ(ballot, (std::vector<std::uint64_t>{2, 2, 12, 12}));
  EXPECT_EQ(uniform, (std::vector<std::uint64_t>{1, 1, 1, 1}));
}

TEST(Block, LanesThatTookABranchConvergeInIt) {
  for (const Order order : kOrders) {
    std::vector<unsigned> top(6), branch(6);
    const auto done = Block(
                          [&] {
                            const unsigned t = threadIdx.x;
                            top[t] = convergedLanes(std::source_location::current());
                            if (t % 3 == 0)
                              branch[t] = convergedLanes(std::source_location::current());
                          },
                          dim3(6), order)
                          .run();
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(top, (std::vector<unsigned>{15, 15, 15, 15, 3, 3}));
    EXPECT_EQ(branch, (std::vector<unsigned>{9, 0, 0, 9, 0, 0}));
  }
}

TEST(Block, MisuseIsATrap) {
  EXPECT_EQ(trapOf([] { meetWarp(request(WarpOperation::Sync, 0x1)); }, dim3(2)),
            "a lane takes part in a warp operation whose mask does not name it");
  EXPECT_EQ(trapOf([] { meetWarp(request(WarpOperation::ShuffleXor, ~0u, 0, 1, 3)); }, dim3(4)),
            "a shuffle's width is not a power of two up to 4");
  EXPECT_EQ(trapOf([] { meetWarp(request(WarpOperation::ShuffleIndex, ~0u, 0, 3)); }, dim3(3)),
            "a shuffle reads lane 3, which takes no part in it");
  EXPECT_EQ(trapOf([] { trapKernel(); }, dim3(1)), "the kernel executed a trap");
}

TEST(Block, DeadlocksAreReported) {
  EXPECT_EQ(trapOf(
                [] {
                  if (threadIdx.x == 0)
                    meetBlock();
                  else
                    meetWarp(request(WarpOperation::Sync, 0x3));
                },
                dim3(2)),
            "deadlock: thread 0 waits at a barrier; thread 1 waits for lanes of mask 3");
  EXPECT_EQ(trapOf(
                [] {
                  meetWarp(request(
                      threadIdx.x == 0 ? WarpOperation::VoteAll : WarpOperation::VoteAny, 0x3));
                },
                dim3(2)),
            "deadlock: thread 0 waits for lanes of mask 3; thread 1 waits for lanes of mask 3");
}

TEST(Block, LanesThatHaveLeftAreNotWaitedFor) {
  std::vector<std::uint64_t> ballot(4);
  const auto done = Block(
                        [&] {
                          if (threadIdx.x == 2) return;
                          ballot[threadIdx.x] = meetWarp(request(WarpOperation::Ballot, ~0u, 1));
                        },
                        dim3(4), Order::Forward)
                        .run();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(ballot, (std::vector<std::uint64_t>{11, 11, 0, 11}));
}

}  // namespace
}  // namespace qgpu::cpu
