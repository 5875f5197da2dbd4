// The whole way of a recording, with the CPU in the GPU's place: pack, script, recorder, reader,
// comparison; and that nothing can be altered on it unnoticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "conformance/cpu/native.h"
#include "golden/recording.h"
#include "golden/testing/fixture.h"
#include "golden/verify.h"

namespace qgpu::golden {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& cases() {
  static const std::vector<std::string> kNames = {"dot",        "bitonic_sort_16", "reduce0_int",
                                                  "ptx_guards", "warp_sum",        "who"};
  return kNames;
}
const std::string& text() {
  static const std::string kText = fixture(cases());
  return kText;
}
Recording recording(const std::string& of = text()) {
  auto parsed = parseRecording(of, "fixture", Origin::Fixture);
  check(parsed.has_value(), parsed ? "" : parsed.error().text());
  return std::move(*parsed);
}

// The machine's part in these tests: the same kernels, in warps of 4 lanes.
Verdict verdictOf(const Recording& r, std::size_t i) {
  const launch::Launch& launch = r.goldens[i].test_case.launch;
  const auto name = conformance::nativeName(conformance::Suite::Own, launch);
  return judge(r.goldens[i], cpu::runNatively(name, launch, cpu::Order::Backward));
}

// The text with one thing altered, under a seal of its own.
std::string altered(std::string_view from, std::string_view to) {
  std::string lines = text().substr(0, text().rfind("{\"end\""));
  const std::size_t at = lines.find(from);
  check(at != lines.npos, "the text to alter is there");
  return sealed(lines.replace(at, from.size(), to));
}

TEST(Fixture, HoldsEveryCaseOrTheReason) {
  const Recording r = recording();
  EXPECT_EQ(r.device.device, kFixtureDevice);
  EXPECT_EQ(r.goldens.size(), cases().size() - 1);
  ASSERT_EQ(r.omissions.size(), 1u);
  EXPECT_EQ(r.omissions[0].launch, "who");
  EXPECT_EQ(r.goldens[0].test_case.expected.at("c"), (std::vector<std::uint8_t>{32, 0, 0, 0}));
}

TEST(Fixture, IsRefusedAmongRecordings) {
  const auto parsed = parseRecording(text(), "golden/recordings/t4.jsonl", Origin::Device);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().text(), HasSubstr("golden/recordings/t4.jsonl:1:1: error: this is a "
                                               "test's fixture"));
}

TEST(Fixture, AgreesBitForBit) {
  const Recording r = recording();
  for (std::size_t i = 0; i < r.goldens.size(); ++i) {
    const Verdict verdict = verdictOf(r, i);
    EXPECT_EQ(verdict.outcome, Outcome::Agrees) << verdict.message;
    EXPECT_GT(verdict.elements, 0u);
  }
}

TEST(Fixture, TheScriptSealsAsTheLibraryDoes) {
  EXPECT_EQ(sealed(text().substr(0, text().rfind("{\"end\""))), text());
}

TEST(Fixture, AnAlteredOutputDiffers) {
  const Verdict verdict = verdictOf(recording(altered("\"c\":[32]", "\"c\":[33]")), 0);
  EXPECT_EQ(verdict.outcome, Outcome::Differs);
  EXPECT_EQ(verdict.message, "c[0]: expected 33, got 32");
}

TEST(Fixture, AnAlteredInputDiffers) {
  EXPECT_EQ(verdictOf(recording(altered("[1,2,3]", "[1,2,4]")), 0).outcome, Outcome::Differs);
}

TEST(Fixture, AnAlteredSourceIsRefused) {
  const auto parsed = parseRecording(altered("atomicAdd", "atomicSub"), "f", Origin::Fixture);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().text(), HasSubstr("the text of 'dot.cu' has another SHA-256"));
}

TEST(Fixture, AnAlteredHashIsRefused) {
  std::string changed = text();
  char& digit = changed[changed.rfind("\"}") - 1];
  digit = digit == '0' ? '1' : '0';
  const auto parsed = parseRecording(changed, "f", Origin::Fixture);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().text(), HasSubstr("not what was recorded"));
}

TEST(Verify, ARefusalIsAllowedWhereTheLaunchSaysSo) {
  Golden golden;
  golden.test_case.expectation = launch::Expectation::PassOrReject;
  const Expected<launch::Arrays> refused = refuse("too large"), trapped = trap("outside");
  EXPECT_EQ(judge(golden, refused).outcome, Outcome::Refused);
  EXPECT_EQ(judge(golden, trapped).outcome, Outcome::Failed);
  golden.test_case.expectation = launch::Expectation::Pass;
  EXPECT_EQ(judge(golden, refused).outcome, Outcome::Failed);
}

}  // namespace
}  // namespace qgpu::golden
