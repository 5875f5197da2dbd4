// Damaged case files, end to end: each is refused, traps or runs; none brings the process down.
#include <gtest/gtest.h>

#include <random>

#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "interpreter/base/files.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

constexpr int kMutants = 1000;
constexpr unsigned kSeed = 20'250'607;

// One to three edits: a byte changed, bytes removed, a piece doubled, a number or a word replaced.
std::string mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {
      "0",    "-1",   "33",        "129",        "4294967296", "1e99",    "[]",     "{}",
      "null", "\"\"", "\"int64\"", "\"struct\"", ",",          "[1,2,3]", "\\u0000"};
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t edits = 1 + below(3); edits > 0 && text.size() > 8; --edits) {
    const std::size_t at = below(text.size() - 4);
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, 1 + below(12)); break;
      case 2: text.insert(at, text.substr(below(text.size()), 1 + below(20))); break;
      case 3: text.resize(at + 1); break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = text.find_first_not_of("0123456789", digit);
        text.replace(digit, std::min(end, text.size()) - digit, kPieces[below(std::size(kPieces))]);
      }
    }
  }
  return text;
}

TEST(MutationTest, DamagedCasesNeverCrash) {
  struct Original {
    std::string text;
    std::filesystem::path root;  // that its kernel's path is relative to
  };
  std::vector<Original> originals;
  for (const auto& file : conformance::allCases())
    if (auto text = readFile(file.path))
      originals.push_back({std::move(*text), file.path.parent_path().parent_path()});
  ASSERT_FALSE(originals.empty());
  std::mt19937 random(kSeed);
  int refused = 0, trapped = 0, ran = 0;
  for (int i = 0; i < kMutants; ++i) {
    const Original& original = originals[random() % originals.size()];
    const std::string text = mutated(original.text, random);
    auto test_case = launch::parseCase(text, "mutant.json");
    if (!test_case) {
      EXPECT_EQ(test_case.error().kind, FailureKind::Refusal);
      EXPECT_FALSE(test_case.error().message.empty());
      ++refused;
      continue;
    }
    test_case->launch.kernel = original.root / test_case->launch.kernel;
    const auto result = run(test_case->launch, *interpreterEngine(), {.max_tokens = 20'000});
    if (result) {
      ++ran;
      continue;
    }
    EXPECT_NE(result.error().kind, FailureKind::Bug) << result.error().text() << '\n' << text;
    EXPECT_FALSE(result.error().message.empty());
    ++(result.error().kind == FailureKind::Trap ? trapped : refused);
  }
  // The mutants are neither all broken nor all harmless.
  EXPECT_GT(refused, kMutants / 10);
  EXPECT_GT(ran + trapped, kMutants / 40) << refused << " refused";
}

}  // namespace
}  // namespace qgpu
