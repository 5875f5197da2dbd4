// Time as it is measured here: the best of several runs, since whatever else the machine does only
// ever adds to it. What one thread does is measured in processor time of this process, which leaves
// out the time that others have the core.
//
//   const double seconds = bestSeconds(0.3, [&] { model.feed(token); });
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace qgpu::bench {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Processor time of the process, so that it counts what a thread lets another do for it.
inline double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

enum class Time : unsigned char { Processor, Wall };

template <typename Work>
double secondsOf(Work work, Time time = Time::Processor) {
  const Clock::time_point begin = Clock::now();
  const double processor = processorSeconds();
  work();
  return time == Time::Wall ? secondsSince(begin) : processorSeconds() - processor;
}

// Runs `work` at least twice and until `least` seconds have passed.
template <typename Work>
double bestSeconds(double least, Work work, Time time = Time::Processor) {
  double best = 1e300, total = 0;
  for (int runs = 0; runs < 2 || total < least; ++runs) {
    const double seconds = secondsOf(work, time);
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

// Keeps a result, and so what computed it, from being optimised away.
template <typename T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

// `work(thread)` on several threads at once; the caller's is thread 0.
template <typename Work>
void onThreads(int threads, Work work) {
  std::vector<std::jthread> others;  // joins those that run where one does not start
  for (int t = 1; t < threads; ++t) others.emplace_back([&work, t] { work(t); });
  work(0);
  for (std::jthread& other : others) other.join();
}

}  // namespace qgpu::bench
