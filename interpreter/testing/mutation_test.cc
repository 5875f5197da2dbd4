// The tests' test: every wrong meaning of every instruction must be noticed. docs/mutation.md is
// what comes out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "interpreter/base/files.h"
#include "interpreter/testing/clause_check.h"
#include "interpreter/testing/mutation_campaign.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::isatest {
namespace {

TEST(Mutants, EachHasItsOwnName) {
  std::set<std::string> names;
  for (const Mutant& mutant : clauseMutants())
    EXPECT_TRUE(names.insert(mutant.text()).second) << mutant.text();
}

// Every instruction with a clause has many; nop has what it is not.
TEST(Mutants, EveryInstructionHasSome) {
  std::array<int, isa::kOpcodes> count{};
  for (const Mutant& mutant : clauseMutants()) ++count[static_cast<std::size_t>(mutant.op)];
  for (int i = 0; i < isa::kOpcodes; ++i)
    EXPECT_GE(count[i], i == 0 ? 3 : 9) << isa::row(static_cast<isa::Opcode>(i)).name;
}

TEST(Mutants, ThePageListsThem) {
  const auto page = readFile(std::string(QGPU_SOURCE_DIR) + "/docs/mutation.md");
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_TRUE(page->ends_with(mutantList(clauseMutants())))
      << "docs/mutation.md is not current: run qgpu_write_mutants docs";
}

TEST(Mutants, AreNoticed) {
  const MutationCampaign campaign(unlessSanitized(kPagePrograms, 20));
  ASSERT_EQ(campaign.disagreement(), std::nullopt);
  int shown = 0, noticed = 0;
  for (const Mutant& mutant : clauseMutants()) {
    const Fate fate = campaign.fateOf(mutant);
    EXPECT_TRUE(fate.clause) << "the row's own inputs do not notice " << mutant.text();
    if (!mutant.in_programs) continue;
    ++shown;
    noticed += fate.program ? 1 : 0;
  }
  std::cout << fmt::format("random programs notice {} of {} mutants\n", noticed, shown);
  EXPECT_GE(noticed * 100, shown * unlessSanitized(98, 80));
}

}  // namespace
}  // namespace qgpu::isatest
