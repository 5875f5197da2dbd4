// Some consecutive numbers of a level, run one after the other: the unit in which a campaign is
// given out, recorded and counted.
//
//   const Chunk chunk = runChunk(*level, {1, 256}, {});
//   chunk.range;      // {1, 256}: all of them ran
//   chunk.findings;   // empty where all agreed
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/level.h"
#include "fuzz/plan.h"

namespace qgpu::fuzz {

struct Chunk {
  Range range;  // what ran: a chunk that was stopped holds the first of its numbers
  std::int64_t positions = 0;
  double seconds = 0;                            // of one thread
  std::map<std::string, std::int64_t> refusals;  // launches by Outcome::refusal
  std::vector<Finding> findings;                 // by number
};

// What a chunk asks and tells while it runs; each may be empty.
struct ChunkHooks {
  std::function<bool()> stop;             // asked before each batch: true ends the chunk there
  std::function<bool()> found;            // told of each finding: true ends the chunk after it
  std::function<void(std::int64_t)> ran;  // told how many launches ran
};

Chunk runChunk(Level& level, const Range& range, const ChunkHooks& hooks);

// A chunk as one JSON object and back, for what sends chunks from process to process. `chunkFrom`
// takes what `toJson` gave.
nlohmann::json toJson(const Chunk& chunk);
Chunk chunkFrom(const nlohmann::json& json);

}  // namespace qgpu::fuzz
