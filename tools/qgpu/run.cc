#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/launch/compare.h"
#include "interpreter/base/files.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/arrays.h"
#include "tools/qgpu/launch_options.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

using launch::ParameterKind;
using protocol::TokenKind;

// "EXEC 1, MEM 3, HALT 1".
std::string countsText(const TokenCounts& counts) {
  std::vector<std::string> parts;
  for (int k = 0; k < protocol::kTokenKinds; ++k)
    if (const auto n = counts.by_kind[static_cast<std::size_t>(k)]; n != 0)
      parts.push_back(fmt::format("{} {}", protocol::name(static_cast<TokenKind>(k)), n));
  return fmt::format("{}", fmt::join(parts, ", "));
}

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
           "  dot<<<1, 3>>> on the interpreter: 5 tokens (EXEC 1, MEM 3, HALT 1); 1 block, 0 "
           "registers\n";
  }
  void addOptions(CLI::App& app) override {
    launch_.addTo(app);
    app.add_option("--engine", engine_,
                   fmt::format("what runs it: {}", fmt::join(engineNames(), " or ")))
        ->type_name("NAME");
    app.add_flag("--check", run_.check,
                 "replay the launch on a second machine and compare every token and the memory");
    app.add_option("--trace", trace_, "write the token trace, one token a line")->type_name("FILE");
    app.add_option("--max-tokens", run_.max_tokens,
                   "tokens the engine may write before the launch counts as endless (1000000)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  }

  Expected<int> run(const Terminal& terminal) override {
    auto engine = engineNamed(engine_);
    if (!engine) return fail(std::move(engine.error()));
    auto prepared = launch_.prepare(terminal, Arguments::Required);
    if (!prepared) return fail(std::move(prepared.error()));
    const auto program = compile(prepared->kernel, prepared->test_case.launch);
    if (!program) return fail(program.error());
    std::vector<protocol::Token> trace;
    if (!trace_.empty()) run_.trace = &trace;
    const auto result = qgpu::run(*program, **engine, run_);
    if (!trace.empty())
      if (auto written = writeFileAtomically(trace_, formatTrace(trace)); !written)
        return fail(std::move(written.error()));
    if (!result) return fail(result.error());
    return report(terminal, *prepared, *program, *result);
  }

 private:
  int report(const Terminal& terminal, const Prepared& prepared, const Program& program,
             const Result& result) const {
    const launch::Comparison comparison = compare(prepared.test_case, result.arrays);
    const bool agrees = comparison.agrees() && (!result.check || result.check->mismatches == 0);
    if (terminal.json())
      terminal.object(json(program, result, comparison, agrees));
    else
      print(terminal, prepared, program, result, comparison);
    return agrees ? kDone : kDisagreement;
  }

  Json json(const Program& program, const Result& result, const launch::Comparison& comparison,
            bool agrees) const {
    Json arrays = Json::object();
    for (const launch::Parameter& p : program.launch.parameters)
      if (p.kind == ParameterKind::Array)
        arrays[p.name] = arrayJson(result.arrays.at(p.name), p.type);
    Json object = {{"status", agrees ? "ok" : "mismatch"}, {"engine", engine_}, {"arrays", arrays}};
    object["tokens"] = countsJson(result.tokens);
    object["blocks"] = program.lowered.program.blocks.size();
    object["registers"] = program.lowered.report.registers;
    if (result.check)
      object["check"] = {{"positions", result.check->positions},
                         {"mismatches", result.check->mismatches}};
    if (!comparison.agrees())
      object["message"] = comparison.text();
    else if (!agrees)
      object["message"] = result.check->first;
    return object;
  }

  void print(const Terminal& terminal, const Prepared& prepared, const Program& program,
             const Result& result, const launch::Comparison& comparison) const {
    for (std::size_t i = 0; i < program.launch.parameters.size(); ++i) {
      const launch::Parameter& p = program.launch.parameters[i];
      if (p.kind == ParameterKind::Array && !prepared.kernel.parameters[i].read_only)
        terminal.print(formatArray(p.name, result.arrays.at(p.name), p.type, terminal));
    }
    const auto plural = [](std::size_t n, std::string_view what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    const auto shape = [](launch::Dim3 d) {
      if (d.z != 1) return fmt::format("({}, {}, {})", d.x, d.y, d.z);
      return d.y != 1 ? fmt::format("({}, {})", d.x, d.y) : std::to_string(d.x);
    };
    terminal.print(terminal.styled(
        fmt::format("{}<<<{}, {}>>> on the {}: {} ({}); {}, {}\n", program.kernel,
                    shape(program.launch.grid), shape(program.launch.block), engine_,
                    plural(static_cast<std::size_t>(result.tokens.model), "token"),
                    countsText(result.tokens),
                    plural(program.lowered.program.blocks.size(), "block"),
                    plural(static_cast<std::size_t>(program.lowered.report.registers), "register")),
        Style::Dim));
    if (prepared.from_case && comparison.compared > 0)
      terminal.print(verdict(terminal, comparison.agrees(),
                             comparison.agrees() ? fmt::format("expected arrays: {} elements agree",
                                                               comparison.compared)
                                                 : "expected arrays: " + comparison.text()));
    if (result.check)
      terminal.print(verdict(
          terminal, result.check->mismatches == 0,
          fmt::format("check: {} positions, {} mismatches{}{}", result.check->positions,
                      result.check->mismatches,
                      result.check->first.empty() ? "" : "; the first: ", result.check->first)));
  }

  static std::string verdict(const Terminal& terminal, bool good, const std::string& text) {
    return terminal.styled(text, good ? Style::Green : Style::Red) + '\n';
  }

  LaunchOptions launch_;
  std::string engine_ = "interpreter";
  std::string trace_;
  RunOptions run_;
};

}  // namespace

std::unique_ptr<Verb> runVerb() { return std::make_unique<RunVerb>(); }

}  // namespace qgpu::cli
