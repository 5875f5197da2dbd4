#include <fmt/format.h>

#include "conformance/audit/audit.h"
#include "conformance/audit/batch_audit.h"
#include "fuzz/level.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/agreement.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/shrink.h"
#include "model/launch/decode.h"

namespace qgpu::fuzz {
namespace {

using isatest::MachineCase;
using protocol::Token;

// All generate and shrink alike; they differ in what judges a launch.
class MachineLevel : public Level {
 public:
  Outcome run(std::uint64_t number) override {
    return judge(isatest::generateCase(number), isatest::kGeneratedBudget);
  }
  Finding minimal(std::uint64_t number) override {
    const MachineCase small = isatest::minimise(isatest::generateCase(number), [&](const auto& c) {
      return !judge(c, isatest::kShrinkBudget).difference.empty();
    });
    return {number, judge(small, isatest::kShrinkBudget).difference, small.text()};
  }

 private:
  virtual Outcome judge(const MachineCase& launch, std::int64_t budget) = 0;
};

class ByExecutors : public MachineLevel {
  Outcome judge(const MachineCase& launch, std::int64_t budget) override {
    return {isatest::disagreement(launch, budget).value_or(""), 0};
  }
};

// "" or that the launch is too long; random launches are made to end.
std::string tooLong(bool ended, std::int64_t budget) {
  if (ended || budget != isatest::kGeneratedBudget) return "";
  return fmt::format("the launch did not end within {} tokens", budget);
}

class ByAudit : public MachineLevel {
 public:
  explicit ByAudit(const ModelUse& use)
      : use_(use), model_(*use.circuit, use.shortcuts), auditor_(model_, {.threads = 1}) {}

 private:
  Outcome judge(const MachineCase& launch, std::int64_t budget) override {
    const auto host = protocol::hostTokens(launch.image());
    const std::vector<Token> trace = propose(host, budget);
    if (trace.empty()) return {tooLong(false, budget), 0};
    if (auto refusal = use_.refusal(trace.size()); !refusal.empty()) return {"", 0, refusal};
    const conformance::Audit audit = auditor_.run(host, trace);
    return {audit.first, audit.positions};
  }

  // The interpreter's trace; empty where it takes more than `budget` tokens.
  static std::vector<Token> propose(const std::vector<Token>& host, std::int64_t budget) {
    machine::Machine machine;
    std::vector<Token> trace = host;
    for (const Token& token : host) check(machine.step(token).has_value(), "a launch begins");
    while (const auto next = machine.next()) {
      if (budget-- == 0) return {};
      trace.push_back(*next);
      check(machine.step(*next).has_value(), "the interpreter takes what it says");
    }
    return trace;
  }

  ModelUse use_;
  model::MachineModel model_;
  conformance::BatchAuditor auditor_;
};

class ByModel : public MachineLevel {
 public:
  explicit ByModel(const ModelUse& use) : model_(*use.circuit, use.shortcuts) {}

 private:
  Outcome judge(const MachineCase& launch, std::int64_t budget) override {
    model_.reset();
    conformance::Auditor auditor(model_);
    const auto host = protocol::hostTokens(launch.image());
    const model::Decoding run =
        model::decode(model_, host, budget, [&](const Token& token) { auditor.follow(token); });
    if (run.ended) auditor.finish();
    return {auditor.mismatches() > 0 ? auditor.first() : tooLong(run.ended, budget),
            auditor.positions()};
  }

  model::MachineModel model_;
};

}  // namespace

std::unique_ptr<Level> machineLevel(Oracle oracle, const ModelUse& model) {
  if (oracle == Oracle::Interpreter) return std::make_unique<ByExecutors>();
  if (oracle == Oracle::Model) return std::make_unique<ByAudit>(model);
  return std::make_unique<ByModel>(model);
}

}  // namespace qgpu::fuzz
