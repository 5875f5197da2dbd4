// Which tests notice which wrong meanings of the instructions: the row's own inputs, and random
// programs on the whole machine.
//
//   MutationCampaign campaign(300);
//   const Fate fate = campaign.fateOf(mutant);
//   fate.clause;   // what the row's tests say of it; nothing: they did not notice
//   fate.program;  // how many programs with the instruction had to run; nothing: none noticed
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpreter/testing/mutants.h"
#include "interpreter/testing/plain_executor.h"

namespace qgpu::isatest {

struct Fate {
  std::optional<std::string> clause;
  std::optional<int> program;

  bool killed() const { return clause || program; }
};

class MutationCampaign {
 public:
  // `programs` random programs for each instruction, those that execute it in some way; the first
  // ones by their seed, from 0.
  explicit MutationCampaign(int programs);

  Fate fateOf(const Mutant& mutant) const;
  // The programs' own answer must be the machine's, or their difference from a mutant says nothing:
  // what disagrees, or nothing.
  std::optional<std::string> disagreement() const;

 private:
  struct Recorded {
    std::uint64_t seed;
    MachineCase launch;
    PlainRun run;  // with the plain meaning
  };

  bool wanted(const Recorded& recorded) const;
  void record(Recorded recorded);

  std::vector<Recorded> programs_;
  std::array<std::vector<std::size_t>, isa::kOpcodes> with_;  // the programs that hold an opcode
  std::size_t most_;
};

// How many programs docs/mutation.md has tried on each mutant.
inline constexpr int kPagePrograms = 1000;

// docs/mutation.md: the mutants and their fates; the list of them is its last part.
std::string mutantList(std::span<const Mutant> mutants);
std::string mutationPage(std::span<const Mutant> mutants, std::span<const Fate> fates,
                         int programs);

}  // namespace qgpu::isatest
