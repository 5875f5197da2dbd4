// The command as a shell runs it: statuses, messages, ledgers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/testing/process.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;

nlohmann::json objectOf(const Outcome& outcome) {
  EXPECT_EQ(outcome.error, "");
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

TEST(FuzzLaunch, ALedgerIsFilledShardByShardAndReported) {
  const TemporaryFolder folder;
  const std::string ledger = (folder.path() / "runs.db").string();
  std::int64_t launches = 0;
  for (const char* shard : {"0/3", "1/3", "1/3", "2/3"}) {
    const Outcome outcome =
        runCommand({"--count", "600", "--ledger", ledger, "--shard", shard, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    launches += objectOf(outcome)["launches"].get<std::int64_t>();
  }
  EXPECT_EQ(launches, 600);
  const Outcome report = runCommand({"report", ledger, "--json"});
  EXPECT_EQ(report.status, 0) << report.error;
  const auto books = objectOf(report)["books"];
  ASSERT_EQ(books.size(), 1u);
  EXPECT_EQ(books[0]["launches"], 600);
  EXPECT_EQ(books[0]["mismatches"], 0);
  EXPECT_NEAR(books[0]["bound_95"].get<double>(), 3.0 / 600, 1e-4);

  const std::string merged = (folder.path() / "merged.db").string();
  EXPECT_EQ(runCommand({"merge", merged, ledger}).status, 0);
  const Outcome both = runCommand({"report", merged, ledger});
  EXPECT_EQ(both.status, 0);
  EXPECT_THAT(both.out, HasSubstr(" 600 "));
}

TEST(FuzzLaunch, TheFolderOfFindingsIsThereFromTheStart) {
  const TemporaryFolder folder;
  const std::filesystem::path findings = folder.path() / "found/today";
  EXPECT_EQ(runCommand({"--count", "1", "--out", findings.string()}).status, 0);
  EXPECT_TRUE(std::filesystem::is_directory(findings));
  EXPECT_EQ(runCommand({"--count", "1", "--out", findings.string()}).status, 0);
}

TEST(FuzzLaunch, BadUseIsRefused) {
  const TemporaryFolder folder;
  const std::string notes = folder.write("notes", "these are notes\n");
  const std::vector<std::pair<std::vector<std::string>, const char*>> uses = {
      {{"--ledger", notes}, "not a database"},
      {{"report", notes}, "not a database"},
      {{"report", "no/such.db"}, "unable to open"},
      {{"merge", notes, notes}, "not a database"},
      {{"report"}, "required"},
      {{"--shard", "2/2"}, "is no shard"},
      {{"--shard", "auto"}, "no array job"},
      {{"--level", "moon"}, "--level"},
      {{"--count", "0"}, "--count"},
      {{"--out", notes}, "no folder can be made there"},
      {{"--out", notes + "/below"}, "no folder can be made there: Not a directory"},
  };
  for (const auto& [arguments, message] : uses) {
    const Outcome outcome = runCommand(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.error, HasSubstr(message));
  }
}

}  // namespace
}  // namespace qgpu::testing
