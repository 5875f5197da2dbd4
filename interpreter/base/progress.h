// A line that says how far long work has come, where a person watches.
//
//   Progress progress("cases", cases.size());
//   for (...) { ...; progress.advance(); }        // cases 120/355  41/s  ETA 0:06
//
// A total of 0 is one that nobody knows: tokens 61200  6120/s
//
// It is drawn on standard error, at most ten times a second, only if that is a terminal, and
// cleared at the end; in a pipe nothing is written.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace qgpu {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string_view what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t by = 1);

 private:
  std::string what_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool is_watched_;
  Clock::time_point begin_, drawn_;
};

// "cases 120/355  41/s  ETA 0:06", or where the total is 0 "cases 120  41/s"
std::string progressLine(std::string_view what, std::int64_t done, std::int64_t total,
                         std::chrono::duration<double> elapsed);

}  // namespace qgpu
