#include "tools/qgpu/model_bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "model/merged/merged_model.h"
#include "model/qwen/read_weights.h"
#include "tools/api/circuit.h"
#include "tools/api/memory.h"
#include "tools/api/qgpu.h"

namespace qgpu::cli {
namespace {

using model::MergedModel;
using model::TextState;
using model::TokenId;

constexpr std::size_t kPrompt = 32;
constexpr std::size_t kAfterLaunch = 4;
constexpr std::string_view kDot = R"(
__global__ void dot(const int* a, const int* b, int* c, int n) {
  if (threadIdx.x < n) atomicAdd(c, a[threadIdx.x] * b[threadIdx.x]);
})";

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<TokenId> someText(std::size_t count, std::size_t vocabulary) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i)
    tokens.push_back(static_cast<TokenId>(i * 2654435761u % vocabulary));
  return tokens;
}

Expected<Program> dotProduct() {
  const auto kernel = loadKernel({.text = std::string(kDot), .file_name = "dot.cu"}, "dot");
  if (!kernel) return fail(kernel.error());
  launch::Launch launch;
  launch.block = {3, 1, 1};
  launch.parameters = {launch::arrayOf("a", {1, 2, 3}), launch::arrayOf("b", {4, 5, 6}),
                       launch::arrayOf("c", {0}), launch::scalarOf("n", 3)};
  return compile(*kernel, launch);
}

Expected<void> launchDot(MergedModel& model, ModelBench& bench) {
  const auto program = dotProduct();
  if (!program) return fail(program.error());
  const Stopwatch watch;
  const model::Decoding run = model.launch(protocol::hostTokens(program->image), 1000);
  bench.launch_seconds = watch.seconds();
  bench.launch_tokens = run.written.size();
  const launch::Arrays arrays = readArrays(*program, model::globalMemory(model.machine()));
  std::int32_t result = 0;
  std::memcpy(&result, arrays.at("c").data(), sizeof result);
  bench.launch_result = result;
  return {};
}

// One text twice, with a launch in the middle of one of them; every logit after it is compared.
Expected<void> compareText(MergedModel& model, const TextState& middle, ModelBench& bench) {
  TextState with = middle, without = middle;
  const std::vector<TokenId> tokens = someText(kAfterLaunch, model.textTokens());
  std::vector<std::vector<float>> expected;
  for (const TokenId token : tokens) {
    auto logits = model.base().feed({&token, 1}, without);
    if (!logits) return fail(logits.error());
    expected.push_back(std::move(*logits));
  }
  if (auto done = launchDot(model, bench); !done) return done;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto logits = model.feed({&tokens[t], 1}, with);
    if (!logits) return fail(logits.error());
    for (std::size_t i = 0; i < logits->size(); ++i)
      bench.different_logits += std::memcmp(&(*logits)[i], &expected[t][i], sizeof(float)) != 0;
    bench.compared_logits += logits->size();
  }
  return {};
}

// Other work may share the cores: each round reads the weights and writes a token, so that both see
// the same machine.
Expected<void> decode(MergedModel& model, const ModelBenchOptions& options, TextState& text,
                      ModelBench& bench) {
  model::Workers workers(options.threads);
  bench.weight_bytes = model::weightBytes(model.config());
  bench.floor_seconds = bench.decode_seconds = 1e9;
  std::vector<double> ratios;
  const TokenId token = 17;
  for (int round = 0; round < options.rounds; ++round) {
    const double floor = model::secondsToReadWeights(model.base().checkpoint(), workers);
    const Stopwatch watch;
    const auto logits = model.feed({&token, 1}, text);
    const double decoded = watch.seconds();
    if (!logits) return fail(logits.error());
    bench.floor_seconds = std::min(bench.floor_seconds, floor);
    bench.decode_seconds = std::min(bench.decode_seconds, decoded);
    ratios.push_back(floor / decoded);
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  bench.decode_of_floor = *middle;
  return {};
}

std::size_t peakResidentBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

Expected<ModelBench> benchModel(const std::filesystem::path& folder,
                                const ModelBenchOptions& options) {
  ModelBench bench;
  const Stopwatch load;
  const auto circuit = loadCircuit(options.circuit);
  if (!circuit) return fail(circuit.error());
  auto opened = MergedModel::open(folder, *circuit, {.threads = options.threads});
  if (!opened) return fail(opened.error());
  bench.load_seconds = load.seconds();
  MergedModel& model = **opened;
  TextState text = model.newState();
  const std::vector<TokenId> prompt = someText(kPrompt, model.textTokens());
  if (auto first = model.feed(prompt, text); !first) return fail(first.error());  // reads the disk
  TextState again = model.newState();
  const Stopwatch prefill;
  if (auto second = model.feed(prompt, again); !second) return fail(second.error());
  bench.prefill_tokens_per_second = static_cast<double>(kPrompt) / prefill.seconds();
  if (auto done = compareText(model, text, bench); !done) return fail(done.error());
  if (auto done = decode(model, options, text, bench); !done) return fail(done.error());
  bench.peak_bytes = peakResidentBytes();
  return bench;
}

}  // namespace qgpu::cli
