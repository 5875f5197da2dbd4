#include "fuzz/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "fuzz/campaign.h"
#include "fuzz/report.h"
#include "interpreter/base/files.h"
#include "tools/testing/process.h"

namespace qgpu::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Access = Database::Access;

// Three positions a launch. Number 100 k is refused, 7 + 400 k differs.
class FakeLevel : public Level {
 public:
  explicit FakeLevel(std::uint64_t deadly) : deadly_(deadly) {}
  Outcome run(std::uint64_t number) override {
    if (number == deadly_) ::kill(::getpid(), SIGKILL);
    return {number % 400 == 7 ? "differs" : "", 3, number % 100 == 0 ? "too large" : ""};
  }
  Finding minimal(std::uint64_t number) override { return {number, "differs", "small", {}}; }

 private:
  std::uint64_t deadly_;
};

Book book(const std::string& commit = "c0ffee", const std::string& engine = "interpreter") {
  return {{commit, "g++ 12.2.0"}, "", "fake", engine, ""};
}

class LedgerTest : public ::testing::Test {
 protected:
  static Ledger open(const std::filesystem::path& path) {
    auto ledger = Ledger::open(path);
    EXPECT_TRUE(ledger) << ledger.error().text();
    return std::move(*ledger);
  }
  // A campaign as fuzz_launch runs it with a ledger.
  static Result campaign(const std::filesystem::path& path, std::int64_t count,
                         std::uint64_t deadly = 0, const Shard& shard = {}) {
    Ledger ledger = open(path);
    const BookId id = *ledger.book(book());
    Campaign campaign{.make = [&] { return std::make_unique<FakeLevel>(deadly); },
                      .seed = 1,
                      .count = count,
                      .jobs = 1,
                      .shard = shard,
                      .most_findings = 1000};
    campaign.done = *ledger.recorded(id);
    campaign.record = [&](const Chunk& chunk) -> Expected<void> {
      return ledger.record(id, chunk).map([](bool) {});
    };
    return run(campaign);
  }
  // In a process of its own; gives how it ended, as waitpid tells it.
  template <typename Work>
  static int inChild(const Work& work) {
    const pid_t child = start(work);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  template <typename Work>
  static pid_t start(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    return child;
  }
  // What must not depend on how the launches came about.
  static void expectWhole(const std::filesystem::path& path, std::int64_t count) {
    Ledger ledger = open(path);
    const auto totals = ledger.totals();
    ASSERT_TRUE(totals);
    ASSERT_EQ(totals->size(), 1u);
    const Total& total = totals->front();
    EXPECT_EQ(total.book, book());
    EXPECT_EQ(total.launches, count);
    EXPECT_EQ(total.positions, 3 * count);
    EXPECT_EQ(total.findings, (count - 7) / 400 + 1);
    EXPECT_EQ(total.refusals.at("too large"), count / 100);
    EXPECT_EQ(*ledger.recorded(1), (std::vector<Range>{{1, count}}));
  }
  std::filesystem::path file(const char* name = "runs.db") const { return folder_.path() / name; }

  testing::TemporaryFolder folder_;
};

TEST_F(LedgerTest, AKilledCampaignGoesOn) {
  for (const std::uint64_t deadly : {1u, 256u, 257u, 1000u, 2999u}) {
    const auto path = file((std::to_string(deadly) + ".db").c_str());
    const int status = inChild([&] { return campaign(path, 3000, deadly).launches > 0 ? 0 : 1; });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << deadly;
    const Result result = campaign(path, 3000);
    EXPECT_LE(result.launches, 3000 - static_cast<std::int64_t>(deadly) + 256) << deadly;
    EXPECT_EQ(result.launches + result.done, 3000);
    expectWhole(path, 3000);
  }
}

TEST_F(LedgerTest, WhatRunsTwiceCountsOnce) {
  EXPECT_EQ(campaign(file(), 2000).launches, 2000);
  EXPECT_EQ(campaign(file(), 2000).launches, 0);
  EXPECT_EQ(campaign(file(), 5000).launches, 3000);
  expectWhole(file(), 5000);
}

TEST_F(LedgerTest, TakesNoChunkThatOverlaps) {
  Ledger ledger = open(file());
  const BookId id = *ledger.book(book());
  const auto record = [&](std::uint64_t first, std::int64_t count) {
    return *ledger.record(id, {{first, count}, 0, 1.0, {}, {}});
  };
  EXPECT_TRUE(record(100, 50));
  for (const Range& r : {Range{100, 50}, {100, 1}, {149, 1}, {90, 11}, {90, 100}, {120, 5}})
    EXPECT_FALSE(record(r.first, r.count)) << r.first << '+' << r.count;
  EXPECT_TRUE(record(90, 10));
  EXPECT_TRUE(record(150, 1));
  EXPECT_THAT(*ledger.recorded(id), ElementsAre(Range{90, 61}));
}

TEST_F(LedgerTest, AnotherCommitIsEvidenceOfItsOwn) {
  Ledger ledger = open(file());
  for (const Book& b : {book("a"), book("b"), book("b", "model"), book("b")})
    static_cast<void>(ledger.record(*ledger.book(b), {{1, 10}, 0, 1.0, {}, {}}));
  const auto totals = *ledger.totals();
  ASSERT_EQ(totals.size(), 3u);
  for (const Total& total : totals) EXPECT_EQ(total.launches, 10);
  EXPECT_THAT(table(totals), HasSubstr("all")) << "the sum of both commits";
}

TEST_F(LedgerTest, ShardsOfSeveralProcessesMakeTheWhole) {
  std::vector<pid_t> children;
  for (std::int64_t i = 0; i < 4; ++i)
    children.push_back(
        start([&] { return campaign(file(), 4000, 0, {i, 4}).launches > 900 ? 0 : 1; }));
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expectWhole(file(), 4000);
}

TEST_F(LedgerTest, MergedLedgersCountOnce) {
  campaign(file("a.db"), 4000, 0, {0, 2});
  campaign(file("b.db"), 4000, 0, {1, 2});
  campaign(file("c.db"), 1000);  // overlaps with both
  Ledger all = open(file());
  for (const char* name : {"a.db", "b.db", "b.db"}) {
    auto part = Ledger::open(file(name), Access::Read);
    ASSERT_TRUE(part) << part.error().text();
    ASSERT_TRUE(all.import(*part));
  }
  expectWhole(file(), 4000);
  Ledger overlapping = open(file("c.db"));
  ASSERT_TRUE(all.import(overlapping));
  expectWhole(file(), 4000);
}

TEST_F(LedgerTest, AnInterruptedChunkIsRecordedAsFarAsItRan) {
  Ledger ledger = open(file());
  const BookId id = *ledger.book(book());
  int asked = 0;
  Campaign campaign{.make = [] { return std::make_unique<FakeLevel>(0); },
                    .seed = 1,
                    .count = 4000,
                    .jobs = 1,
                    .shard = {}};
  campaign.record = [&](const Chunk& chunk) -> Expected<void> {
    return ledger.record(id, chunk).map([](bool) {});
  };
  campaign.interrupted = [&] { return ++asked > 400; };
  const Result result = run(campaign);
  EXPECT_TRUE(result.is_interrupted);
  EXPECT_GT(result.launches, 350);
  EXPECT_LT(result.launches, 401);
  EXPECT_THAT(*ledger.recorded(id), ElementsAre(Range{1, result.launches}));
}

std::string refusalOf(const std::filesystem::path& path, Access access = Access::Write) {
  const auto ledger = Ledger::open(path, access);
  if (ledger) return "accepted";
  EXPECT_EQ(ledger.error().kind, FailureKind::Refusal);
  EXPECT_EQ(ledger.error().location.file, path);
  return ledger.error().message;
}

TEST_F(LedgerTest, RefusesWhatIsNoLedger) {
  const std::string text = folder_.write("text", "these are notes\n");
  EXPECT_THAT(refusalOf(text), HasSubstr("not a database"));
  EXPECT_EQ(*readFile(text), "these are notes\n");
  EXPECT_THAT(refusalOf(folder_.path()), HasSubstr("unable to open"));
  EXPECT_THAT(refusalOf(file("no/such/folder")), HasSubstr("unable to open"));
  EXPECT_THAT(refusalOf(file("missing"), Access::Read), HasSubstr("unable to open"));
  EXPECT_FALSE(std::filesystem::exists(file("missing")));

  auto other = Database::open(file("other.db"), Access::Write);
  ASSERT_TRUE(other->run("CREATE TABLE recipes (name TEXT)"));
  EXPECT_THAT(refusalOf(file("other.db")), HasSubstr("not a ledger"));
  open(file("newer.db"));
  auto newer = Database::open(file("newer.db"), Access::Write);
  ASSERT_TRUE(newer->run("PRAGMA user_version = 2"));
  EXPECT_THAT(refusalOf(file("newer.db")), HasSubstr("version 2"));
}

TEST_F(LedgerTest, RefusesADamagedFile) {
  campaign(file(), 20'000);
  const std::string good = *readFile(file());
  ASSERT_EQ(refusalOf(file()), "accepted");
  ASSERT_GT(good.size(), 4 * 4096u);
  const auto refused = [&](const std::string& content) {
    const auto path = folder_.write("bad.db", content);
    EXPECT_NE(refusalOf(path), "accepted");
  };
  refused(good.substr(0, good.size() / 2));
  refused(good.substr(0, 1000));
  for (std::size_t page = 0; page + 4096 <= good.size(); page += 4096) {
    std::string bad = good;
    bad.replace(page, 64, 64, '\xa5');  // where each page says what it holds
    refused(bad);
  }
}

// With a limit on the size of files in place of a disk that is full.
TEST_F(LedgerTest, AFullDiskEndsTheCampaignAndKeepsWhatWasRecorded) {
  campaign(file(), 1000);
  const int status = inChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Result result = campaign(file(), 1'000'000);
    return result.failure && result.failure->kind == FailureKind::Refusal && result.launches > 0
               ? 0
               : 1;
  });
  EXPECT_EQ(status, 0);
  const Result rest = campaign(file(), 20'000);
  EXPECT_GE(rest.done, 1000);
  EXPECT_EQ(rest.done + rest.launches, 20'000);
}

// Against the tables of Poisson's distribution (Garwood's limits, one-sided 95 %).
TEST(Report, BoundsTheRateOfMismatches) {
  EXPECT_NEAR(upperBound95(0, 1000), 2.9957e-3, 1e-7);
  EXPECT_NEAR(upperBound95(1, 1000), 4.7439e-3, 1e-7);
  EXPECT_NEAR(upperBound95(2, 1000), 6.2958e-3, 1e-7);
  EXPECT_NEAR(upperBound95(10, 100'000), 16.9622e-5, 1e-9);
  EXPECT_EQ(upperBound95(0, 0), 1.0);
  EXPECT_EQ(upperBound95(0, 2), 1.0);
  EXPECT_GT(upperBound95(5000, 1'000'000), 5000e-6);
}

TEST(Report, RefusedLaunchesAreNoEvidence) {
  const Total total{book(), 4, 1000, 0, 0, 2.0, {{"too large", 150}, {"too long", 50}}};
  EXPECT_EQ(judged(total), 800);
  EXPECT_THAT(table({total}), HasSubstr("refused 150  fake: too large"));
  const auto object = json({total});
  EXPECT_EQ(object["books"][0]["bound_95"], upperBound95(0, 800));
  EXPECT_THAT(markdown({total}), HasSubstr("| fake | interpreter | - | c0ffee | 1000 | 200 |"));
}

}  // namespace
}  // namespace qgpu::fuzz
