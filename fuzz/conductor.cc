#include "fuzz/conductor.h"

#include <algorithm>

namespace qgpu::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// After that time a chunk hands over what it has: a slow level, too, loses little when it is
// killed.
constexpr std::chrono::seconds kLongestChunk{30};

}  // namespace

Conductor::Conductor(const Campaign& campaign)
    : campaign_(campaign),
      plan_(campaign.range(), campaign.shard, campaign.done),
      progress_("launches", plan_.pending()) {
  result_.done = plan_.done();
}

double Conductor::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

bool Conductor::isOver() {
  return has_failed_ || findings_ >= campaign_.most_findings ||
         (campaign_.seconds > 0 && elapsed() >= campaign_.seconds) ||
         (campaign_.interrupted && campaign_.interrupted());
}

std::optional<Range> Conductor::next() {
  if (isOver()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return plan_.next();
}

void Conductor::take(const Range& range, Chunk chunk) {
  const std::lock_guard lock(mutex_);
  if (chunk.range.count < range.count)
    plan_.giveBack({chunk.range.end(), range.count - chunk.range.count});
  if (chunk.range.count == 0 || has_failed_) return;
  if (campaign_.record) {
    if (auto ok = campaign_.record(chunk); !ok) {
      result_.failure = std::move(ok.error());
      has_failed_ = true;
      return;
    }
  }
  result_.launches += chunk.range.count;
  result_.positions += chunk.positions;
  for (const auto& [reason, launches] : chunk.refusals) result_.refusals[reason] += launches;
  std::ranges::move(chunk.findings, std::back_inserter(result_.findings));
}

void Conductor::fail(Failure failure) {
  const std::lock_guard lock(mutex_);
  if (has_failed_.exchange(true)) return;
  result_.failure = std::move(failure);
}

void Conductor::ran(std::int64_t launches) {
  const std::lock_guard lock(mutex_);
  progress_.advance(launches);
}

ChunkHooks Conductor::hooks() {
  const auto begin = Clock::now();
  return {.stop = [this, begin] { return isOver() || Clock::now() - begin > kLongestChunk; },
          .found =
              [this] {
                found(1);
                return isOver();
              },
          .ran = [this](std::int64_t launches) { ran(launches); }};
}

Result Conductor::result() {
  result_.seconds = elapsed();
  const bool was_asked = is_interrupted_ || (campaign_.interrupted && campaign_.interrupted());
  result_.is_interrupted = was_asked && result_.launches < plan_.pending();
  std::ranges::sort(result_.findings, {}, &Finding::number);
  return std::move(result_);
}

}  // namespace qgpu::fuzz
