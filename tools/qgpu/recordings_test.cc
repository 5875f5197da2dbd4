// The recordings of real devices, if there are any: both engines give what they hold.
#include <gtest/gtest.h>

#include "golden/recording.h"
#include "tools/testing/process.h"

namespace qgpu::testing {
namespace {

TEST(DeviceRecordings, AreWhatBothEnginesGive) {
  if (golden::recordingFiles().empty())
    GTEST_SKIP() << "no device recordings yet: golden/README.md says how to make them";
  const Outcome outcome = runCommand({"golden", "verify"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.error;
}

}  // namespace
}  // namespace qgpu::testing
