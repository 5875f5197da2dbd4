#include "fuzz/chunk.h"

#include <algorithm>
#include <chrono>

namespace qgpu::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::uint64_t> numbersOf(std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t n = first; n < end; ++n) numbers.push_back(n);
  return numbers;
}

// What did not come again is kept too: something outside of the launch was at fault, or chance is
// at work where there should be none.
Finding findingOf(Level& level, std::uint64_t number, const std::string& difference) {
  Finding finding = level.minimal(number);
  if (finding.difference.empty())
    finding.difference = difference + " (once; all agree when the launch runs again)";
  return finding;
}

// Adds a launch; true where the chunk ends after it.
bool take(Chunk& chunk, Level& level, std::uint64_t number, const Outcome& outcome,
          const ChunkHooks& hooks) {
  ++chunk.range.count;
  chunk.positions += outcome.positions;
  if (!outcome.refusal.empty()) ++chunk.refusals[outcome.refusal];
  if (outcome.difference.empty()) return false;
  chunk.findings.push_back(findingOf(level, number, outcome.difference));
  return hooks.found && hooks.found();
}

}  // namespace

Chunk runChunk(Level& level, const Range& range, const ChunkHooks& hooks) {
  const auto begin = Clock::now();
  Chunk chunk{.range = {range.first, 0}, .refusals = {}, .findings = {}};
  const std::uint64_t batch = std::max<std::uint64_t>(level.batch(), 1);
  for (bool is_over = false; !is_over && chunk.range.count < range.count;) {
    if (hooks.stop && hooks.stop()) break;
    const auto numbers =
        numbersOf(chunk.range.end(), std::min(chunk.range.end() + batch, range.end()));
    const std::vector<Outcome> outcomes = level.runAll(numbers);
    for (std::size_t i = 0; i < numbers.size() && !is_over; ++i)
      is_over = take(chunk, level, numbers[i], outcomes[i], hooks);
    if (hooks.ran) hooks.ran(static_cast<std::int64_t>(numbers.size()));
  }
  chunk.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return chunk;
}

nlohmann::json toJson(const Chunk& chunk) {
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& f : chunk.findings) {
    nlohmann::json files = nlohmann::json::array();
    for (const Finding::File& file : f.files) files.push_back({file.ending, file.text});
    findings.push_back({f.number, f.difference, f.text, files});
  }
  return {{"first", chunk.range.first},   {"count", chunk.range.count},
          {"positions", chunk.positions}, {"seconds", chunk.seconds},
          {"refusals", chunk.refusals},   {"findings", findings}};
}

Chunk chunkFrom(const nlohmann::json& json) {
  Chunk chunk;
  chunk.range = {json["first"], json["count"]};
  chunk.positions = json["positions"];
  chunk.seconds = json["seconds"];
  for (const auto& [reason, launches] : json["refusals"].items()) chunk.refusals[reason] = launches;
  for (const auto& f : json["findings"]) {
    Finding finding{f[0], f[1], f[2], {}};
    for (const auto& file : f[3]) finding.files.push_back({file[0], file[1]});
    chunk.findings.push_back(std::move(finding));
  }
  return chunk;
}

}  // namespace qgpu::fuzz
