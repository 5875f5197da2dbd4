// Who runs which numbers of a campaign: its range is cut into chunks, the chunks are dealt out to
// the shards in turn, and what a ledger holds already is left out.
//
//   Plan plan({.first = 1, .count = 1000}, {.index = 0, .of = 2});
//   plan.next();    // {1, 31}
//   plan.next();    // {63, 31}, after which come 125, 187, ...
//   plan.next();    // at the end nothing
//
// The cut depends on the range and the number of shards only: whatever the threads, ranks and
// restarts of each shard, the shards together run each number once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::fuzz {

// The numbers first, first + 1, ..., first + count - 1.
struct Range {
  std::uint64_t first = 0;
  std::int64_t count = 0;

  std::uint64_t end() const { return first + static_cast<std::uint64_t>(count); }
  friend bool operator==(const Range&, const Range&) = default;
};

// Of `whole`, what is in none of `taken`. These are in the order of their first numbers, and do not
// overlap.
std::vector<Range> without(const Range& whole, std::span<const Range> taken);

struct Shard {
  std::int64_t index = 0;  // from 0
  std::int64_t of = 1;
};

// "3/16", the fourth of sixteen. "auto" asks the environment which one this job is: an array job of
// Slurm (SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT), with ids that have no holes. "auto/16" is
// for an indexed job of Kubernetes, whose JOB_COMPLETION_INDEX comes without the number of jobs.
// Refused: other texts, and indexes outside 0 ... n - 1.
Expected<Shard> parseShard(const std::string& text);

class Plan {
 public:
  // `done` as `taken` above.
  Plan(const Range& range, const Shard& shard, std::vector<Range> done = {});

  // What is to be run next; nothing where all has been given out. For one thread at a time.
  std::optional<Range> next();
  // Part of what next() gave, to be given out again.
  void giveBack(const Range& range) { ready_.push_back(range); }

  // How many numbers next() gives out in all, and how many of this shard's were done before.
  std::int64_t pending() const { return pending_; }
  std::int64_t done() const { return done_; }

 private:
  std::int64_t numbersOf(const Range& taken) const;
  std::vector<Range> chunk(std::int64_t i) const;  // without what was done

  Range range_;
  Shard shard_;
  std::int64_t chunk_size_;
  std::vector<Range> taken_;
  std::int64_t next_chunk_;
  std::vector<Range> ready_;  // of the chunk last looked at, the last one first
  std::int64_t pending_ = 0, done_ = 0;
};

}  // namespace qgpu::fuzz
