// A fault of ours, as a script sees it.
#include "tools/qgpu/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace qgpu::cli {
namespace {

// Standard output goes to standard error, which the test sees.
void failACheck(bool json) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  reportBugsTo(Terminal::standard(json));
  check(false, "two is three");
}

TEST(TerminalDeathTest, ABugIsAMessage) {
  EXPECT_EXIT(failACheck(false), ::testing::ExitedWithCode(4),
              "bug in qgpu: two is three\n.*\n?  help: please report it with the command\n$");
}

TEST(TerminalDeathTest, ABugIsAnObjectToo) {
  EXPECT_EXIT(failACheck(true), ::testing::ExitedWithCode(4),
              "\\{\"status\":\"bug\",\"message\":\"two is three; please report it with the "
              "command\",\"location\":\"[^\"]*terminal_test.cc:[0-9]+\"\\}\n$");
}

}  // namespace
}  // namespace qgpu::cli
