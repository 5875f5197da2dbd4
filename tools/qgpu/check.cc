#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "interpreter/base/files.h"
#include "interpreter/base/mapped_file.h"
#include "interpreter/base/progress.h"
#include "tools/api/check_trace.h"
#include "tools/api/circuit.h"
#include "tools/qgpu/verb.h"

#ifndef QGPU_VERSION
#define QGPU_VERSION "unversioned"
#endif

namespace qgpu::cli {
namespace {

using Verdicts = std::vector<Expected<TraceVerdict>>;

// Lines of all files: a few more than there are tokens.
std::int64_t linesIn(const std::vector<std::filesystem::path>& files) {
  std::int64_t lines = 0;
  for (const auto& path : files)
    if (const auto file = MappedFile::open(path))
      lines += std::ranges::count(file->bytes(), std::byte{'\n'});
  return lines;
}

class CheckVerb : public Verb {
 public:
  std::string_view name() const override { return "check"; }
  std::string_view summary() const override {
    return "Verify saved traces: every token by the model and the interpreter, and the file's "
           "hashes";
  }
  std::string_view synopsis() const override { return "TRACE ... [options]"; }
  std::string_view example() const override {
    return "  $ qgpu run dot.cu ... --engine interpreter --trace dot.trace     proposed in no "
           "time\n"
           "  $ qgpu check dot.trace                                           verified by the "
           "weights\n"
           "  dot.trace: dot<<<1, 3>>> by interpreter, 38 positions, 0 mismatches, halted\n"
           "    chain 5c7e1d\n"
           "  38 positions, 0 mismatches, 9120 positions/s\n"
           "\n"
           "  $ qgpu check *.trace --report audit.json     what others can make again, to the "
           "byte\n"
           "\n"
           "The host's tokens at a trace's start are the launch that is checked; every token "
           "behind\n"
           "them must be the one that model and interpreter write, with the same state after it. "
           "A\n"
           "trace without a header, one token a line, is checked too, but for its hashes.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("traces", traces_, "files that `qgpu run --trace` wrote")
        ->type_name("TRACE")
        ->required();
    app.add_option("--circuit", circuit_, "the model's weights, as `qgpu build` writes them")
        ->type_name("FILE");
    app.add_option("--jobs,-j", jobs_, "threads, for several traces or for one (as many as cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024).description(""));
    app.add_flag("--plain", plain_, "token by token, the whole state after each; much slower");
    app.add_option("--without", without_,
                   "leave out a shortcut of the model's, or all; slower, the same result")
        ->type_name("NAME ...");
    app.add_option("--report", report_, "also write the audit as JSON, if every trace can be read")
        ->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto shortcuts = model::shortcutsWithout(without_);
    if (!shortcuts) return fail(shortcuts.error());
    if (auto apart = keepApart(report_, {traces_.begin(), traces_.end()}); !apart)
      return fail(std::move(apart.error()));
    const auto circuit = loadCircuit(circuit_);
    if (!circuit) return fail(circuit.error());
    const auto begin = std::chrono::steady_clock::now();
    const Verdicts verdicts = checkAll(*circuit, *shortcuts);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::vector<TraceVerdict> good;
    for (const auto& verdict : verdicts)
      if (verdict) good.push_back(*verdict);
    if (!report_.empty() && good.size() == verdicts.size()) {
      const std::string text = auditReport(*circuit, QGPU_VERSION, good).dump(2) + '\n';
      if (auto ok = writeFileAtomically(report_, text); !ok) return fail(std::move(ok.error()));
    }
    for (const auto& verdict : verdicts) {
      if (verdict) print(terminal, *verdict);
      if (!verdict) terminal.complain(verdict.error());
    }
    const Sum sum = sumOf(verdicts, elapsed.count());
    terminal.print(fmt::format("{} positions, {} mismatches, {:.0f} positions/s\n", sum.positions,
                               sum.mismatches, sum.rate()));
    if (terminal.json()) terminal.object(json(verdicts, sum));
    return sum.status;
  }

 private:
  struct Sum {
    std::int64_t positions = 0, mismatches = 0;
    double seconds = 0;
    int status = kDone;
    double rate() const { return seconds > 0 ? static_cast<double>(positions) / seconds : 0; }
  };

  Verdicts checkAll(const model::Circuit& circuit, const model::Shortcuts& shortcuts) const {
    const std::vector<std::filesystem::path> files(traces_.begin(), traces_.end());
    Progress progress("positions", linesIn(files));
    std::mutex mutex;
    CheckOptions options;
    options.plain = plain_;
    options.shortcuts = shortcuts;
    options.jobs = jobs_ > 0 ? jobs_ : static_cast<int>(std::thread::hardware_concurrency());
    options.on_positions = [&](std::int64_t more) {
      const std::lock_guard lock(mutex);
      progress.advance(more);
    };
    return checkTraces(circuit, files, options);
  }

  // A disagreement counts for more than a file that could not be read.
  static Sum sumOf(const Verdicts& verdicts, double seconds) {
    Sum sum{.seconds = seconds};
    for (const auto& verdict : verdicts) {
      if (!verdict) {
        if (sum.status == kDone) sum.status = exitStatus(verdict.error().kind);
        continue;
      }
      sum.positions += verdict->check.positions;
      sum.mismatches += verdict->check.mismatches;
      if (!verdict->agrees()) sum.status = kDisagreement;
    }
    return sum;
  }

  static void print(const Terminal& terminal, const TraceVerdict& v) {
    const std::string origin =
        v.chained ? fmt::format("{} by {}, ", v.origin.kernel, v.origin.engine) : "";
    terminal.print(
        terminal.styled(fmt::format("{}: {}{} positions, {} mismatches, {}\n", v.file, origin,
                                    v.check.positions, v.check.mismatches, qgpu::name(v.ending)),
                        v.agrees() ? Style::Green : Style::Red));
    terminal.print(v.chained ? fmt::format("  chain {}\n", v.chain) : "  no chain\n");
    if (v.fault) terminal.complain(*v.fault);
  }

  static Json json(const Verdicts& verdicts, const Sum& sum) {
    Json traces = Json::array();
    for (const auto& verdict : verdicts) traces.push_back(json(verdict));
    const auto bad = std::ranges::find_if(
        verdicts, [](const auto& verdict) { return !verdict || !verdict->agrees(); });
    Json object = {{"status", "ok"}};
    if (bad != verdicts.end()) object.update(failureObject(*bad ? *(*bad)->fault : bad->error()));
    if (sum.status == kDisagreement) object["status"] = "mismatch";
    object["check"] = {{"positions", sum.positions}, {"mismatches", sum.mismatches}};
    object["seconds"] = sum.seconds;
    object["positions_per_second"] = sum.rate();
    object["traces"] = traces;
    return object;
  }
  static Json json(const Expected<TraceVerdict>& verdict) {
    if (!verdict) return failureObject(verdict.error());
    const TraceVerdict& v = *verdict;
    Json object = {{"status", "ok"}, {"file", v.file}};
    if (v.fault) {
      object.update(failureObject(*v.fault));
      object["status"] = "mismatch";
    }
    if (v.chained) {
      object["kernel"] = v.origin.kernel;
      object["engine"] = v.origin.engine;
      object["chain"] = v.chain;
    }
    object["launch"] = v.launch;
    object["end_state"] = v.end_state;
    object["ending"] = qgpu::name(v.ending);
    object["tokens"] = {{"model", v.written}, {"host", v.host}};
    object["check"] = {{"positions", v.check.positions}, {"mismatches", v.check.mismatches}};
    return object;
  }

  std::vector<std::string> traces_, without_;
  std::string circuit_, report_;
  int jobs_ = 0;
  bool plain_ = false;
};

}  // namespace

std::unique_ptr<Verb> checkVerb() { return std::make_unique<CheckVerb>(); }

}  // namespace qgpu::cli
