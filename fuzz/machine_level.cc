#include <fmt/format.h>

#include "conformance/audit/audit.h"
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

// Both levels generate and shrink alike; they differ in what judges a launch.
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

class ByModel : public MachineLevel {
 public:
  explicit ByModel(const model::Circuit& circuit) : model_(circuit) {}

 private:
  Outcome judge(const MachineCase& launch, std::int64_t budget) override {
    model_.reset();
    conformance::Auditor auditor(model_);
    const auto host = protocol::hostTokens(launch.image());
    const model::Decoding run =
        model::decode(model_, host, budget, [&](const Token& token) { auditor.follow(token); });
    if (run.ended) auditor.finish();
    Outcome outcome{auditor.first(), auditor.positions()};
    if (!run.ended && outcome.difference.empty() && budget == isatest::kGeneratedBudget)
      outcome.difference = fmt::format("the launch did not end within {} tokens", budget);
    return outcome;
  }

  model::MachineModel model_;
};

}  // namespace

std::unique_ptr<Level> machineLevel(Oracle oracle, const model::Circuit* circuit) {
  if (oracle == Oracle::Interpreter) return std::make_unique<ByExecutors>();
  return std::make_unique<ByModel>(*circuit);
}

}  // namespace qgpu::fuzz
