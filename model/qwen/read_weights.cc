#include "model/qwen/read_weights.h"

#include <atomic>
#include <chrono>
#include <cstring>

#include "model/qwen/tensors.h"

namespace qgpu::model {
namespace {

bool isRead(const TensorSpec& spec, const Config& config) {
  return config.tie_word_embeddings || spec.name != "embed_tokens.weight";
}

std::uint64_t sumOf(std::span<const std::byte> bytes) {
  std::uint64_t words[8];
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + sizeof words <= bytes.size(); i += sizeof words) {
    std::memcpy(words, bytes.data() + i, sizeof words);
    for (int j = 0; j < 8; ++j) sums[j] += words[j];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t s : sums) sum += s;
  return sum;
}

}  // namespace

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
      sink += sumOf(bytes.subspan(64 * first, 64 * (last - first)));
    });
  }
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return sink.load() == 1 ? elapsed.count() + 1e-12 : elapsed.count();
}

}  // namespace qgpu::model
