#include "fuzz/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "compiler/circuit/machine/circuit.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::fuzz {
namespace {

using isatest::unlessSanitized;
using ::testing::ElementsAre;
using ::testing::Field;

// Notes which numbers ran; those divisible by `bad` disagree.
class FakeLevel : public Level {
 public:
  FakeLevel(std::set<std::uint64_t>& ran, std::mutex& mutex, std::uint64_t bad)
      : ran_(ran), mutex_(mutex), bad_(bad) {}
  Outcome run(std::uint64_t number) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(ran_.insert(number).second) << number << " ran twice";
    return {number % bad_ == 0 ? "differs" : "", 3};
  }
  Finding minimal(std::uint64_t number) override { return {number, "differs", "small"}; }

 private:
  std::set<std::uint64_t>& ran_;
  std::mutex& mutex_;
  std::uint64_t bad_;
};

struct Fakes {
  std::set<std::uint64_t> ran;
  std::mutex mutex;
  Campaign campaign(std::uint64_t bad = 1'000'000) {
    return {.make = [this, bad] { return std::make_unique<FakeLevel>(ran, mutex, bad); },
            .seed = 1,
            .count = 1000,
            .jobs = 1,
            .shard = {}};
  }
};

TEST(Campaign, RunsEachNumberOnceOnAnyNumberOfThreads) {
  for (const int jobs : {1, 2, 5}) {
    Fakes fakes;
    Campaign campaign = fakes.campaign();
    campaign.jobs = jobs;
    const Result result = run(campaign);
    EXPECT_EQ(result.launches, 1000);
    EXPECT_EQ(result.positions, 3000);
    EXPECT_EQ(fakes.ran.size(), 1000u);
    EXPECT_EQ(*fakes.ran.rbegin(), 1000u);
  }
}

TEST(Campaign, ShardsTogetherAreTheWhole) {
  Fakes fakes;
  std::int64_t launches = 0;
  for (std::int64_t i = 0; i < 7; ++i) {
    Campaign campaign = fakes.campaign();
    campaign.shard = {i, 7};
    launches += run(campaign).launches;
  }
  EXPECT_EQ(launches, 1000);
  EXPECT_EQ(fakes.ran.size(), 1000u);
}

TEST(Campaign, FindsInTheOrderOfTheNumbers) {
  Fakes fakes;
  Campaign campaign = fakes.campaign(400);
  campaign.jobs = 3;
  EXPECT_THAT(run(campaign).findings,
              ElementsAre(Field(&Finding::number, 400u), Field(&Finding::number, 800u)));
}

TEST(Campaign, StopsAfterEnoughFindings) {
  Fakes fakes;
  Campaign campaign = fakes.campaign(2);
  campaign.most_findings = 5;
  EXPECT_EQ(run(campaign).findings.size(), 5u);
  EXPECT_LT(fakes.ran.size(), 12u);
}

// On whichever thread.
TEST(Campaign, EndsWhereThisComputerCannotGoOn) {
  class Helpless : public Level {
   public:
    Outcome run(std::uint64_t) override {
      Failure failure;
      failure.message = "no process is left";
      throw CannotGoOn(failure);
    }
    Finding minimal(std::uint64_t number) override { return {number, "", ""}; }
  };
  for (const int jobs : {1, 3}) {
    const Result result = run({.make = [] { return std::make_unique<Helpless>(); },
                               .seed = 1,
                               .count = 100,
                               .jobs = jobs,
                               .shard = {}});
    ASSERT_TRUE(result.failure.has_value());
    EXPECT_EQ(result.failure->message, "no process is left");
    EXPECT_EQ(result.launches, 0);
    EXPECT_TRUE(result.findings.empty());
  }
}

TEST(Campaign, WhatDoesNotComeAgainIsKeptWithItsReason) {
  class Once : public Level {
   public:
    Outcome run(std::uint64_t number) override { return {number == 7 ? "a crash" : ""}; }
    Finding minimal(std::uint64_t number) override { return {number, "", "the whole launch"}; }
  };
  const Result result = run({.make = [] { return std::make_unique<Once>(); },
                             .seed = 1,
                             .count = 10,
                             .jobs = 1,
                             .shard = {}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].difference, "a crash (once; all agree when the launch runs again)");
  EXPECT_EQ(result.findings[0].text, "the whole launch");
}

TEST(MachineLevel, ExecutorsAgree) {
  const Result result = run({.make = [] { return machineLevel(Oracle::Interpreter, nullptr); },
                             .seed = 1'000'000,
                             .count = 2000,
                             .jobs = 2,
                             .shard = {}});
  EXPECT_EQ(result.launches, 2000);
  for (const Finding& f : result.findings) ADD_FAILURE() << f.difference << '\n' << f.text;
}

// Audited many positions at a time, and written by the model token by token.
TEST(MachineLevel, TheModelAgreesInEveryState) {
  const auto circuit = circuit::machine::buildCircuit();
  ASSERT_TRUE(circuit);
  for (const Oracle oracle : {Oracle::Model, Oracle::ModelAlone}) {
    const std::int64_t launches = unlessSanitized(60, 3);
    const Result result = run({.make = [&] { return machineLevel(oracle, &*circuit); },
                               .seed = 2'000'000,
                               .count = launches,
                               .jobs = 2,
                               .shard = {}});
    EXPECT_EQ(result.launches, launches);
    EXPECT_GT(result.positions, launches * 160);
    for (const Finding& f : result.findings) ADD_FAILURE() << f.difference << '\n' << f.text;
  }
}

// An altered weight is found, made small and told.
TEST(MachineLevel, FindsADamagedCircuit) {
  auto circuit = circuit::machine::buildCircuit();
  ASSERT_TRUE(circuit);
  circuit->layers[34].down_proj = model::SparseMatrix(2048, 6144, {});
  const Result result = run({.make = [&] { return machineLevel(Oracle::Model, &*circuit); },
                             .seed = 1,
                             .count = 3,
                             .jobs = 1,
                             .shard = {},
                             .most_findings = 1});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].difference.find("position"), std::string::npos);
  EXPECT_NE(result.findings[0].text.find("block 0"), std::string::npos) << result.findings[0].text;
}

}  // namespace
}  // namespace qgpu::fuzz
