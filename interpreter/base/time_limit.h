// A limit for a process that may never come to an end, a forked child as a rule.
//
//   limitTime(10s);     // of this process, from now on; a second call begins again
//   work();
//   liftTimeLimit();
//
// Processor time counts, so that a busy machine changes no outcome: the process gets SIGPROF when
// it is spent. Should the process stand still, SIGALRM comes after kRealTimeFactor times the limit
// by the clock. Both end a process that does not handle them.
#pragma once

#include <chrono>

namespace qgpu {

inline constexpr int kRealTimeFactor = 8;

void limitTime(std::chrono::milliseconds limit);
void liftTimeLimit();
// Whether a process that this signal ended had run into its limit.
bool isTimeLimit(int signal);

}  // namespace qgpu
