#include "interpreter/base/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

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
  EXPECT_EQ(progressLine("cases", 3, 9, duration<double>(0)), "cases 3/9");
  EXPECT_EQ(progressLine("cases", 0, 9, duration<double>(1)), "cases 0/9");
}

TEST(Progress, SaysNothingOfAnEndThatIsNotKnown) {
  EXPECT_EQ(progressLine("tokens", 61200, 0, duration<double>(10)), "tokens 61200  6120/s");
  EXPECT_EQ(progressLine("tokens", 0, 0, duration<double>(10)), "tokens 0");
}

// Standard error on a terminal, for as long as this lives.
class Terminal {
 public:
  Terminal() : keyboard_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)), before_(::dup(2)) {
    EXPECT_EQ(::grantpt(keyboard_), 0);
    EXPECT_EQ(::unlockpt(keyboard_), 0);
    const int screen = ::open(::ptsname(keyboard_), O_RDWR | O_NOCTTY);
    ::dup2(screen, 2);
    ::close(screen);
  }
  ~Terminal() {
    ::dup2(before_, 2);
    ::close(before_);
    ::close(keyboard_);
  }
  // What was written since the last call.
  std::string written() {
    std::fflush(stderr);
    char text[1 << 12];
    const ssize_t size = ::read(keyboard_, text, sizeof text);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  int keyboard_, before_;
};

TEST(Progress, IsDrawnOnATerminalAndClearedAtTheEnd) {
  Terminal terminal;
  {
    Progress progress("cases", 4);
    EXPECT_EQ(terminal.written(), "");
    progress.advance();
    const std::string line = terminal.written();
    EXPECT_EQ(line.substr(0, 13), "\r\x1b[Kcases 1/4");
    progress.advance();  // too soon after the first
    EXPECT_EQ(terminal.written(), "");
  }
  EXPECT_EQ(terminal.written(), "\r\x1b[K");
  {
    Progress unused("cases", 4);
  }
  EXPECT_EQ(terminal.written(), "");
}

TEST(Progress, SaysNothingInAPipe) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_NONBLOCK), 0);
  const int before = ::dup(2);
  ::dup2(pipe[1], 2);
  {
    Progress progress("cases", 4);
    progress.advance();
  }
  ::dup2(before, 2);
  char byte = 0;
  EXPECT_LT(::read(pipe[0], &byte, 1), 0);
  for (const int fd : {before, pipe[0], pipe[1]}) ::close(fd);
}

}  // namespace
}  // namespace qgpu
