#include <fmt/format.h>

#include "interpreter/base/progress.h"
#include "model/qwen/check_folder.h"
#include "model/qwen/new_folder.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/tensors.h"
#include "tools/qgpu/model_bench.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

// Counts bytes in megabytes.
class Megabytes {
 public:
  Megabytes(std::string_view what, std::uintmax_t bytes)
      : progress_(what, static_cast<std::int64_t>(bytes) / kMegabyte) {}
  void add(std::size_t bytes) {
    bytes_ += static_cast<std::int64_t>(bytes);
    if (bytes_ < kMegabyte) return;
    progress_.advance(bytes_ / kMegabyte);
    bytes_ %= kMegabyte;
  }

 private:
  Progress progress_;
  std::int64_t bytes_ = 0;
};

std::uintmax_t fileBytes(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  return bytes;
}

class ModelVerb : public Verb {
 public:
  std::string_view name() const override { return "model"; }
  std::string_view summary() const override {
    return "Check a base model's folder, make a random one, measure one";
  }
  std::string_view synopsis() const override { return "check|synthesize|bench DIR [options]"; }
  std::string_view example() const override {
    return "  $ qgpu model check Qwen3.5-2B\n"
           "  config.json     ok    24 layers of width 2048, 1881825088 parameters, the shape of "
           "Qwen3.5-2B\n"
           "  weights         ok    320 tensors, 3763650176 bytes in all files\n"
           "  tokenizer.json  ok    248077 tokens\n"
           "  hashes          ok    2 files are as their download noted\n"
           "\n"
           "`check` says what is in the folder, what is wrong or missing and where to get it.\n"
           "`synthesize` writes random weights in the stock form, small ones in a moment or the\n"
           "3.8 GB of Qwen3.5-2B's shape. `bench` shows what the model costs on this machine, and\n"
           "that a launch in the middle of a text leaves every logit after it as it was.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("action", action_, "what to do")
        ->type_name("check|synthesize|bench")
        ->required()
        ->check(CLI::IsMember({"check", "synthesize", "bench"}).description(""));
    app.add_option("folder", folder_, "the base model's folder; of `synthesize`, a new one")
        ->type_name("DIR")
        ->required();
    app.add_option("--shape", shape_, "synthesize: 4 layers of width 64, or Qwen3.5-2B's")
        ->type_name("small|2b")
        ->check(CLI::IsMember({"small", "2b"}).description(""));
    app.add_option("--seed", seed_, "synthesize: of the weights (0)")->type_name("N");
    app.add_option("--threads", bench_.threads, "bench: threads (2)")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
    app.add_option("--rounds", bench_.rounds, "bench: tokens to measure (8)")
        ->type_name("N")
        ->check(CLI::Range(1, 10'000));
    app.add_option("--circuit", bench_.circuit, "bench: a circuit file, not the installed one")
        ->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    if (action_ == "check") return check(terminal);
    if (action_ == "synthesize") return synthesize(terminal);
    return bench(terminal);
  }

 private:
  Expected<int> check(const Terminal& terminal) const {
    Megabytes hashed("hashing MB", fileBytes(folder_));
    const model::FolderReport report =
        model::checkModelFolder(folder_, [&](std::size_t bytes) { hashed.add(bytes); });
    terminal.print(report.text());
    Json items = Json::array();
    for (const model::FolderItem& item : report.items)
      items.push_back({{"what", item.what}, {"good", item.good}, {"detail", item.detail}});
    Json object = {{"status", report.good() ? "ok" : "refusal"},
                   {"items", items},
                   {"is_qwen_2b", report.is_qwen_2b}};
    if (!report.good()) object["message"] = report.advice;
    if (terminal.json()) terminal.object(object);
    return report.good() ? kDone : exitStatus(FailureKind::Refusal);
  }

  Expected<int> synthesize(const Terminal& terminal) const {
    const model::Config config = shape_ == "2b" ? model::qwen2bConfig() : model::smallConfig();
    const std::size_t bytes = 2 * model::parameterCount(config);
    auto folder = model::NewFolder::create(folder_, bytes + 100 * kMegabyte);
    if (!folder) return fail(folder.error());
    Megabytes progress("writing MB", bytes);
    const model::SyntheticOptions options{
        .config = config, .seed = seed_, .on_written = [&](std::size_t n) { progress.add(n); }};
    if (auto done = model::writeSyntheticCheckpoint(folder->path(), options); !done)
      return fail(done.error());
    if (auto kept = folder->keep(); !kept) return fail(kept.error());
    terminal.print(fmt::format("{}: {} random parameters, {} layers of width {}\n", folder_,
                               model::parameterCount(config), config.layers.size(),
                               config.hidden_size));
    if (terminal.json())
      terminal.object({{"status", "ok"},
                       {"folder", folder_},
                       {"parameters", model::parameterCount(config)},
                       {"seed", seed_}});
    return kDone;
  }

  Expected<int> bench(const Terminal& terminal) const {
    const auto result = benchModel(folder_, bench_);
    if (!result) return fail(result.error());
    terminal.print(benchText(*result));
    if (terminal.json()) terminal.object(benchJson(*result));
    return result->exact() ? kDone : kDisagreement;
  }

  std::string benchText(const ModelBench& b) const {
    const double gigabytes = static_cast<double>(b.weight_bytes) * 1e-9;
    return fmt::format(
        "load     {:.2f} s, {:.2f} GB of weights mapped\n"
        "memory   {:.2f} GB resident at most, the mapped weights included\n"
        "prefill  {:.1f} tokens/s\n"
        "decode   {:.2f} tokens/s, {:.1f} GB/s: {:.0f} % of the time is what {} threads take to "
        "read the weights\n"
        "         ({:.1f} GB/s; best of {} rounds; the median round {:.0f} %)\n"
        "launch   [1, 2, 3] @ [4, 5, 6] = {} in the middle of a text: {} tokens, {:.0f} ms with "
        "the host's\n"
        "text     after the launch {} of {} logits differ from the text without it\n",
        b.load_seconds, gigabytes, static_cast<double>(b.peak_bytes) * 1e-9,
        b.prefill_tokens_per_second, 1 / b.decode_seconds, gigabytes / b.decode_seconds,
        100 * b.floor_seconds / b.decode_seconds, bench_.threads, gigabytes / b.floor_seconds,
        bench_.rounds, 100 * b.decode_of_floor, b.launch_result, b.launch_tokens,
        1e3 * b.launch_seconds, b.different_logits, b.compared_logits);
  }

  static Json benchJson(const ModelBench& b) {
    return {{"status", b.exact() ? "ok" : "mismatch"},
            {"load_seconds", b.load_seconds},
            {"peak_bytes", b.peak_bytes},
            {"weight_bytes", b.weight_bytes},
            {"prefill_tokens_per_second", b.prefill_tokens_per_second},
            {"decode_seconds", b.decode_seconds},
            {"floor_seconds", b.floor_seconds},
            {"decode_of_floor", b.floor_seconds / b.decode_seconds},
            {"median_of_floor", b.decode_of_floor},
            {"launch_result", b.launch_result},
            {"launch_tokens", b.launch_tokens},
            {"launch_seconds", b.launch_seconds},
            {"compared_logits", b.compared_logits},
            {"different_logits", b.different_logits}};
  }

  std::string action_, folder_, shape_ = "small";
  std::uint64_t seed_ = 0;
  ModelBenchOptions bench_;
};

}  // namespace

std::unique_ptr<Verb> modelVerb() { return std::make_unique<ModelVerb>(); }

}  // namespace qgpu::cli
