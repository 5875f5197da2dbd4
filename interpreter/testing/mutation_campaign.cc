#include "interpreter/testing/mutation_campaign.h"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/isa/table.h"
#include "interpreter/testing/agreement.h"
#include "interpreter/testing/clause_check.h"
#include "interpreter/testing/generate.h"

namespace qgpu::isatest {
namespace {

using isa::kOpcodes;

// Seeds looked at before giving up on filling the lists.
constexpr std::uint64_t kMostSeeds = 20'000;

std::array<bool, kOpcodes> opcodesOf(const isa::Program& program) {
  std::array<bool, kOpcodes> found{};
  for (const isa::Block& block : program.blocks)
    for (const isa::Slot& slot : block.slots) found[static_cast<std::size_t>(slot.op)] = true;
  return found;
}

bool sameRun(const PlainRun& one, const PlainRun& other) {
  return one.ending == other.ending && one.tokens == other.tokens && one.global == other.global &&
         one.shared == other.shared;
}

}  // namespace

MutationCampaign::MutationCampaign(int programs) : most_(static_cast<std::size_t>(programs)) {
  for (std::uint64_t seed = 0; seed < kMostSeeds; ++seed) {
    const bool full =
        std::all_of(with_.begin(), with_.end(), [&](const auto& w) { return w.size() == most_; });
    if (full) break;
    Recorded recorded{seed, generateCase(seed), {}};
    if (wanted(recorded)) record(std::move(recorded));
  }
}

bool MutationCampaign::wanted(const Recorded& recorded) const {
  const auto opcodes = opcodesOf(recorded.launch.program);
  for (std::size_t i = 0; i < with_.size(); ++i)
    if (opcodes[i] && with_[i].size() < most_) return true;
  return false;
}

void MutationCampaign::record(Recorded recorded) {
  recorded.run = runPlain(recorded.launch, kGeneratedBudget);
  const auto opcodes = opcodesOf(recorded.launch.program);
  for (std::size_t i = 0; i < with_.size(); ++i)
    if (opcodes[i] && with_[i].size() < most_) with_[i].push_back(programs_.size());
  programs_.push_back(std::move(recorded));
}

Fate MutationCampaign::fateOf(const Mutant& mutant) const {
  const Meaning meaning = mutant.meaning();
  Fate fate{.clause = clauseDisagreement(mutant.op, meaning), .program = {}};
  if (!fate.clause) fate.clause = kindDisagreement(mutant.op, meaning);
  if (!mutant.in_programs) return fate;
  int tried = 0;
  for (const std::size_t index : with_[static_cast<std::size_t>(mutant.op)]) {
    const Recorded& recorded = programs_[index];
    ++tried;
    // A mutant that runs on is noticed by then.
    const PlainRun run = runPlain(recorded.launch, recorded.run.executions + 1, meaning);
    if (sameRun(run, recorded.run)) continue;
    fate.program = tried;
    break;
  }
  return fate;
}

std::optional<std::string> MutationCampaign::disagreement() const {
  for (const Recorded& recorded : programs_)
    if (const auto d = isatest::disagreement(recorded.launch, kGeneratedBudget))
      return fmt::format("seed {}: {}", recorded.seed, *d);
  return std::nullopt;
}

}  // namespace qgpu::isatest
