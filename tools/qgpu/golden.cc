#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>

#include "golden/recording.h"
#include "golden/verify.h"
#include "interpreter/base/progress.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

using golden::Outcome;
using golden::Recording;

constexpr std::array kOutcomes = {Outcome::Agrees, Outcome::Refused, Outcome::Differs,
                                  Outcome::Failed};

constexpr std::string_view kNone =
    "no device recordings yet: golden/README.md says how to make them";

// A launch that an engine does not answer as the device did.
struct Fault {
  std::string launch, engine;
  golden::Verdict verdict;
  int line = 0;
};

struct FileReport {
  std::string file;
  Recording recording;
  std::map<std::string, std::map<Outcome, std::size_t>> outcomes;  // by engine
  std::vector<Fault> faults;
};

Expected<Program> compiled(const launch::Case& test_case, const golden::SourceText& text) {
  const bool is_ptx = text.file.ends_with(".ptx");
  const auto kernel = loadKernel({text.text, text.file, is_ptx ? Language::Ptx : Language::Cuda},
                                 test_case.launch.entry);
  if (!kernel) return fail(kernel.error());
  return compile(*kernel, test_case.launch);
}

Expected<launch::Arrays> runIn(Engine& engine, const Expected<Program>& program) {
  if (!program) return fail(program.error());
  auto result = run(*program, engine);
  if (!result) return fail(std::move(result.error()));
  return std::move(result->arrays);
}

using Engines = std::vector<std::unique_ptr<Engine>>;

void verify(FileReport& report, const Engines& engines, Progress& progress) {
  for (const golden::Golden& golden : report.recording.goldens) {
    const auto program = compiled(golden.test_case, report.recording.sources[golden.source]);
    for (const auto& engine : engines) {
      const std::string name(engine->name());
      golden::Verdict verdict = golden::judge(golden, runIn(*engine, program));
      ++report.outcomes[name][verdict.outcome];
      if (!verdict.good())
        report.faults.push_back(
            {golden.test_case.launch.name, name, std::move(verdict), golden.line});
    }
    progress.advance();
  }
}

class GoldenVerb : public Verb {
 public:
  std::string_view name() const override { return "golden"; }
  std::string_view summary() const override {
    return "Hold the machine against what real GPUs computed";
  }
  std::string_view synopsis() const override { return "status|verify [FILE ...] [options]"; }
  std::string_view example() const override {
    return "  $ qgpu golden status\n"
           "  tesla-t4.jsonl: Tesla T4 (7.5), driver 535.183.01, toolkit 13.0, 2026-11-30\n"
           "    1102 launches recorded, 37 omitted\n"
           "  $ qgpu golden verify\n"
           "  ...\n"
           "    interpreter: 1080 agree, 22 refused, 0 differ, 0 failed\n"
           "    model: 1080 agree, 22 refused, 0 differ, 0 failed\n"
           "\n"
           "`status` reads recordings and says who made them; `verify` also runs each recorded "
           "source\n"
           "again and compares every recorded element, bit for bit. Without FILE: those in\n"
           "golden/recordings. golden/README.md says how a recording is made, and its schema.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("action", action_, "what to do")
        ->type_name("status|verify")
        ->required()
        ->check(CLI::IsMember({"status", "verify"}).description(""));
    app.add_option("files", files_, "recordings (those in golden/recordings)")->type_name("FILE");
    app.add_option("--engine", engine_, "verify: what runs them (both)")
        ->type_name("interpreter|model|both")
        ->check(CLI::IsMember({"interpreter", "model", "both"}).description(""));
    app.add_option("--circuit", circuit_,
                   "verify: the model's weights, as `qgpu build` writes them")
        ->type_name("FILE");
    app.add_flag("--fixture", fixture_, "the files are fixtures of tests, made without a GPU");
  }

  Expected<int> run(const Terminal& terminal) override {
    auto reports = readAll();
    if (!reports) return fail(std::move(reports.error()));
    if (reports->empty() && action_ == "verify") return refuse(std::string(kNone));
    if (action_ == "verify")
      if (auto done = verifyAll(*reports); !done) return fail(std::move(done.error()));
    if (reports->empty()) terminal.print(fmt::format("{}\n", kNone));
    bool good = true;
    for (const FileReport& report : *reports) {
      print(terminal, report);
      good &= report.faults.empty();
    }
    if (terminal.json()) terminal.object(json(*reports, good));
    return good ? kDone : kDisagreement;
  }

