#include "interpreter/base/time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

namespace qgpu {
namespace {

using namespace std::chrono_literals;

// The signal that ends a process under a limit, or 0 where it ends by itself.
int endOf(std::chrono::milliseconds limit, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    limitTime(limit);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void compute() {
  for (volatile bool forever = true; forever;) {
  }
}

TEST(TimeLimit, ProcessorTimeCounts) {
  EXPECT_EQ(endOf(20ms, compute), SIGPROF);
  // No time is not no limit; which of the two clocks is first then is open.
  EXPECT_THAT(endOf(0ms, compute), ::testing::AnyOf(SIGPROF, SIGALRM));
  EXPECT_EQ(endOf(50ms, [] { std::this_thread::sleep_for(100ms); }), 0);
}

TEST(TimeLimit, AProcessThatStandsStillIsEndedToo) {
  EXPECT_EQ(endOf(5ms, [] { pause(); }), SIGALRM);
}

TEST(TimeLimit, ItIsLifted) {
  EXPECT_EQ(endOf(5ms,
                  [] {
                    liftTimeLimit();
                    std::this_thread::sleep_for(60ms);
                  }),
            0);
}

TEST(TimeLimit, ItsSignalsAreKnown) {
  EXPECT_TRUE(isTimeLimit(SIGPROF));
  EXPECT_TRUE(isTimeLimit(SIGALRM));
  EXPECT_FALSE(isTimeLimit(SIGSEGV));
}

}  // namespace
}  // namespace qgpu
