// `qgpu bench`: the shape of what it says. What it measures depends on the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(CommandTest, BenchHasEveryFigureBesideItsFloor) {
  const Json result = object(runCommand({"bench", "--quick", "--json"}));
  EXPECT_EQ(result["status"], "ok");
  EXPECT_GE(result["host"]["cores"].get<int>(), 1);
  for (const char* ceiling : {"read_one_core", "read_all_cores", "sparse_nonzeros", "bit_nonzeros",
                              "plain_instructions", "hashed_bytes"})
    EXPECT_GT(result["ceilings"][ceiling].get<double>(), 0) << ceiling;
  const Json& figures = result["figures"];
  EXPECT_EQ(keysOf(figures),
            (std::set<std::string>{"model", "audit", "interpreter", "compile", "circuit"}));
  for (const char* kernel : {"matmul", "saxpy", "collatz", "bitonic"}) {
    EXPECT_TRUE(figures["compile"].contains(kernel)) << kernel;
    for (const char* figure : {"_tokens", "_lane_instructions"}) {
      const Json& found = figures["model"][std::string(kernel) + figure];
      EXPECT_EQ(found["unit"], "1/s");
      EXPECT_GT(found["value"].get<double>(), 0);
      EXPECT_NEAR(found["times"].get<double>() * found["value"].get<double>(),
                  found["floor"].get<double>(), 1e-6 * found["floor"].get<double>());
    }
  }
  for (const char* figure : {"build", "load", "prepare", "memory", "process"})
    EXPECT_TRUE(figures["circuit"].contains(figure)) << figure;
  EXPECT_GT(figures["audit"]["positions_one_core"]["value"].get<double>(), 0);
  EXPECT_GT(figures["interpreter"]["warp_instructions"]["value"].get<double>(), 0);
}

TEST_F(CommandTest, BenchShowsHowCostGrows) {
  const Json result = object(runCommand({"bench", "--scaling", "--quick", "--json"}));
  EXPECT_EQ(result["lengths"].back()["tokens"], 3000);
  EXPECT_EQ(result["batches"].size(), 3u);
  // Tokens are linear in blocks times warps: each warp of a thread block costs the same, and each
  // thread block the same again, but for the CTA between two and the HALT.
  int tokens_of_one = 0;
  for (const Json& row : result["shapes"]) {
    const int blocks = row["thread_blocks"], warps = row["warps"], tokens = row["tokens"];
    if (tokens_of_one == 0) tokens_of_one = tokens - 1;
    EXPECT_NEAR(tokens, blocks * warps * tokens_of_one, blocks * warps * 0.05 * tokens_of_one + 1)
        << blocks << " x " << warps;
  }
}

}  // namespace
}  // namespace qgpu::testing
