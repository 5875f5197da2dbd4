// A campaign: many numbers of one level, on several threads.
//
//   Campaign campaign{.make = [&] { return machineLevel(Oracle::Model, &circuit); },
//                     .seed = 1, .count = 10'000, .jobs = 2};
//   const Result result = run(campaign);
//   result.findings;     // empty where all agreed
//
// The numbers are seed, seed + 1, ..., cut into chunks that the shards take in turn (plan.h). Who
// runs which, and on how many threads, changes nothing but the time.
//
// With `record`, each chunk is handed over when it has run; a campaign that is started again with
// what was recorded as `done` goes on where the first one was killed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/chunk.h"
#include "fuzz/level.h"
#include "fuzz/plan.h"

namespace qgpu::fuzz {

struct Campaign {
  std::function<std::unique_ptr<Level>()> make;  // one for each thread
  std::uint64_t seed = 1;
  std::int64_t count = 1000;
  int jobs = 1;  // threads; fewer where the system has no more
  Shard shard;
  double seconds = 0;      // stops after that time; 0: never
  int most_findings = 10;  // stops after that many

  std::vector<Range> done = {};  // not run again; in order, without overlaps
  // Called by one thread at a time. A failure ends the campaign.
  std::function<Expected<void>(const Chunk&)> record = {};
  std::function<bool()> interrupted =
      {};  // true ends the campaign; the parts that ran are recorded

  Range range() const { return {seed, count}; }
};

struct Result {
  std::int64_t launches = 0;  // of this run, as all here but the next one
  std::int64_t done = 0;      // launches of this shard that were not run again
  std::int64_t positions = 0;
  std::map<std::string, std::int64_t> refusals;  // launches by Outcome::refusal
  double seconds = 0;
  std::vector<Finding> findings;  // by number
  bool is_interrupted = false;
  std::optional<Failure> failure;  // of what records
};

Result run(const Campaign& campaign);

}  // namespace qgpu::fuzz
