#include "tools/bench/scaling.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <thread>

#include "interpreter/base/progress.h"
#include "model/launch/decode.h"
#include "tools/bench/assembly_launches.h"
#include "tools/bench/kernels.h"
#include "tools/bench/timing.h"

namespace qgpu::bench {
namespace {

using protocol::Token;

// Rows at 1,000, 3,000, 10,000 ... tokens.
std::vector<LengthRow> lengths(const model::Circuit& circuit, std::int64_t longest) {
  const auto host = assemblyLaunch(kMemory, 1'000'000'000).hostTokens();
  model::MachineModel model(circuit);
  std::vector<LengthRow> rows;
  Progress progress("tokens", longest);
  std::int64_t tokens = 0, last = 0, next = 1000;
  double begin = processorSeconds();
  decode(model, host, longest, [&](const Token&) {
    if (++tokens % 256 == 0) progress.advance(256);
    if (tokens != next && tokens != longest) return;
    rows.push_back(
        {tokens, 1e6 * (processorSeconds() - begin) / static_cast<double>(tokens - last)});
    const std::string digits = std::to_string(next);
    next = digits[0] == '1' ? 3 * next : next / 3 * 10;
    last = tokens;
    begin = processorSeconds();
  });
  return rows;
}

std::vector<ShapeRow> shapes() {
  std::vector<ShapeRow> rows;
  for (const auto& [thread_blocks, warps] :
       {std::pair{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 8}, {4, 8}, {4, 1}, {16, 1}, {32, 1}}) {
    const BenchKernel kernel = sumOfSquares(thread_blocks, warps * kMachine.lanes);
    rows.push_back({thread_blocks, warps, static_cast<std::int64_t>(kernel.written.size())});
  }
  return rows;
}

// Each thread takes the next launch until none is left.
std::vector<BatchRow> batches(const model::Circuit& circuit, int cores, int most) {
  const BenchKernel kernel = benchKernels().front();
  std::vector<std::optional<model::MachineModel>> models(static_cast<std::size_t>(cores));
  for (auto& model : models) model.emplace(circuit);
  std::vector<BatchRow> rows;
  for (int launches = 1; launches <= most; launches *= 2) {
    std::atomic<int> next = 0;
    const double seconds = bestSeconds(
        0.1,
        [&] {
          next = 0;
          onThreads(std::min(cores, launches), [&](int thread) {
            model::MachineModel& model = *models[static_cast<std::size_t>(thread)];
            while (next++ < launches) {
              model.reset();
              decode(model, kernel.host, 1'000'000);
            }
          });
        },
        Time::Wall);
    rows.push_back({launches, static_cast<double>(kernel.tokens()) * launches / seconds});
  }
  return rows;
}

// A table with right-aligned columns, or the same in Markdown.
struct Columns {
  bool markdown;
  std::string text;

  void head(std::string_view title, const std::vector<std::string>& names) {
    text += markdown ? fmt::format("\n{}\n\n", title) : fmt::format("\n{}\n", title);
    row(names);
    if (markdown) {
      text += '|';
      for (std::size_t i = 0; i < names.size(); ++i) text += "---:|";
      text += '\n';
    }
  }
  void row(const std::vector<std::string>& cells) {
    if (markdown) text += '|';
    for (const std::string& cell : cells)
      text += markdown ? fmt::format(" {} |", cell) : fmt::format("{:>16}", cell);
    text += '\n';
  }
};

std::string tables(const Scaling& scaling, bool markdown) {
  Columns columns{markdown, {}};
  columns.head("One launch in the weights, ever longer:", {"tokens", "us a token"});
  for (const LengthRow& r : scaling.lengths)
    columns.row({std::to_string(r.tokens), fmt::format("{:.1f}", r.microseconds)});
  columns.head("Tokens of a kernel by its shape:",
               {"thread blocks", "warps in each", "tokens", "for each warp"});
  for (const ShapeRow& r : scaling.shapes)
    columns.row({std::to_string(r.thread_blocks), std::to_string(r.warps), std::to_string(r.tokens),
                 fmt::format("{:.1f}", r.eachWarp())});
  columns.head(fmt::format("Launches at once, on {} cores:", scaling.cores),
               {"launches", "tokens/s"});
  for (const BatchRow& r : scaling.batches)
    columns.row({std::to_string(r.launches), fmt::format("{:.0f}", r.tokens_per_second)});
  return columns.text;
}

}  // namespace

Scaling measureScaling(const model::Circuit& circuit, const ScalingOptions& options) {
  Scaling scaling;
  scaling.cores = options.cores > 0
                      ? options.cores
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  scaling.shapes = shapes();
  scaling.batches = batches(circuit, scaling.cores, options.most_launches);
  scaling.lengths = lengths(circuit, options.longest);
  return scaling;
}

std::string table(const Scaling& scaling) { return tables(scaling, false); }
std::string page(const Scaling& scaling) { return tables(scaling, true); }

nlohmann::ordered_json json(const Scaling& scaling) {
  using Json = nlohmann::ordered_json;
  Json lengths = Json::array(), shapes = Json::array(), batches = Json::array();
  for (const LengthRow& r : scaling.lengths)
    lengths.push_back({{"tokens", r.tokens}, {"microseconds", r.microseconds}});
  for (const ShapeRow& r : scaling.shapes)
    shapes.push_back(
        {{"thread_blocks", r.thread_blocks}, {"warps", r.warps}, {"tokens", r.tokens}});
  for (const BatchRow& r : scaling.batches)
    batches.push_back({{"launches", r.launches}, {"tokens_per_second", r.tokens_per_second}});
  return {{"cores", scaling.cores}, {"lengths", lengths}, {"shapes", shapes}, {"batches", batches}};
}

}  // namespace qgpu::bench
