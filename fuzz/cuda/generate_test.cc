// What random kernels are made of, and that what makes them smaller comes to an end.
#include "fuzz/cuda/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "fuzz/cuda/shrink.h"
#include "fuzz/cuda/walk.h"

namespace qgpu::fuzz::cuda {
namespace {

using ::testing::HasSubstr;

constexpr int kKernels = 2000;

TEST(Generate, ANumberAlwaysGivesTheSameKernel) {
  for (const std::uint64_t number : {0ull, 17ull, 123456789ull, ~0ull}) {
    EXPECT_EQ(generateKernel(number).source, generateKernel(number).source);
    EXPECT_EQ(generateKernel(number).launch, generateKernel(number).launch);
  }
}

TEST(Generate, NumbersGiveDifferentKernels) {
  std::set<std::string> sources;
  for (std::uint64_t number = 0; number < kKernels; ++number) {
    KernelTree tree = generateTree(number);
    tree.number = 0;
    sources.insert(kernelOf(tree).source);
  }
  EXPECT_GT(sources.size(), kKernels * 98 / 100);
}

TEST(Generate, LaunchesAreSound) {
  for (std::uint64_t number = 0; number < kKernels; ++number) {
    const GeneratedKernel kernel = generateKernel(number);
    const auto sound = launch::validate(kernel.launch);
    ASSERT_TRUE(sound.has_value()) << number << ": " << sound.error().text();
    EXPECT_EQ(kernel.launch.entry, "k" + std::to_string(number));
    EXPECT_THAT(kernel.source, HasSubstr("void " + kernel.launch.entry + "("));
  }
}

// Per cent of the kernels, at least; twice that and a half more at most.
struct Share {
  Feature feature;
  int percent;
};
constexpr std::array kShares = {
    Share{Feature::DivergentIf, 40},   Share{Feature::ConstantLoop, 15},
    Share{Feature::DataLoop, 15},      Share{Feature::Break, 3},
    Share{Feature::Continue, 3},       Share{Feature::Switch, 8},
    Share{Feature::Barrier, 20},       Share{Feature::WarpBarrier, 5},
    Share{Feature::Lock, 2},           Share{Feature::SharedMemory, 20},
    Share{Feature::Atomic, 15},        Share{Feature::AtomicResult, 4},
    Share{Feature::SharedAtomic, 3},   Share{Feature::Shuffle, 6},
    Share{Feature::Vote, 2},           Share{Feature::BlockVote, 2},
    Share{Feature::Division, 12},      Share{Feature::WideDivision, 1},
    Share{Feature::WideAtomic, 1},     Share{Feature::Intrinsic, 25},
    Share{Feature::Select, 25},        Share{Feature::DeviceFunction, 8},
    Share{Feature::LocalArray, 6},     Share{Feature::NarrowType, 15},
    Share{Feature::WideType, 8},       Share{Feature::TwoDimensions, 15},
    Share{Feature::SeveralBlocks, 25}, Share{Feature::PartialWarp, 25},
    Share{Feature::UniformBranch, 3},  Share{Feature::EarlyExit, 10},
};
static_assert(kShares.size() == kFeatures);

TEST(Generate, EveryFeatureHasItsShare) {
  std::array<int, kFeatures> count{};
  for (std::uint64_t number = 0; number < kKernels; ++number) {
    const Features features = generateKernel(number).features;
    for (std::size_t f = 0; f < kFeatures; ++f) count[f] += features.has(static_cast<Feature>(f));
  }
  for (const Share& share : kShares) {
    const int percent = 100 * count[static_cast<std::size_t>(share.feature)] / kKernels;
    EXPECT_GE(percent, share.percent) << name(share.feature);
    EXPECT_LE(percent, share.percent * 5 / 2) << name(share.feature);
  }
}

TEST(Generate, OnlyVotesDependOnTheWidthOfAWarp) {
  for (std::uint64_t number = 0; number < kKernels; ++number) {
    const GeneratedKernel kernel = generateKernel(number);
    const bool votes = kernel.source.find("__all_sync") != std::string::npos ||
                       kernel.source.find("__any_sync") != std::string::npos ||
                       kernel.source.find("__ballot_sync") != std::string::npos;
    EXPECT_EQ(kernel.features.width4Only(), votes) << kernel.source;
    EXPECT_EQ(kernel.source.find("warpSize"), std::string::npos);
  }
}

int statementsIn(const KernelTree& tree) {
  int count = 0;
  visitStatements(tree, [&](const Statement&) { ++count; });
  return count;
}

TEST(Shrink, WhatAlwaysFailsBecomesEmpty) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const KernelTree small = minimise(generateTree(number), [](auto) { return std::optional(0u); });
    EXPECT_EQ(statementsIn(small), 0) << kernelOf(small).source;
    EXPECT_EQ(small.blocks(), 1);
    EXPECT_LE(kernelOf(small).source.size(), 400u) << kernelOf(small).source;
  }
}

TEST(Shrink, WhatFailsForOneReasonKeepsIt) {
  const auto divides = [](const KernelTree& tree) {
    bool found = false;
    visitExpressions(tree, [&](const Expression& e) { found |= e.op == Op::Divide; });
    return found;
  };
  int tried = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const KernelTree tree = generateTree(number);
    if (!divides(tree)) continue;
    const KernelTree small =
        minimise(tree, [&](std::span<const KernelTree> candidates) -> std::optional<std::size_t> {
          for (std::size_t i = 0; i < candidates.size(); ++i)
            if (divides(candidates[i])) return i;
          return std::nullopt;
        });
    EXPECT_TRUE(divides(small));
    EXPECT_LE(statementsIn(small), 3) << kernelOf(small).source;
    ++tried;
  }
  EXPECT_GT(tried, 10);
}

}  // namespace
}  // namespace qgpu::fuzz::cuda
