#include "interpreter/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace qgpu {
namespace {

constexpr std::chrono::milliseconds kBetweenDrawings{100};

// "0:06", "12:34", "1:02:03"
std::string timeText(double seconds) {
  const std::int64_t s = std::llround(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

std::string progressLine(std::string_view what, std::int64_t done, std::int64_t total,
                         std::chrono::duration<double> elapsed) {
  const double seconds = elapsed.count();
  std::string line = fmt::format("{} {}", what, done);
  if (total != 0) line += fmt::format("/{}", total);
  if (done == 0 || seconds <= 0) return line;
  const double rate = static_cast<double>(done) / seconds;
  line += fmt::format("  {:.{}f}/s", rate, rate < 10 ? 1 : 0);
  if (total == 0) return line;
  return line + fmt::format("  ETA {}", timeText(static_cast<double>(total - done) / rate));
}

Progress::Progress(std::string_view what, std::int64_t total)
    : what_(what), total_(total), is_watched_(isatty(STDERR_FILENO) != 0), begin_(Clock::now()) {}

Progress::~Progress() {
  if (is_watched_ && drawn_ != Clock::time_point()) std::fputs("\r\x1b[K", stderr);
}

void Progress::advance(std::int64_t by) {
  done_ += by;
  if (!is_watched_) return;
  const auto now = Clock::now();
  if (now - drawn_ < kBetweenDrawings) return;
  drawn_ = now;
  std::fputs(fmt::format("\r\x1b[K{}", progressLine(what_, done_, total_, now - begin_)).c_str(),
             stderr);
}

}  // namespace qgpu
