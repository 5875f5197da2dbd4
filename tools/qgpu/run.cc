#include <fmt/format.h>

#include <algorithm>

#include "compiler/launch/compare.h"
#include "interpreter/base/progress.h"
#include "tools/api/joined.h"
#include "tools/api/launch_text.h"
#include "tools/api/qgpu.h"
#include "tools/api/trace_file.h"
#include "tools/qgpu/arrays.h"
#include "tools/qgpu/launch_options.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

using launch::ParameterKind;
using protocol::TokenKind;

Json countsJson(const TokenCounts& counts) {
  Json by_kind = Json::object();
  for (int k = 0; k < protocol::kTokenKinds; ++k)
    if (const auto n = counts.by_kind[static_cast<std::size_t>(k)]; n != 0)
      by_kind[std::string(protocol::name(static_cast<TokenKind>(k)))] = n;
  return {{"model", counts.model}, {"host", counts.host}, {"by_kind", by_kind}};
}

class RunVerb : public Verb {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "Run a kernel and print its arrays"; }
  std::string_view synopsis() const override { return "FILE [options]   or   --case CASE.json"; }
  std::string_view example() const override {
    return "  $ qgpu run dot.cu --grid 1 --block 3 --arg a=1,2,3 --arg b=4,5,6 --arg c=[1] --arg "
           "n=3\n"
           "  c = [32]\n"
           "  dot<<<1, 3>>> in the model: 3 tokens (EXEC 1, MEM 1, HALT 1); 1 block, 0 "
           "registers\n";
  }
  void addOptions(CLI::App& app) override {
    launch_.addTo(app);
    app.add_option("--engine", engine_,
                   fmt::format("what runs it: {} (model)", joined(engineNames(), " or ")))
        ->type_name("NAME");
    app.add_option("--circuit", circuit_, "the model's weights, as `qgpu build` writes them")
        ->type_name("FILE");
    app.add_flag("--check", run_.check,
                 "let the interpreter follow and compare every token and the whole state after it");
    app.add_option("--trace", trace_, "write the token trace, one token a line")->type_name("FILE");
    app.add_option("--max-tokens", run_.max_tokens,
                   "tokens the engine may write before the launch counts as endless (1000000)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  }

  Expected<int> run(const Terminal& terminal) override {
    auto engine = engineNamed(engine_, circuit_);
    if (!engine) return fail(std::move(engine.error()));
    auto prepared = launch_.prepare(terminal, Arguments::Required);
    if (!prepared) return fail(std::move(prepared.error()));
    if (auto apart = launch_.keepApart(trace_, *prepared); !apart)
      return fail(std::move(apart.error()));
    const auto program = compileFor(terminal, *prepared);
    if (!program) return fail(program.error());
    Recording recording;
    const auto result = watchedRun(*program, **engine, recording);
    if (!trace_.empty())
      if (auto ok = writeTrace(trace_, origin(*program, **engine), recording.host, recording.run);
          !ok)
        return fail(std::move(ok.error()));
    const Verdict verdict = judge(prepared->test_case, result, recording.run.check);
    if (!result) terminal.complain(result.error());
    if (terminal.json())
      terminal.object(json(*program, recording, result, verdict));
    else
      print(terminal, *prepared, *program, recording, result, verdict);
    return verdict.status;
  }

 private:
  // Where a person watches, the tokens are counted: how many a launch has is not known before.
  Expected<Result> watchedRun(const Program& program, Engine& engine, Recording& recording) const {
    Progress progress("tokens", 0);
    RunOptions options = run_;
    options.recording = &recording;
    options.after_token = [&] { progress.advance(); };
    return qgpu::run(program, engine, options);
  }

  // What is to be said about a launch beside its arrays.
  struct Verdict {
    int status = kDone;
    std::string disagreement;  // in words; empty where all agree
    std::size_t compared = 0;  // elements of expected arrays
  };

  static Verdict judge(const launch::Case& test_case, const Expected<Result>& result,
                       const std::optional<Check>& check) {
    Verdict verdict;
    if (check && check->mismatches != 0)
      verdict.disagreement = fmt::format("the replay disagrees: {}", check->first);
    if (result && test_case.expectation == launch::Expectation::Reject)
      verdict.disagreement = "the case expects a refusal or a trap, but the launch ended well";
    if (result) {
      const launch::Comparison comparison = compare(test_case, result->arrays);
      verdict.compared = comparison.compared;
      if (!comparison.agrees()) verdict.disagreement = comparison.text();
    }
    while (verdict.disagreement.ends_with('\n')) verdict.disagreement.pop_back();
    if (!verdict.disagreement.empty())
      verdict.status = kDisagreement;
    else if (!result)
      verdict.status = exitStatus(result.error().kind);
    return verdict;
  }

  Json json(const Program& program, const Recording& recording, const Expected<Result>& result,
            const Verdict& verdict) const {
    Json object = {{"status", "ok"}, {"engine", engine_}};
    if (!result) object.update(failureObject(result.error()));
    if (!verdict.disagreement.empty()) {
      object["status"] = "mismatch";
      object["message"] = verdict.disagreement;
    }
    if (result) object["arrays"] = arraysJson(program, *result);
    object["tokens"] = countsJson(countTokens(recording));
    object["blocks"] = program.lowered.report.blocks;
    object["registers"] = program.lowered.report.registers;
    if (const auto& check = recording.run.check)
      object["check"] = {{"positions", check->positions}, {"mismatches", check->mismatches}};
    return object;
  }

  static Json arraysJson(const Program& program, const Result& result) {
    Json arrays = Json::object();
    for (const launch::Parameter& p : program.launch.parameters)
      if (p.kind == ParameterKind::Array)
        arrays[p.name] = arrayJson(result.arrays.at(p.name), p.type);
    return arrays;
  }

  void print(const Terminal& terminal, const Prepared& prepared, const Program& program,
             const Recording& recording, const Expected<Result>& result,
             const Verdict& verdict) const {
    const auto& parameters = program.launch.parameters;
    for (std::size_t i = 0; result && i < parameters.size(); ++i) {
      const launch::Parameter& p = parameters[i];
      if (p.kind == ParameterKind::Array && !prepared.kernel.parameters[i].read_only)
        terminal.print(formatArray(p.name, result->arrays.at(p.name), p.type, terminal));
    }
    terminal.print(terminal.styled(summary(program, countTokens(recording)), Style::Dim) + '\n');
    const auto say = [&](bool good, const std::string& text) {
      terminal.print(terminal.styled(text, good ? Style::Green : Style::Red) + '\n');
    };
    if (const auto& check = recording.run.check)
      say(check->mismatches == 0,
          fmt::format("check: {} positions, {} mismatches", check->positions, check->mismatches));
    if (!verdict.disagreement.empty())
      say(false, verdict.disagreement);
    else if (verdict.compared > 0)
      say(true, fmt::format("all {} expected elements agree", verdict.compared));
  }

  static TraceOrigin origin(const Program& program, const Engine& engine) {
    return {launchText(program), std::string(engine.name()), engine.weights()};
  }

  // "dot<<<1, 3>>> in the model: 4 tokens (EXEC 2, MEM 1, HALT 1); 2 blocks, 0 registers"
  std::string summary(const Program& program, const TokenCounts& counts) const {
    const lower::Report& report = program.lowered.report;
    return fmt::format("{} {} the {}: {} ({}); {}, {}", launchText(program),
                       engine_ == "model" ? "in" : "on", engine_, counted(counts.model, "token"),
                       countsText(counts), counted(report.blocks, "block"),
                       counted(report.registers, "register"));
  }

  LaunchOptions launch_;
  std::string engine_ = "model", circuit_;
  std::string trace_;
  RunOptions run_;
};

}  // namespace

std::unique_ptr<Verb> runVerb() { return std::make_unique<RunVerb>(); }

}  // namespace qgpu::cli
