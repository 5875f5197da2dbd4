#include "fuzz/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace qgpu::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Range> rest(const Range& whole, const std::vector<Range>& taken) {
  return without(whole, taken);
}

TEST(Without, LeavesTheGaps) {
  EXPECT_THAT(rest({10, 10}, {}), ElementsAre(Range{10, 10}));
  EXPECT_THAT(rest({10, 10}, {{10, 10}}), IsEmpty());
  EXPECT_THAT(rest({10, 10}, {{0, 100}}), IsEmpty());
  EXPECT_THAT(rest({10, 10}, {{0, 10}, {20, 5}}), ElementsAre(Range{10, 10}));
  EXPECT_THAT(rest({10, 10}, {{5, 7}, {14, 1}, {19, 4}}), ElementsAre(Range{12, 2}, Range{15, 4}));
  EXPECT_THAT(rest({10, 10}, {{11, 1}, {12, 1}}), ElementsAre(Range{10, 1}, Range{13, 7}));
}

// How often each number is given out, by all shards together.
std::map<std::uint64_t, int> givenOut(const Range& range, std::int64_t shards,
                                      const std::vector<Range>& done) {
  std::map<std::uint64_t, int> times;
  for (std::int64_t i = 0; i < shards; ++i) {
    Plan plan(range, {i, shards}, done);
    std::int64_t pending = 0;
    while (const auto chunk = plan.next()) {
      pending += chunk->count;
      for (std::uint64_t n = chunk->first; n < chunk->end(); ++n) ++times[n];
    }
    EXPECT_EQ(pending, plan.pending());
  }
  return times;
}

TEST(Plan, TheShardsTogetherGiveOutEachNumberOnce) {
  const std::vector<std::vector<Range>> done = {{}, {{0, 100}, {300, 1}, {500, 777}}, {{0, 9999}}};
  for (const std::int64_t count : {1, 2, 16, 1000, 20'000})
    for (const std::int64_t shards : {1, 2, 7, 64})
      for (const auto& taken : done) {
        const Range range{5, count};
        std::int64_t expected = 0;
        for (const Range& r : rest(range, taken)) expected += r.count;
        const auto times = givenOut(range, shards, taken);
        EXPECT_EQ(static_cast<std::int64_t>(times.size()), expected);
        EXPECT_TRUE(std::ranges::all_of(times, [](const auto& t) { return t.second == 1; }));
      }
}

TEST(Plan, SaysHowMuchWasDone) {
  const std::vector<Range> done = {{0, 100}, {300, 50}, {990, 100}};
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 3; ++i) sum += Plan({1, 1000}, {i, 3}, done).done();
  EXPECT_EQ(sum, 99 + 50 + 11);
}

TEST(Plan, GivesOutAgainWhatIsGivenBack) {
  Plan plan({1, 1}, {});
  EXPECT_EQ(plan.next(), (Range{1, 1}));
  EXPECT_EQ(plan.next(), std::nullopt);
  plan.giveBack({1, 1});
  EXPECT_EQ(plan.next(), (Range{1, 1}));
}

TEST(Plan, AnEndlessCampaignBeginsAtOnce) {
  Plan plan({1, std::int64_t{1} << 40}, {3, 1000});
  EXPECT_EQ(plan.next(), (Range{1 + 3 * 256, 256}));
}

// Sets variables of the environment for a test, and takes them back.
class ShardTest : public ::testing::Test {
 protected:
  void set(const char* name, const char* value) {
    ::setenv(name, value, 1);
    names_.push_back(name);
  }
  void TearDown() override {
    for (const char* name : names_) ::unsetenv(name);
  }
  static std::string text(const std::string& from) {
    const auto shard = parseShard(from);
    return shard ? std::to_string(shard->index) + " of " + std::to_string(shard->of)
                 : shard.error().text();
  }
  std::vector<const char*> names_;
};

TEST_F(ShardTest, IsWrittenAsAFraction) {
  EXPECT_EQ(text("3/16"), "3 of 16");
  for (const char* bad : {"", "3", "3/", "/3", "16/16", "-1/2", "0/0", "1/2x", "x/2", "1/2/3",
                          "99999999999999999999/2", " 1/2"})
    EXPECT_THAT(text(bad), HasSubstr("is no shard")) << bad;
}

TEST_F(ShardTest, OfAnArrayJobOfSlurm) {
  EXPECT_THAT(text("auto"), HasSubstr("no array job"));
  set("SLURM_ARRAY_TASK_ID", "21");
  EXPECT_THAT(text("auto"), HasSubstr("no array job"));
  set("SLURM_ARRAY_TASK_COUNT", "4");
  set("SLURM_ARRAY_TASK_MIN", "15");
  set("SLURM_ARRAY_TASK_STEP", "2");
  EXPECT_EQ(text("auto"), "3 of 4");
  set("SLURM_ARRAY_TASK_ID", "23");  // an array with holes: sbatch --array=15-21:2,23
  EXPECT_THAT(text("auto"), HasSubstr("is no shard"));
}

TEST_F(ShardTest, OfAnIndexedJob) {
  EXPECT_THAT(text("auto/8"), HasSubstr("JOB_COMPLETION_INDEX"));
  set("JOB_COMPLETION_INDEX", "5");
  EXPECT_EQ(text("auto/8"), "5 of 8");
  EXPECT_THAT(text("auto/5"), HasSubstr("is no shard"));
}

}  // namespace
}  // namespace qgpu::fuzz
