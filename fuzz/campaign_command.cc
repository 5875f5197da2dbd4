#include "fuzz/campaign_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "fuzz/interruption.h"
#include "fuzz/ledger.h"
#include "fuzz/levels.h"
#include "fuzz/ranks.h"
#include "interpreter/base/files.h"
#include "model/weights/circuit_file.h"
#include "tools/api/circuit.h"

namespace qgpu::fuzz {
namespace {

// Findings become files before they are recorded: a ledger never holds one that has no file.
Expected<void> writeFindings(const Chunk& chunk, const std::filesystem::path& folder) {
  for (const Finding& finding : chunk.findings) {
    const auto path = folder / fmt::format("finding-{}.txt", finding.number);
    const std::string text =
        fmt::format("launch {}\n{}\n\n{}", finding.number, finding.difference, finding.text);
    if (auto ok = writeFileAtomically(path, text); !ok) return ok;
    for (const Finding::File& file : finding.files) {
      const auto beside = folder / fmt::format("finding-{}{}", finding.number, file.ending);
      if (auto ok = writeFileAtomically(beside, file.text); !ok) return ok;
    }
    fmt::print(stderr, "{}: {}\n", path.string(), finding.difference);
  }
  return {};
}

// Before anything runs: what is found hours later must have a place.
Expected<void> makeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder, error)) return {};
  return refuse(fmt::format("--out {}: no folder can be made there: {}", folder.string(),
                            error ? error.message() : "something else has that name"),
                "name another one");
}

Expected<std::unique_ptr<Level>> makeLevel(const CampaignOptions& options, const ModelUse& model) {
  for (const NamedLevel& level : levels())
    if (options.level == level.name)
      return level.make({.engine = options.engine, .plain = options.plain, .model = model});
  return refuse(fmt::format("there is no level '{}'", options.level), "see fuzz_launch --help");
}

// What of the options makes a launch's evidence another: "plain, without lift-mlps".
std::string optionsText(const CampaignOptions& options) {
  std::vector<std::string> parts;
  if (options.plain) parts.emplace_back("plain");
  for (const std::string& name : options.without) parts.push_back("without " + name);
  if (options.most_tokens > 0) parts.push_back(fmt::format("most {}", options.most_tokens));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A ledger and the campaign's book in it.
struct Journal {
  Ledger ledger;
  BookId book;
};

Expected<std::optional<Journal>> openJournal(const CampaignOptions& options,
                                             const std::string& weights) {
  if (options.ledger.empty()) return std::nullopt;
  auto ledger = Ledger::open(options.ledger);
  if (!ledger) return fail(std::move(ledger.error()));
  const auto book = ledger->book({.program = thisProgram(),
                                  .weights = weights,
                                  .level = options.level,
                                  .engine = options.engine,
                                  .options = optionsText(options)});
  if (!book) return fail(book.error());
  return Journal{std::move(*ledger), *book};
}

// How many findings of earlier runs lie in the campaign's range.
Expected<std::int64_t> earlierFindings(std::optional<Journal>& journal, const Campaign& campaign) {
  if (!journal) return 0;
  return journal->ledger.findings(journal->book, campaign.range()).map([](const auto& numbers) {
    return static_cast<std::int64_t>(numbers.size());
  });
}

void print(const CampaignOptions& options, const Result& r, std::int64_t earlier_findings) {
  const double seconds = std::max(r.seconds, 1e-9);
  const std::int64_t found = earlier_findings + static_cast<std::int64_t>(r.findings.size());
  if (options.json) {
    nlohmann::ordered_json object = {{"status", found > 0          ? "mismatch"
                                                : r.is_interrupted ? "interrupted"
                                                                   : "ok"},
                                     {"level", options.level},
                                     {"engine", options.engine},
                                     {"seed", options.campaign.seed},
                                     {"launches", r.launches},
                                     {"recorded_before", r.done},
                                     {"refusals", r.refusals},
                                     {"positions", r.positions},
                                     {"seconds", r.seconds},
                                     {"earlier_findings", earlier_findings},
                                     {"findings", nlohmann::json::array()}};
    for (const Finding& f : r.findings)
      object["findings"].push_back({{"number", f.number}, {"difference", f.difference}});
    fmt::print("{}\n", object.dump());
    return;
  }
  std::string text = fmt::format("{} launches, ", r.launches);
  if (r.done > 0) text += fmt::format("{} more recorded before, ", r.done);
  if (r.positions > 0) text += fmt::format("{} positions, ", r.positions);
  text += found == 0 ? "no difference" : fmt::format("{} differences", found);
  text += fmt::format(": {:.0f} s, {:.0f} launches/s", r.seconds,
                      static_cast<double>(r.launches) / seconds);
  if (r.positions > 0)
    text += fmt::format(", {:.0f} positions/s", static_cast<double>(r.positions) / seconds);
  for (const auto& [reason, launches] : r.refusals)
    text += fmt::format("\n  refused {}: {}", launches, reason);
  fmt::print("{}{}\n", text, r.is_interrupted ? "\n  interrupted; what ran counts" : "");
}

std::vector<std::string> levelNames() {
  std::vector<std::string> names;
  for (const NamedLevel& level : levels()) names.emplace_back(level.name);
  return names;
}

std::string levelHelp() {
  std::string text = "what is made: ";
  for (const NamedLevel& level : levels())
    text += fmt::format("{}{} ({})", &level == levels().data() ? "" : ", ", level.name, level.what);
  return text;
}

// What a campaign in a model runs on; nothing where none is wanted.
Expected<std::optional<model::Circuit>> circuitFor(const CampaignOptions& options) {
  if (options.engine != "model") return std::nullopt;
  return loadCircuit().map(
      [](model::Circuit circuit) { return std::optional(std::move(circuit)); });
}

int statusOf(const Result& result, std::int64_t earlier_findings) {
  if (!result.findings.empty() || earlier_findings > 0) return 1;
  if (!result.is_interrupted) return 0;
  return 128 + (interruption() == 0 ? SIGTERM : interruption());
}

// The campaign as rank 0 runs it: with its ledger, and with what it says.
Expected<int> lead(const Ranks& ranks, CampaignOptions& options, const std::string& weights) {
  Campaign& campaign = options.campaign;
  if (auto made = makeFolder(options.out); !made) return fail(made.error());
  auto journal = openJournal(options, weights);
  if (!journal) return fail(std::move(journal.error()));
  if (*journal) {
    auto done = (*journal)->ledger.recorded((*journal)->book);
    if (!done) return fail(std::move(done.error()));
    campaign.done = std::move(*done);
  }
  const auto earlier = earlierFindings(*journal, campaign);
  if (!earlier) return fail(earlier.error());
  campaign.record = [&](const Chunk& chunk) -> Expected<void> {
    if (auto ok = writeFindings(chunk, options.out); !ok || !*journal) return ok;
    return (*journal)->ledger.record((*journal)->book, chunk).map([](bool) {});
  };
  const Result result = ranks.size() > 1 ? ranks.conduct(campaign) : run(campaign);
  if (result.failure) return fail(*result.failure);
  print(options, result, *earlier);
  return statusOf(result, *earlier);
}

Expected<int> runOn(const Ranks& ranks, CampaignOptions& options) {
  if (ranks.size() > 1 && options.campaign.jobs > 1)
    return refuse("--jobs is for one process", "leave it out, and give mpirun more ranks");
  auto shard = parseShard(options.shard);
  if (!shard) return fail(std::move(shard.error()));
  options.campaign.shard = *shard;
  const auto circuit = circuitFor(options);
  if (!circuit) return fail(circuit.error());
  const auto shortcuts = model::shortcutsWithout(options.without);
  if (!shortcuts) return fail(shortcuts.error());
  const model::Circuit* weights = *circuit ? &**circuit : nullptr;
  ModelUse use(weights);
  use.shortcuts = *shortcuts;
  use.most_tokens = options.most_tokens;
  options.campaign.make = [&options, use] { return *makeLevel(options, use); };
  catchInterruptions();
  options.campaign.interrupted = [] { return interruption() != 0; };
  if (!ranks.isWorker())
    return lead(ranks, options, weights == nullptr ? "" : model::weightsHash(*weights));
  ranks.work(options.campaign.make);
  return 0;
}

}  // namespace

