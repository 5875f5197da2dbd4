// Decoding against the memory's bandwidth (read_weights.h).
//
// QGPU_MODEL names a checkpoint folder, such as the full shape made by writeSyntheticCheckpoint
// with qwen2bConfig(). Without it a checkpoint of four layers of that shape is made and removed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "model/qwen/read_weights.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/text_model.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::model {
namespace {

constexpr int kThreads = 2;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const std::filesystem::path& folder() {
  static const TemporaryFolder temporary;
  static const std::filesystem::path chosen = [] {
    if (const char* given = std::getenv("QGPU_MODEL")) return std::filesystem::path(given);
    Config config = qwen2bConfig();
    config.layers.resize(4);
    config.vocab_size = 1 << 15;
    config.end_tokens.clear();
    check(writeSyntheticCheckpoint(temporary.path(), {.config = config}).has_value(),
          "a synthetic checkpoint can be written");
    return temporary.path();
  }();
  return chosen;
}

TextModel& model() {
  static TextModel opened = *TextModel::open(folder(), {.threads = kThreads});
  return opened;
}

// Bytes a second; the best of five.
double floorBandwidth() {
  const Checkpoint checkpoint = *Checkpoint::open(folder());
  Workers workers(kThreads);
  double best = 1e9;
  for (int round = 0; round < 5; ++round)
    best = std::min(best, secondsToReadWeights(checkpoint, workers));
  return static_cast<double>(weightBytes(checkpoint.config())) / best;
}

void BM_Decode(benchmark::State& state) {
  const double floor = floorBandwidth();
  TextState text = model().newState();
  std::vector<TokenId> prompt(32, 17);
  check(model().feed(prompt, text).has_value(), "the prompt is accepted");
  double best = 1e9;
  for (auto _ : state) {
    const double start = seconds();
    const auto logits = model().feed({prompt.data(), 1}, text);
    benchmark::DoNotOptimize(logits->data());
    best = std::min(best, seconds() - start);
  }
  const double bandwidth =
      static_cast<double>(weightBytes(model().config())) * static_cast<double>(state.iterations());
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["GB/s"] = benchmark::Counter(bandwidth * 1e-9, benchmark::Counter::kIsRate);
  state.counters["floor_GB/s"] = floor * 1e-9;
  state.counters["best_of_floor"] =
      static_cast<double>(weightBytes(model().config())) / best / floor;
}
BENCHMARK(BM_Decode)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(5.0);

void BM_Prefill(benchmark::State& state) {
  const std::vector<TokenId> prompt(64, 17);
  for (auto _ : state) {
    TextState text = model().newState();
    const auto logits = model().feed(prompt, text);
    benchmark::DoNotOptimize(logits->data());
  }
  state.counters["tokens/s"] = benchmark::Counter(
      static_cast<double>(prompt.size()) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Prefill)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);

void BM_Open(benchmark::State& state) {
  for (auto _ : state) {
    auto opened = TextModel::open(folder(), {.threads = kThreads});
    benchmark::DoNotOptimize(opened->config().vocab_size);
  }
}
BENCHMARK(BM_Open)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace qgpu::model
