// A campaign: many numbers of one level, on several threads.
//
//   Campaign campaign{.make = [&] { return machineLevel(Oracle::Model, &circuit); },
//                     .seed = 1, .count = 10'000, .jobs = 2};
//   const Result result = run(campaign);
//   result.findings;     // empty where all agreed
//
// Launch i has the number seed + i; a shard runs those whose i leaves its index when divided by the
// number of shards. Who runs which, and on how many threads, changes nothing but the time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuzz/level.h"

namespace qgpu::fuzz {

struct Shard {
  std::int64_t index = 0;  // from 0
  std::int64_t of = 1;
};

struct Campaign {
  std::function<std::unique_ptr<Level>()> make;  // one for each thread
  std::uint64_t seed = 1;
  std::int64_t count = 1000;
  int jobs = 1;
  Shard shard;
  double seconds = 0;      // stops after that time; 0: never
  int most_findings = 10;  // stops after that many
};

struct Result {
  std::int64_t launches = 0;
  std::int64_t positions = 0;
  std::map<std::string, std::int64_t> refusals;  // launches by Outcome::refusal
  double seconds = 0;
  std::vector<Finding> findings;  // by number
};

Result run(const Campaign& campaign);

}  // namespace qgpu::fuzz
