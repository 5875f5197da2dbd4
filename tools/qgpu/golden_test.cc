// `qgpu golden`, on a fixture that the CPU made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/recording.h"
#include "golden/testing/fixture.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;

class GoldenCommandTest : public CommandTest {
 protected:
  static const std::string& fixture() {
    static const std::string kText =
        golden::fixture({"dot", "bitonic_sort_16", "ptx_guards", "warp_sum", "accumulate"});
    return kText;
  }
  // The fixture with the dot product altered, under a seal of its own.
  static std::string altered() {
    std::string lines = fixture().substr(0, fixture().rfind("{\"end\""));
    const std::string_view right = "\"c\":[32]";
    return golden::sealed(lines.replace(lines.find(right), right.size(), "\"c\":[33]"));
  }
};

TEST_F(GoldenCommandTest, BothEnginesGiveWhatAFixtureHolds) {
  const std::string file = folder_.write("fixture.jsonl", fixture());
  const Outcome outcome = runCommand({"golden", "verify", file, "--fixture", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Json json = object(outcome);
  EXPECT_EQ(json["status"], "ok");
  const Json& recording = json["recordings"][0];
  EXPECT_EQ(recording["device"], golden::kFixtureDevice);
  EXPECT_EQ(recording["launches"], 5);
  for (const char* const engine : {"interpreter", "model"}) {
    const Json& counts = recording["engines"][engine];
    EXPECT_GE(counts["agrees"], 4) << engine;
    EXPECT_EQ(counts["agrees"].get<int>() + counts["refused"].get<int>(), 5) << engine;
  }
}

TEST_F(GoldenCommandTest, AnOutputThatDiffersIsNamed) {
  const std::string file = folder_.write("altered.jsonl", altered());
  const Outcome outcome =
      runCommand({"golden", "verify", file, "--fixture", "--engine", "interpreter"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("1 differ, 0 failed"));
  EXPECT_THAT(outcome.out, HasSubstr("dot in the interpreter differs: c[0]: expected 33, got 32"));
}

TEST_F(GoldenCommandTest, AFixtureAmongRecordingsIsRefused) {
  const std::string file = folder_.write("tesla-t4.jsonl", fixture());
  for (const char* const action : {"status", "verify"}) {
    const Outcome outcome = runCommand({"golden", action, file});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.error, HasSubstr("tesla-t4.jsonl:1:1: error: this is a test's fixture"));
  }
}

TEST_F(GoldenCommandTest, StatusSaysWhoRecordedWhat) {
  const std::string file = folder_.write("fixture.jsonl", fixture());
  const Outcome outcome = runCommand({"golden", "status", file, "--fixture"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("fixture.jsonl: synthetic fixture: not a device (0.0)"));
  EXPECT_THAT(outcome.out, HasSubstr("5 launches recorded, 0 omitted"));
}

}  // namespace
}  // namespace qgpu::testing
