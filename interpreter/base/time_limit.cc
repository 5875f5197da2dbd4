#include "interpreter/base/time_limit.h"

#include <sys/time.h>

#include <algorithm>
#include <csignal>

namespace qgpu {
namespace {

using std::chrono::milliseconds;

void setTimer(decltype(ITIMER_REAL) kind, milliseconds time) {
  itimerval timer{};
  timer.it_value.tv_sec = time.count() / 1000;
  timer.it_value.tv_usec = time.count() % 1000 * 1000;
  setitimer(kind, &timer, nullptr);
}

}  // namespace

void limitTime(milliseconds limit) {
  limit = std::max(limit, milliseconds(1));  // 0 would be no limit
  setTimer(ITIMER_PROF, limit);
  setTimer(ITIMER_REAL, limit * kRealTimeFactor);
}

void liftTimeLimit() {
  setTimer(ITIMER_PROF, milliseconds(0));
  setTimer(ITIMER_REAL, milliseconds(0));
}

bool isTimeLimit(int signal) { return signal == SIGPROF || signal == SIGALRM; }

}  // namespace qgpu
