// The campaign driver: random launches on engines that must agree.
//
//   fuzz_launch --level machine --engine model --count 10000 --jobs 2
//
// Exit status: 0 nothing was found · 1 something was, and its minimal form is written · 2 usage.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "fuzz/campaign.h"
#include "interpreter/base/files.h"
#include "tools/api/circuit.h"

namespace qgpu::fuzz {
namespace {

struct Options {
  std::string level = "machine", engine = "interpreter", shard = "0/1", out = ".";
  Campaign campaign;
  bool json = false, plain = false;
};

constexpr std::string_view kExample =
    "Example\n"
    "  $ fuzz_launch --level machine --engine model --count 1000\n"
    "  1000 launches, 398312 positions, no difference: 83 s, 12 launches/s, 4798 positions/s\n"
    "\n"
    "A launch is made from its number alone: --seed S --count 1 runs launch S again, on any "
    "machine.\n"
    "With --shard i/n every n-th launch is run, from the i-th on; the n shards together are the\n"
    "campaign. What is found is made small and written to DIR/finding-NUMBER.txt.\n";

void addOptions(CLI::App& app, Options& o) {
  app.add_option("--level", o.level, "what is made: machine (blocks of instructions)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"machine"}).description(""));
  app.add_option("--engine", o.engine,
                 "what must agree: interpreter (and a second executor), or model (with it)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"interpreter", "model"}).description(""));
  app.add_flag("--plain", o.plain,
               "the model writes token by token, all is compared after each; much slower");
  app.add_option("--count", o.campaign.count, "launches in all shards together (1000)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  app.add_option("--time", o.campaign.seconds, "stop after that time")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--seed", o.campaign.seed, "the first launch's number (1)")->type_name("S");
  app.add_option("--jobs", o.campaign.jobs, "threads (1)")
      ->type_name("J")
      ->check(CLI::Range(1, 1024).description(""));
  app.add_option("--shard", o.shard, "this part of the campaign (0/1)")->type_name("i/n");
  app.add_option("--out", o.out, "where findings are written (.)")->type_name("DIR");
  app.add_flag("--json", o.json, "one JSON object on standard output, nothing else");
}

Expected<Shard> parseShard(const std::string& text) {
  Shard shard;
  int end = 0;
  if (std::sscanf(text.c_str(), "%ld/%ld%n", &shard.index, &shard.of, &end) == 2 &&
      static_cast<std::size_t>(end) == text.size() && shard.of > 0 && shard.index >= 0 &&
      shard.index < shard.of)
    return shard;
  return refuse(fmt::format("'{}' is no shard", text), "write i/n with 0 <= i < n, as 3/16");
}

Expected<void> writeFindings(const Result& result, const std::string& folder) {
  for (const Finding& finding : result.findings) {
    const auto path = std::filesystem::path(folder) / fmt::format("finding-{}.txt", finding.number);
    const std::string text =
        fmt::format("launch {}\n{}\n\n{}", finding.number, finding.difference, finding.text);
    if (auto ok = writeFileAtomically(path, text); !ok) return ok;
    fmt::print(stderr, "{}: {}\n", path.string(), finding.difference);
  }
  return {};
}

void print(const Options& options, const Result& r) {
  const double seconds = std::max(r.seconds, 1e-9);
  if (options.json) {
    nlohmann::ordered_json object = {{"status", r.findings.empty() ? "ok" : "mismatch"},
                                     {"level", options.level},
                                     {"engine", options.engine},
                                     {"seed", options.campaign.seed},
                                     {"launches", r.launches},
                                     {"positions", r.positions},
                                     {"seconds", r.seconds},
                                     {"findings", nlohmann::json::array()}};
    for (const Finding& f : r.findings)
      object["findings"].push_back({{"number", f.number}, {"difference", f.difference}});
    fmt::print("{}\n", object.dump());
    return;
  }
  std::string text = fmt::format("{} launches, ", r.launches);
  if (r.positions > 0) text += fmt::format("{} positions, ", r.positions);
  text += r.findings.empty() ? "no difference" : fmt::format("{} differences", r.findings.size());
  text += fmt::format(": {:.0f} s, {:.0f} launches/s", r.seconds,
                      static_cast<double>(r.launches) / seconds);
  if (r.positions > 0)
    text += fmt::format(", {:.0f} positions/s", static_cast<double>(r.positions) / seconds);
  fmt::print("{}\n", text);
}

Expected<int> runCampaign(Options& options) {
  const auto shard = parseShard(options.shard);
  if (!shard) return fail(shard.error());
  options.campaign.shard = *shard;
  model::Circuit circuit;
  const bool in_model = options.engine == "model";
  if (in_model) {
    auto loaded = loadCircuit();
    if (!loaded) return fail(std::move(loaded.error()));
    circuit = std::move(*loaded);
  }
  options.campaign.make = [&] {
    return machineLevel(!in_model       ? Oracle::Interpreter
                        : options.plain ? Oracle::ModelAlone
                                        : Oracle::Model,
                        &circuit);
  };
  const Result result = run(options.campaign);
  if (auto ok = writeFindings(result, options.out); !ok) return fail(std::move(ok.error()));
  print(options, result);
  return result.findings.empty() ? 0 : 1;
}

int main(int argc, char** argv) {
  CLI::App app("Random launches on engines that must agree");
  app.footer(std::string(kExample));
  Options options;
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "error: {}\n  help: see fuzz_launch --help\n", error.what());
    return 2;
  }
  const auto status = runCampaign(options);
  if (status) return *status;
  fmt::print(stderr, "{}\n", status.error().text());
  return exitStatus(status.error().kind);
}

}  // namespace
}  // namespace qgpu::fuzz

int main(int argc, char** argv) { return qgpu::fuzz::main(argc, argv); }
