// What the threads or ranks of a campaign share: the plan, the sums, and whether it is over.
//
//   Conductor conductor(campaign);
//   while (const auto range = conductor.next())            // on any thread
//     conductor.take(*range, runChunk(*level, *range, conductor.hooks()));
//   Result result = conductor.result();                    // when all threads are done
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "fuzz/campaign.h"
#include "interpreter/base/progress.h"

namespace qgpu::fuzz {

class Conductor {
 public:
  // `campaign` outlives it.
  explicit Conductor(const Campaign& campaign);

  // The next numbers to run; nothing where there are none or the campaign is over.
  std::optional<Range> next();
  // Counts and records what ran of `range`; the rest of it is given out again.
  void take(const Range& range, Chunk chunk);

  // Ends the campaign: it cannot go on here.
  void fail(Failure failure);

  bool isOver();
  // For a chunk that runs in this process.
  ChunkHooks hooks();
  // For one that ran elsewhere: findings count and progress is shown.
  void found(std::int64_t findings) { findings_ += findings; }
  void ran(std::int64_t launches);

  // Somebody who ran a part of the campaign was told to end. The result says so where others have
  // not run that part.
  void interrupt() { is_interrupted_ = true; }

  Result result();

 private:
  double elapsed() const;

  const Campaign& campaign_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> findings_{0};
  std::atomic<bool> has_failed_{false}, is_interrupted_{false};
  std::mutex mutex_;  // of the rest
  Plan plan_;
  Progress progress_;
  Result result_;
};

}  // namespace qgpu::fuzz