void addOptions(CLI::App& app, CampaignOptions& o) {
  app.add_option("--level", o.level, levelHelp())
      ->type_name("NAME")
      ->check(CLI::IsMember(levelNames()).description(""));
  app.add_option("--engine", o.engine,
                 "what must agree: interpreter (and a second executor), or model (with it)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"interpreter", "model"}).description(""));
  app.add_flag("--plain", o.plain,
               "the model writes token by token, all is compared after each; much slower");
  app.add_option("--without", o.without,
                 "the model goes without a shortcut (as in qgpu check), or without all")
      ->type_name("NAME");
  app.add_option("--most", o.most_tokens, "the model refuses launches of more tokens (0: none)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_option("--count", o.campaign.count, "launches in all shards together (1000)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  app.add_option("--time", o.campaign.seconds, "stop after that time")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--seed", o.campaign.seed, "the first launch's number (1)")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62).description(""));
  app.add_option("--jobs", o.campaign.jobs, "threads (1)")
      ->type_name("J")
      ->check(CLI::Range(1, 1024).description(""));
  app.add_option("--shard", o.shard, "this part of the campaign (0/1); auto in an array job")
      ->type_name("i/n");
  app.add_option("--ledger", o.ledger, "record what ran, and leave out what is recorded there")
      ->type_name("FILE");
  app.add_option("--out", o.out, "where findings are written, made where it is not there (.)")
      ->type_name("DIR");
  app.add_flag("--json", o.json, "one JSON object on standard output, nothing else");
}

namespace {

// A worker's level throws here; rank 0's in the threads of the campaign.
Expected<int> runGuarded(const Ranks& ranks, CampaignOptions& options) {
  try {
    return runOn(ranks, options);
  } catch (const CannotGoOn& reason) {
    return fail(reason.failure);
  }
}

}  // namespace

Expected<int> runCampaign(CampaignOptions& options) {
  const Ranks ranks;
  auto status = runGuarded(ranks, options);
  if (status || ranks.size() == 1) return status;
  fmt::print(stderr, "{}\n", status.error().text());
  ranks.abandon(exitStatus(status.error().kind));
}

}  // namespace qgpu::fuzz
