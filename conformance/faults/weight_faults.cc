// Damages weights of the machine's circuit at random and says which faults a checked run notices.
//
//   weight_faults --count 10000 --seed 1 --tokens 4000
//
// The result of one such campaign, and what the words mean: docs/evidence-circuit.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "conformance/audit/audit.h"
#include "conformance/audit/the_circuit.h"
#include "conformance/faults/campaign.h"
#include "conformance/faults/launches.h"
#include "interpreter/base/progress.h"

namespace qgpu::conformance {
namespace {

struct Options {
  std::size_t count = 10'000;
  std::uint64_t seed = 1;
  std::size_t tokens = 4'000;
  bool list = false;
};

// That the intact weights pass, with what is compared.
bool auditIntact(const std::vector<protocol::Token>& tokens) {
  model::MachineModel model(theCircuit());
  Auditor auditor(model);
  for (const protocol::Token& token : tokens) {
    model.feed(token);
    auditor.follow(token);
  }
  fmt::print("intact weights: {} positions, {} mismatches {}\n", auditor.positions(),
             auditor.mismatches(), auditor.first());
  return auditor.mismatches() == 0;
}

std::vector<Finding> runCampaign(const Options& options, std::vector<protocol::Token> tokens) {
  Progress progress("tokens", static_cast<std::int64_t>(tokens.size()));
  Campaign campaign(theCircuit(), std::move(tokens));
  campaign.add(drawFaults(theCircuit(), options.seed, options.count));
  while (campaign.step()) progress.advance();
  return campaign.findings();
}

template <typename Belongs>
std::size_t count(const std::vector<Finding>& findings, Belongs belongs) {
  return static_cast<std::size_t>(std::ranges::count_if(findings, belongs));
}

void printTensors(const std::vector<Finding>& findings) {
  fmt::print("\n{:25}{:>8}{:>9}{:>8}{:>8}{:>8}{:>9}{:>8}\n", "tensor", "faults", "noticed", "token",
             "row", "stage", "masked", "other");
  for (int t = 0; t < kTensors; ++t) {
    const auto with = [&](auto verdicts) {
      return count(findings, [&](const Finding& f) {
        return f.fault.tensor == static_cast<Tensor>(t) && verdicts(f.verdict);
      });
    };
    const auto of = [&](Verdict v) { return with([v](Verdict w) { return w == v; }); };
    const std::size_t faults = with([](Verdict) { return true; }), noticed = with(isNoticed);
    const std::size_t masked = of(Verdict::Masked) + of(Verdict::Remembered);
    fmt::print("{:25}{:>8}{:>9}{:>8}{:>8}{:>8}{:>9}{:>8}\n", name(static_cast<Tensor>(t)), faults,
               noticed, of(Verdict::Token), of(Verdict::Row), of(Verdict::Stage), masked,
               faults - noticed - masked);
  }
}

void printDamages(const std::vector<Finding>& findings) {
  fmt::print("\n{:60}", "verdict");
  for (int d = 0; d < kDamages; ++d) fmt::print("{:>15}", name(static_cast<Damage>(d)));
  fmt::print("{:>8}\n", "all");
  for (int v = 0; v < kVerdicts; ++v) {
    const auto verdict = static_cast<Verdict>(v);
    fmt::print("{:60}", text(verdict));
    for (int d = 0; d < kDamages; ++d)
      fmt::print("{:>15}", count(findings, [&](const Finding& f) {
                   return f.verdict == verdict && f.fault.damage == static_cast<Damage>(d);
                 }));
    fmt::print("{:>8}\n", count(findings, [&](const Finding& f) { return f.verdict == verdict; }));
  }
}

void list(const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    fmt::print("{}: {}", f.fault.text(theCircuit()), text(f.verdict));
    if (isNoticed(f.verdict)) fmt::print(" at position {}", f.position);
    if (f.verdict == Verdict::Masked || f.verdict == Verdict::Remembered)
      fmt::print("; at {} tokens, {} more not run, last read by half-layer {}", f.differing,
                 f.skipped, f.deepest);
    fmt::print("\n");
  }
}

int run(const Options& options) {
  const auto tokens = launchTokens(options.tokens);
  if (!auditIntact(tokens)) return 1;
  const auto findings = runCampaign(options, tokens);
  const std::size_t noticed =
      count(findings, [](const Finding& f) { return isNoticed(f.verdict); });
  fmt::print("seed {}: {} faults, {} noticed, {} without effect on the run\n", options.seed,
             findings.size(), noticed, findings.size() - noticed);
  printTensors(findings);
  printDamages(findings);
  if (options.list) list(findings);
  return 0;
}

}  // namespace
}  // namespace qgpu::conformance

int main(int count, char** arguments) {
  qgpu::conformance::Options options;
  CLI::App app(
      "Damages weights of the machine's circuit and says which faults a checked run notices.");
  app.add_option("--count", options.count, "faults")->capture_default_str();
  app.add_option("--seed", options.seed, "of the faults")->capture_default_str();
  app.add_option("--tokens", options.tokens, "of the run, at least")->capture_default_str();
  app.add_flag("--list", options.list, "one line for each fault");
  CLI11_PARSE(app, count, arguments);
  return qgpu::conformance::run(options);
}
