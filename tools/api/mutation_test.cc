// Damaged case files and PTX files, end to end: a thousand of each are refused, each with what is
// wrong; the mutants between them, which damage has left valid, run or trap. None is a bug, none
// hangs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "interpreter/base/files.h"
#include "interpreter/testing/sanitized.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

constexpr int kRefusals = isatest::unlessSanitized(1000, 500);
constexpr int kFewestValid = isatest::unlessSanitized(kRefusals / 40, 3);  // of few, chance decides
constexpr int kMostMutants = 10 * kRefusals;
constexpr std::int64_t kMaxTokens = 5'000;
constexpr unsigned kSeed = 20'250'607;

class Mutator {
 public:
  explicit Mutator(std::vector<std::string_view> words) : words_(std::move(words)) {}

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  // One to three edits.
  std::string mutated(std::string text) {
    for (std::size_t edits = 1 + below(3); edits > 0 && text.size() > 8; --edits) edit(text);
    return text;
  }

 private:
  // A byte changed, bytes removed, a piece doubled, the end lost, a digit changed, a number
  // replaced by a word.
  void edit(std::string& text) {
    const std::size_t at = below(text.size() - 4);
    const std::size_t kind = below(6);
    switch (kind) {
      case 0: text[at] = static_cast<char>(below(256)); return;
      case 1: text.erase(at, 1 + below(12)); return;
      case 2: text.insert(at, text.substr(below(text.size()), 1 + below(20))); return;
      case 3: text.resize(at + 1); return;
      default: break;
    }
    const std::size_t digit = text.find_first_of("0123456789", at);
    if (digit == std::string::npos) return;
    if (kind == 4) {
      text[digit] = static_cast<char>('0' + below(10));
      return;
    }
    const std::size_t end = text.find_first_not_of("0123456789", digit);
    text.replace(digit, std::min(end, text.size()) - digit, words_[below(words_.size())]);
  }

  std::vector<std::string_view> words_;
  std::mt19937 random_{kSeed};
};

struct Tally {
  int refused = 0, trapped = 0, ran = 0;

  int all() const { return refused + trapped + ran; }
};

// Counts what became of a mutant. `failure` is null where it ran.
void count(const Failure* failure, const std::string& text, Tally& tally) {
  if (failure == nullptr) {
    ++tally.ran;
    return;
  }
  ASSERT_NE(failure->kind, FailureKind::Bug) << failure->text() << '\n' << text;
  EXPECT_FALSE(failure->message.empty()) << text;
  ++(failure->kind == FailureKind::Trap ? tally.trapped : tally.refused);
}

void expectRefusals(const std::function<void(Tally&)>& try_one) {
  Tally tally;
  while (tally.refused < kRefusals && tally.all() < kMostMutants &&
         !::testing::Test::HasFatalFailure())
    try_one(tally);
  EXPECT_EQ(tally.refused, kRefusals) << tally.trapped << " trapped, " << tally.ran << " ran";
  // Damage that only the first look finds would test little.
  EXPECT_GT(tally.ran + tally.trapped, kFewestValid);
}

Expected<Result> runShort(const launch::Launch& launch) {
  return run(launch, *interpreterEngine(), {.max_tokens = kMaxTokens});
}

TEST(MutationTest, AThousandDamagedCasesAreRefused) {
  struct Original {
    std::string text;
    std::filesystem::path root;  // that its kernel's path is relative to
  };
  std::vector<Original> originals;
  for (const auto& file : conformance::allCases())
    if (auto text = readFile(file.path))
      originals.push_back({std::move(*text), file.path.parent_path().parent_path()});
  ASSERT_FALSE(originals.empty());

  Mutator mutator({"0", "-1", "33", "129", "4294967296", "1e99", "[]", "{}", "null", "\"\"",
                   "\"int64\"", "\"struct\"", ",", "[1,2,3]", "\\u0000"});
  expectRefusals([&](Tally& tally) {
    const Original& original = originals[mutator.below(originals.size())];
    const std::string text = mutator.mutated(original.text);
    auto test_case = launch::parseCase(text, "mutant.json");
    if (!test_case) return count(&test_case.error(), text, tally);
    test_case->launch.kernel = original.root / test_case->launch.kernel;
    const auto result = runShort(test_case->launch);
    count(result ? nullptr : &result.error(), text, tally);
  });
}

TEST(MutationTest, AThousandDamagedPtxFilesAreRefused) {
  struct Original {
    std::string ptx;
    launch::Launch launch;
  };
  std::vector<Original> originals;
  for (const auto& file : conformance::ownCases()) {
    const auto test_case = launch::readCase(file.path);
    if (!test_case) continue;
    const auto source = readSource(test_case->launch.kernel);
    if (!source) continue;
    if (const auto kernel = loadKernel(*source, test_case->launch.entry))
      originals.push_back({kernel->ptx, test_case->launch});
    if (originals.size() >= 100) break;
  }
  ASSERT_EQ(originals.size(), 100u);

  Mutator mutator({"0", "-1", "33", "4294967296", "18446744073709551616", "0x", "1e9", "%r1", "%p9",
                   "%rd1", ".u64", ";", "{", "]", "bra", "-"});
  expectRefusals([&](Tally& tally) {
    const Original& original = originals[mutator.below(originals.size())];
    const std::string text = mutator.mutated(original.ptx);
    const auto kernel = loadKernel({text, "mutant.ptx", Language::Ptx});
    if (!kernel) return count(&kernel.error(), text, tally);
    const auto launch = bindLaunch(*kernel, original.launch);
    if (!launch) return count(&launch.error(), text, tally);
    const auto program = compile(*kernel, *launch);
    if (!program) return count(&program.error(), text, tally);
    const auto result = run(*program, *interpreterEngine(), {.max_tokens = kMaxTokens});
    count(result ? nullptr : &result.error(), text, tally);
  });
}

}  // namespace
}  // namespace qgpu
