#include "fuzz/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace qgpu::fuzz {
namespace {

// Large enough that a transaction for each costs nothing, small enough that a killed run loses
// little, and that every shard of a small campaign has several.
constexpr std::int64_t kLargestChunk = 256;
constexpr std::int64_t kChunksOfAShard = 16;

std::int64_t chunkSize(std::int64_t count, std::int64_t shards) {
  return std::clamp(count / shards / kChunksOfAShard, std::int64_t{1}, kLargestChunk);
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : integer(text);
}

tl::unexpected<Failure> noShard(const std::string& text) {
  return refuse(fmt::format("'{}' is no shard", text), "write i/n with 0 <= i < n, as 3/16");
}

Expected<Shard> inBounds(const Shard& shard, const std::string& text) {
  if (shard.of > 0 && shard.index >= 0 && shard.index < shard.of) return shard;
  return noShard(text);
}

Expected<Shard> slurmShard() {
  const auto id = variable("SLURM_ARRAY_TASK_ID"), count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count)
    return refuse("no array job says which shard this is",
                  "start it as one (SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT), write auto/n "
                  "where JOB_COMPLETION_INDEX is set, or write i/n");
  const std::int64_t least = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::int64_t step =
      std::max(variable("SLURM_ARRAY_TASK_STEP").value_or(1), std::int64_t{1});
  return inBounds({(*id - least) / step, *count},
                  fmt::format("task {} of {}, from {}", *id, *count, least));
}

}  // namespace

std::vector<Range> without(const Range& whole, std::span<const Range> taken) {
  std::vector<Range> rest;
  std::uint64_t at = whole.first;
  const auto add = [&](std::uint64_t end) {
    if (end > at) rest.push_back({at, static_cast<std::int64_t>(end - at)});
  };
  auto next = std::ranges::upper_bound(taken, whole.first, {}, &Range::end);
  for (; next != taken.end() && next->first < whole.end(); ++next) {
    add(next->first);
    at = next->end();
  }
  add(whole.end());
  return rest;
}

Expected<Shard> parseShard(const std::string& text) {
  if (text == "auto") return slurmShard();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return noShard(text);
  const std::string index = text.substr(0, slash);
  const auto i = index == "auto" ? variable("JOB_COMPLETION_INDEX") : integer(index);
  const auto n = integer(std::string_view(text).substr(slash + 1));
  if (index == "auto" && !i)
    return refuse("JOB_COMPLETION_INDEX is not set to a number",
                  "start an indexed job, or write i/n");
  return i && n ? inBounds({*i, *n}, text) : noShard(text);
}

Plan::Plan(const Range& range, const Shard& shard, std::vector<Range> done)
    : range_(range),
      shard_(shard),
      chunk_size_(chunkSize(range.count, shard.of)),
      taken_(std::move(done)),
      next_chunk_(shard.index) {
  const std::int64_t chunks = (range.count + chunk_size_ - 1) / chunk_size_;
  const std::int64_t own =
      std::max((chunks - shard.index + shard.of - 1) / shard.of, std::int64_t{0});
  const bool has_last = own > 0 && (chunks - 1) % shard.of == shard.index;
  pending_ = own * chunk_size_ - (has_last ? chunks * chunk_size_ - range.count : 0);
  for (const Range& taken : taken_) done_ += numbersOf(taken);
  pending_ -= done_;
}

// How many numbers of `taken` are this shard's.
std::int64_t Plan::numbersOf(const Range& taken) const {
  const std::uint64_t begin = std::max(taken.first, range_.first);
  const std::uint64_t end = std::min(taken.end(), range_.end());
  if (begin >= end) return 0;
  const auto from = static_cast<std::int64_t>(begin - range_.first);
  const auto to = static_cast<std::int64_t>(end - range_.first);
  std::int64_t sum = 0;
  for (std::int64_t i = from / chunk_size_; i * chunk_size_ < to; ++i)
    if (i % shard_.of == shard_.index)
      sum += std::min(to, (i + 1) * chunk_size_) - std::max(from, i * chunk_size_);
  return sum;
}

std::vector<Range> Plan::chunk(std::int64_t i) const {
  const std::int64_t at = i * chunk_size_;
  return without(
      {range_.first + static_cast<std::uint64_t>(at), std::min(chunk_size_, range_.count - at)},
      taken_);
}

std::optional<Range> Plan::next() {
  while (ready_.empty() && next_chunk_ * chunk_size_ < range_.count) {
    ready_ = chunk(next_chunk_);
    std::ranges::reverse(ready_);
    next_chunk_ += shard_.of;
  }
  if (ready_.empty()) return std::nullopt;
  const Range range = ready_.back();
  ready_.pop_back();
  return range;
}

}  // namespace qgpu::fuzz