 private:
  Expected<std::vector<FileReport>> readAll() const {
    std::vector<std::filesystem::path> files(files_.begin(), files_.end());
    if (files.empty()) files = golden::recordingFiles();
    std::vector<FileReport> reports;
    for (const auto& file : files) {
      auto recording =
          golden::readRecording(file, fixture_ ? golden::Origin::Fixture : golden::Origin::Device);
      if (!recording) return fail(std::move(recording.error()));
      reports.push_back({file.filename().string(), std::move(*recording), {}, {}});
    }
    return reports;
  }

  Expected<void> verifyAll(std::vector<FileReport>& reports) const {
    Engines engines;
    if (engine_ != "model") engines.push_back(interpreterEngine());
    if (engine_ != "interpreter") {
      auto model = modelEngine(circuit_);
      if (!model) return fail(std::move(model.error()));
      engines.push_back(std::move(*model));
    }
    std::size_t launches = 0;
    for (const FileReport& report : reports) launches += report.recording.goldens.size();
    Progress progress("launches", static_cast<std::int64_t>(launches));
    for (FileReport& report : reports) verify(report, engines, progress);
    return {};
  }

  static std::size_t count(const std::map<Outcome, std::size_t>& outcomes, Outcome outcome) {
    const auto found = outcomes.find(outcome);
    return found == outcomes.end() ? 0 : found->second;
  }

  static std::string engineLine(const Terminal& terminal, const std::string& engine,
                                const std::map<Outcome, std::size_t>& outcomes) {
    const auto of = [&](Outcome outcome) { return count(outcomes, outcome); };
    const bool good = of(Outcome::Differs) + of(Outcome::Failed) == 0;
    const std::string text = fmt::format("  {}: {} agree, {} refused, {} differ, {} failed\n",
                                         engine, of(Outcome::Agrees), of(Outcome::Refused),
                                         of(Outcome::Differs), of(Outcome::Failed));
    return terminal.styled(text, good ? Style::Green : Style::Red);
  }

  static void print(const Terminal& terminal, const FileReport& report) {
    const golden::Provenance& p = report.recording.device;
    terminal.print(fmt::format("{}: {} ({}), driver {}, toolkit {}, {}\n", report.file, p.device,
                               p.compute_capability, p.driver, p.toolkit, p.date));
    terminal.print(fmt::format("  {} launches recorded, {} omitted\n",
                               report.recording.goldens.size(), report.recording.omissions.size()));
    for (const auto& [engine, outcomes] : report.outcomes)
      terminal.print(engineLine(terminal, engine, outcomes));
    for (const Fault& fault : report.faults)
      terminal.print(terminal.styled(
          fmt::format("  line {}: {} in the {} {}: {}\n", fault.line, fault.launch, fault.engine,
                      golden::name(fault.verdict.outcome), fault.verdict.message),
          Style::Red));
  }

  static Json json(const std::vector<FileReport>& reports, bool good) {
    Json list = Json::array();
    for (const FileReport& report : reports) list.push_back(json(report));
    return {{"status", good ? "ok" : "mismatch"}, {"recordings", list}};
  }

  static Json json(const FileReport& report) {
    const golden::Provenance& p = report.recording.device;
    Json object = {{"file", report.file},
                   {"device", p.device},
                   {"compute_capability", p.compute_capability},
                   {"driver", p.driver},
                   {"toolkit", p.toolkit},
                   {"date", p.date},
                   {"sha256", report.recording.sha256},
                   {"launches", report.recording.goldens.size()},
                   {"omitted", report.recording.omissions.size()},
                   {"engines", Json::object()},
                   {"faults", Json::array()}};
    for (const auto& [engine, outcomes] : report.outcomes)
      for (const Outcome outcome : kOutcomes)
        object["engines"][engine][std::string(golden::name(outcome))] = count(outcomes, outcome);
    for (const Fault& fault : report.faults)
      object["faults"].push_back({{"launch", fault.launch},
                                  {"line", fault.line},
                                  {"engine", fault.engine},
                                  {"outcome", golden::name(fault.verdict.outcome)},
                                  {"message", fault.verdict.message}});
    return object;
  }

  std::string action_, engine_ = "both", circuit_;
  std::vector<std::string> files_;
  bool fixture_ = false;
};

}  // namespace

std::unique_ptr<Verb> goldenVerb() { return std::make_unique<GoldenVerb>(); }

}  // namespace qgpu::cli
