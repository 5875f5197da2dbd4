#include "interpreter/base/progress.h"

#include <gtest/gtest.h>

namespace qgpu {
namespace {

using std::chrono::duration;

TEST(Progress, SaysRateAndTimeLeft) {
  EXPECT_EQ(progressLine("cases", 120, 360, duration<double>(3)), "cases 120/360  40/s  ETA 0:06");
  EXPECT_EQ(progressLine("cases", 1, 100, duration<double>(2)), "cases 1/100  0.5/s  ETA 3:18");
  EXPECT_EQ(progressLine("tokens", 1, 10001, duration<double>(1)),
            "tokens 1/10001  1.0/s  ETA 2:46:40");
}

TEST(Progress, SaysNothingOfRatesBeforeTheFirstStep) {
  EXPECT_EQ(progressLine("cases", 0, 9, duration<double>(1)), "cases 0/9");
}

TEST(Progress, SaysNothingOfAnEndThatIsNotKnown) {
  EXPECT_EQ(progressLine("tokens", 61200, 0, duration<double>(10)), "tokens 61200  6120/s");
  EXPECT_EQ(progressLine("tokens", 0, 0, duration<double>(10)), "tokens 0");
}

}  // namespace
}  // namespace qgpu
