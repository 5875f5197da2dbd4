#include "interpreter/testing/shrink.h"

#include <gtest/gtest.h>

#include "interpreter/isa/rules.h"
#include "interpreter/testing/features.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/plain_executor.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::isatest {
namespace {

using isa::Opcode;

int usedSlots(const MachineCase& c) {
  int used = 0;
  for (const isa::Block& block : c.program.blocks)
    for (const isa::Slot& s : block.slots) used += s == isa::Slot{} ? 0 : 1;
  return used;
}

TEST(Shrink, StepsKeepTheRules) {
  for (std::uint64_t seed = 0; seed < unlessSanitized<std::uint64_t>(300, 20); ++seed) {
    const MachineCase launch = generateCase(seed);
    const auto smaller = shrinks(launch);
    EXPECT_FALSE(smaller.empty());
    for (const MachineCase& c : smaller) {
      ASSERT_TRUE(isa::violations(c.program).empty());
      ASSERT_NE(c, launch);
      ASSERT_LE(c.program.blocks.size(), launch.program.blocks.size());
      ASSERT_LE(c.memory.size(), launch.memory.size());
      ASSERT_LE(c.threads, launch.threads);
    }
  }
}

TEST(Shrink, ComesToAnEnd) {
  const MachineCase nothing = minimise(generateCase(3), [](const MachineCase&) { return true; });
  EXPECT_EQ(nothing.program.blocks.size(), 1u);
  EXPECT_EQ(usedSlots(nothing), 0);
  EXPECT_EQ(nothing.threads, 1);
  EXPECT_EQ(nothing.thread_blocks, 1);
  EXPECT_TRUE(nothing.memory.empty());
  EXPECT_TRUE(nothing.parameters.empty());
  EXPECT_TRUE(shrinks(nothing).empty());
}

// A fault that we pretend an executor has: it needs this instruction to run in the second thread
// block, say. What is left holds little besides.
TEST(Shrink, FindsTheCore) {
  const auto has = [](const MachineCase& c, Opcode op, Feature feature) {
    if (runPlain(c, kShrinkBudget).ending == Ending::OutOfBudget) return false;
    const Features f = featuresOf(c);
    return f.executed[static_cast<std::size_t>(op)] > 0 && f.has(feature);
  };
  struct Fault {
    Opcode op;
    Feature feature;
    int slots;
    std::size_t blocks;
  };
  constexpr int kFound = unlessSanitized(3, 1);
  for (const Fault& fault :
       {Fault{Opcode::Prmt, Feature::ManyThreadBlocks, 1, 1},
        Fault{Opcode::ShflXor, Feature::Barrier, 1, 3},
        Fault{Opcode::Rem, Feature::ManyWarps, 2, 1}, Fault{Opcode::AtomCas, Feature::Replay, 1, 2},
        Fault{Opcode::Sth, Feature::Diverges, 3, 4}, Fault{Opcode::St, Feature::Loops, 3, 3}}) {
    const auto fails = [&](const MachineCase& c) { return has(c, fault.op, fault.feature); };
    int found = 0;
    for (std::uint64_t seed = 0; found < kFound && seed < 20'000; ++seed) {
      const MachineCase launch = generateCase(seed);
      if (!fails(launch)) continue;
      ++found;
      const MachineCase minimal = minimise(launch, fails);
      EXPECT_TRUE(fails(minimal));
      EXPECT_LE(usedSlots(minimal), fault.slots) << minimal.text();
      EXPECT_LE(minimal.program.blocks.size(), fault.blocks) << minimal.text();
      EXPECT_TRUE(minimal.memory.empty()) << minimal.text();
    }
    EXPECT_EQ(found, kFound) << name(fault.feature);
  }
}

}  // namespace
}  // namespace qgpu::isatest
