#include "model/qwen/read_weights.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>

#include "model/qwen/tensors.h"

namespace qgpu::model {
namespace {

bool isRead(const TensorSpec& spec, const Config& config) {
  return config.tie_word_embeddings || spec.name != "embed_tokens.weight";
}

}  // namespace

std::uint64_t sumInStreams(std::span<const std::byte> bytes) {
  constexpr std::size_t kLine = 64, kStreams = 8;
  const std::size_t lines = bytes.size() / kLine / kStreams;  // of each stream
  std::uint64_t words[kLine / sizeof(std::uint64_t)], sums[std::size(words)] = {};
  const auto add = [&](std::size_t at) {
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t j = 0; j < std::size(words); ++j) sums[j] += words[j];
  };
  for (std::size_t i = 0; i < lines; ++i)
    for (std::size_t s = 0; s < kStreams; ++s) add((s * lines + i) * kLine);
  for (std::size_t at = kStreams * lines * kLine; at + kLine <= bytes.size(); at += kLine) add(at);
  std::uint64_t sum = 0;
  for (const std::uint64_t s : sums) sum += s;
  return sum;
}

std::size_t weightBytes(const Config& config) {
  std::size_t bytes = 0;
  for (const TensorSpec& spec : tensorsOf(config)) {
    std::size_t size = sizeof(bfloat16);
    for (const std::size_t n : spec.shape) size *= n;
    if (isRead(spec, config)) bytes += size;
  }
  return bytes;
}

double secondsToReadWeights(const Checkpoint& checkpoint, Workers& workers) {
  using Clock = std::chrono::steady_clock;
  std::atomic<std::uint64_t> sink = 0;  // the sum is used, so that the loop stays
  const auto begin = Clock::now();
  for (const TensorSpec& spec : tensorsOf(checkpoint.config())) {
    if (!isRead(spec, checkpoint.config())) continue;
    const std::span<const std::byte> bytes = checkpoint.tensor(spec.name).bytes;
    workers.forRanges(bytes.size() / 64, 1024, [&](std::size_t first, std::size_t last) {
      sink += sumInStreams(bytes.subspan(64 * first, 64 * (last - first)));
    });
  }
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return sink.load() == 1 ? elapsed.count() + 1e-12 : elapsed.count();
}

}  // namespace qgpu::model
