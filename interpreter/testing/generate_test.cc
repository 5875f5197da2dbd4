// The generator is only worth what its programs do: their shares are asserted.
#include "interpreter/testing/generate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/isa/table.h"
#include "interpreter/testing/features.h"
#include "interpreter/testing/plain_executor.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::isatest {
namespace {

constexpr int kPrograms = 2'000;

TEST(Generate, IsDeterministic) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_EQ(generateCase(seed), generateCase(seed));
  EXPECT_NE(generateCase(1), generateCase(2));
}

TEST(Generate, KeepsTheRulesAndTheSizes) {
  for (std::uint64_t seed = 0; seed < unlessSanitized<std::uint64_t>(20'000, 2'000); ++seed) {
    const MachineCase c = generateCase(seed);
    const auto wrong = isa::violations(c.program);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong.front().text() << "\n"
                               << c.text();
    ASSERT_GE(c.threads, 1);
    ASSERT_LE(c.threads, kMachine.blockThreads());
    ASSERT_GE(c.thread_blocks, 1);
    ASSERT_LE(c.thread_blocks * c.threads, kMachine.launch_threads);
  }
}

TEST(Generate, ProgramsEnd) {
  std::int64_t most = 0;
  for (std::uint64_t seed = 0; seed < unlessSanitized<std::uint64_t>(10'000, 1'000); ++seed) {
    const PlainRun run = runPlain(generateCase(seed), kGeneratedBudget);
    ASSERT_NE(run.ending, Ending::OutOfBudget) << seed;
    most = std::max(most, run.executions);
  }
  EXPECT_GT(most, 500);  // some are long
}

// At least this share of programs, in percent, does it.
const std::map<Feature, int> kShares = {
    {Feature::ManyWarps, 40},
    {Feature::ManyThreadBlocks, 20},
    {Feature::PartialWarp, 30},
    {Feature::Diverges, 20},
    {Feature::Loops, 30},
    {Feature::Barrier, 17},
    {Feature::DivergentBarrier, 2},
    {Feature::EarlyExit, 11},
    {Feature::GuardFails, 50},
    {Feature::Forwards, 70},
    {Feature::MemoryOperand, 22},
    {Feature::SharedMemory, 40},
    {Feature::SubWord, 38},
    {Feature::Atomic, 40},
    {Feature::AtomicConflict, 16},
    {Feature::StoreConflict, 11},
    {Feature::Replay, 16},
    {Feature::Shuffle, 24},
    {Feature::Vote, 24},
    {Feature::PredicateLogic, 28},
    {Feature::Division, 13},
    {Feature::DivisionByZero, 6},
    {Feature::UniformValue, 85},
    {Feature::LaneValue, 45},
    {Feature::LongValue, 24},
    {Feature::PredicateToken, 60},
    {Feature::Traps, 5},
    {Feature::TrapInstruction, 1},
};

TEST(Generate, DistributionOfFeatures) {
  std::map<Feature, int> programs;
  std::array<int, isa::kOpcodes> executed{};
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Features features = featuresOf(generateCase(seed));
    for (int f = 0; f < kFeatures; ++f)
      programs[static_cast<Feature>(f)] += features.has(static_cast<Feature>(f)) ? 1 : 0;
    for (int op = 0; op < isa::kOpcodes; ++op) executed[op] += features.executed[op];
  }
  ASSERT_EQ(kShares.size(), static_cast<std::size_t>(kFeatures));
  for (const auto& [feature, percent] : kShares)
    EXPECT_GE(programs[feature] * 100, percent * kPrograms)
        << name(feature) << ": " << programs[feature] * 100.0 / kPrograms << " %";
  EXPECT_LE(programs[Feature::Traps] * 100, 15 * kPrograms);
  for (int op = 0; op < isa::kOpcodes; ++op) EXPECT_GE(executed[op], 150) << isa::rows()[op].name;
}

// Every kind of operand, terminator, space and comparison occurs in every position that it may
// take.
TEST(Generate, DistributionOfEncodings) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed)
    for (const isa::Block& block : generateCase(seed).program.blocks) {
      ++seen[fmt::format("terminator {}", isa::name(block.header.kind))];
      for (const isa::Slot& s : block.slots) {
        const isa::Row& r = isa::row(s.op);
        const auto kind = [](isa::Operand o) { return static_cast<int>(o.kind()); };
        if (r.a) ++seen[fmt::format("a {}", kind(s.a))];
        if (r.b) ++seen[fmt::format("b {}", kind(s.b))];
        if (r.c) ++seen[fmt::format("c {}", kind(s.c))];
        ++seen[fmt::format("guard {}", isa::text(s.guard))];
        ++seen[fmt::format("space {} {} {}", static_cast<int>(s.space), s.scaled,
                           s.base_parameter)];
        if (isa::computesPredicate(s) && r.predicate != isa::PredicateUse::Flag)
          ++seen[fmt::format("{}.{}", r.name, isa::name(s.compare))];
        if (s.live) ++seen[fmt::format("r{}", s.rd)];
        if (s.plive) ++seen[fmt::format("p{}", s.pd)];
      }
    }
  // 6 terminators, 5 kinds of operand in 3 places, 15 guards, 9 spaces and forms of address, the
  // comparisons 6 + 6 + 4 + 2 + 2, 15 registers, 4 predicates.
  EXPECT_EQ(seen.size(), 6u + 15 + 15 + 9 + 20 + 15 + 4);
  for (const auto& [what, count] : seen) EXPECT_GE(count, 5) << what;
}

}  // namespace
}  // namespace qgpu::isatest
