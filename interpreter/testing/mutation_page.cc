#include <fmt/format.h>

#include <algorithm>

#include "interpreter/isa/table.h"
#include "interpreter/testing/mutation_campaign.h"

namespace qgpu::isatest {
namespace {

using isa::kOpcodes;
using isa::Opcode;

struct Count {
  int mutants = 0, by_clause = 0, shown = 0, by_programs = 0;
  int longest = 0;  // programs until the last of them was noticed

  void add(const Mutant& mutant, const Fate& fate) {
    ++mutants;
    by_clause += fate.clause ? 1 : 0;
    if (!mutant.in_programs) return;
    ++shown;
    by_programs += fate.program ? 1 : 0;
    longest = std::max(longest, fate.program.value_or(0));
  }
  std::string cells() const {
    const std::string programs = shown == 0 ? "–" : fmt::format("{} of {}", by_programs, shown);
    return fmt::format("{} | {} | {} | {} |\n", mutants, by_clause, programs, longest);
  }
};

constexpr std::string_view kIntroduction =
    R"(<!-- Written by qgpu_write_mutants. -->
# Wrong meanings of the instructions

A test is worth what it notices. Here each instruction is given wrong meanings, one at a time: operands exchanged, a
constant off by one, signed for unsigned, a carry dropped, the neighbour lane, no result
(`interpreter/testing/mutants.h`). Two kinds of tests must tell each of them from the right one:

* **inputs**: those of the row's own test (`interpreter/testing/clause_check.h`), where the row of the instruction
  table stands against a plain statement of it;
* **programs**: random programs on the whole machine, whose tokens and memory are compared; up to {} that hold the
  instruction, the first by their seeds. The last column is how many it took for the mutant that held out longest.

No meaning in the list is the same as the right one. The inputs must notice all of them, or the test fails. Programs
cannot show all of them: a result where the instruction has none is not read by a valid program, and a division is
stated by its quotient and remainder.

)";

std::string families(std::span<const Mutant> mutants, std::span<const Fate> fates) {
  std::string text =
      "| family | mutants | inputs | programs | longest |\n|---|---:|---:|---:|---:|\n";
  Count all;
  for (int f = 0; f < kMutantFamilies; ++f) {
    Count count;
    for (std::size_t i = 0; i < mutants.size(); ++i)
      if (static_cast<int>(mutants[i].family) == f) count.add(mutants[i], fates[i]);
    text += fmt::format("| {} | {}", nameOf(static_cast<MutantFamily>(f)), count.cells());
  }
  for (std::size_t i = 0; i < mutants.size(); ++i) all.add(mutants[i], fates[i]);
  return text + fmt::format("| **all** | {}\n", all.cells());
}

std::string unnoticed(std::span<const Mutant> mutants, std::span<const Fate> fates) {
  std::string text = "Not noticed by those programs, and so by the inputs alone:\n\n";
  for (std::size_t i = 0; i < mutants.size(); ++i)
    if (mutants[i].in_programs && !fates[i].program)
      text += fmt::format("* `{}`: {}\n", isa::row(mutants[i].op).name, mutants[i].what);
  return text + '\n';
}

}  // namespace

std::string mutantList(std::span<const Mutant> mutants) {
  std::string text = "## The mutants of each instruction\n\n";
  for (int o = 0; o < kOpcodes; ++o) {
    int count = 0;
    std::string names;
    for (const Mutant& mutant : mutants) {
      if (mutant.op != static_cast<Opcode>(o)) continue;
      names += (count++ == 0 ? "" : "; ") + mutant.what;
    }
    text += fmt::format("* **{}** ({}): {}\n", isa::row(static_cast<Opcode>(o)).name, count, names);
  }
  return text;
}

std::string mutationPage(std::span<const Mutant> mutants, std::span<const Fate> fates,
                         int programs) {
  return fmt::format(fmt::runtime(kIntroduction), programs) + families(mutants, fates) +
         unnoticed(mutants, fates) + mutantList(mutants);
}

}  // namespace qgpu::isatest
