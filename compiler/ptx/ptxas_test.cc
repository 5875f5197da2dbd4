// Instruction by instruction: what ptxas accepts and refuses, so do we.
#include <algorithm>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/ptx/samples.h"
#include "compiler/ptx/testing.h"

namespace qgpu::ptx {
namespace {

constexpr std::string_view kTarget = "sm_100";
using Error = std::optional<std::string>;

class Judge {
 public:
  explicit Judge(std::filesystem::path ptxas) : ptxas_(std::move(ptxas)) {}

  // What ptxas has against each statement. It reports many at once, but stops at some.
  std::vector<Error> judge(const std::vector<std::string>& statements) const {
    std::vector<Error> result(statements.size());
    std::vector<std::size_t> alive(statements.size());
    for (std::size_t i = 0; i < alive.size(); ++i) alive[i] = i;
    judge(statements, alive, result);
    return result;
  }

 private:
  void judge(const std::vector<std::string>& statements, std::vector<std::size_t> alive,
             std::vector<Error>& result) const {
    while (!alive.empty()) {
      std::vector<std::string> lines;
      for (const std::size_t i : alive) lines.push_back(statements[i]);
      const Verdict verdict = assemble(ptxas_, sampleKernel(lines, kTarget), kTarget);
      if (verdict.accepted) return;
      std::vector<std::size_t> rest;
      for (std::size_t k = 0; k < alive.size(); ++k) {
        const auto error = verdict.errors.find(kSampleLine + static_cast<int>(k));
        if (error == verdict.errors.end()) {
          rest.push_back(alive[k]);
        } else {
          result[alive[k]] = error->second;
        }
      }
      if (rest.size() == alive.size()) return split(statements, alive, verdict, result);
      alive = std::move(rest);
    }
  }

  // ptxas failed without naming a line: it has crashed on one of them.
  void split(const std::vector<std::string>& statements, const std::vector<std::size_t>& alive,
             const Verdict& verdict, std::vector<Error>& result) const {
    if (alive.size() == 1) {
      result[alive[0]] = "no verdict: " + verdict.errors.begin()->second;
      return;
    }
    const auto middle = alive.begin() + static_cast<std::ptrdiff_t>(alive.size() / 2);
    judge(statements, {alive.begin(), middle}, result);
    judge(statements, {middle, alive.end()}, result);
  }

  std::filesystem::path ptxas_;
};

Error ours(const std::string& statement) {
  const auto module = parse(sampleKernel({statement}, kTarget), "sample.ptx");
  if (module) return std::nullopt;
  return module.error().message;
}

bool containsAny(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

// The differences that ptx.h names.
bool intended(const std::string& statement, const Error& we, const Error& they) {
  if (they && containsAny(*they, {"no verdict"})) return true;
  if (!we) {
    return containsAny(*they, {"not supported on .target", "without '.sync'", "ounding modifier",
                               ".approx modifier required", "multiple of warp size"});
  }
  // ptxas has no firm rule for .bf16 operands, for .f16x2 registers as integers, for `_`, and for
  // functions as values; it spreads a scalar over the elements of mov.v2, and it takes .v8 of bytes
  // in stores but not in loads.
  return containsAny(statement,
                     {"bf16", "%f16x2", " _", ", k", " k,", "mov.v", "cvt.pack", "|_", ".v8."});
}

void compare(const Judge& judge, const std::vector<std::string>& statements, std::size_t batch) {
  std::size_t accepted = 0;
  for (std::size_t first = 0; first < statements.size(); first += batch) {
    const auto begin = statements.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::string> part(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(batch, statements.size() - first)));
    const std::vector<Error> theirs = judge.judge(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Error we = ours(part[i]);
      accepted += we ? 0 : 1;
      if (we.has_value() == theirs[i].has_value()) continue;
      // A neighbour's syntax error can confuse ptxas, so it is asked about this statement alone.
      const Error alone = judge.judge({part[i]})[0];
      if (we.has_value() == alone.has_value() || intended(part[i], we, alone)) continue;
      ADD_FAILURE() << part[i] << "\n  ours:  " << we.value_or("accepted")
                    << "\n  ptxas: " << alone.value_or("accepted");
    }
  }
  testing::Test::RecordProperty("statements", static_cast<int>(statements.size()));
  testing::Test::RecordProperty("accepted", static_cast<int>(accepted));
}

TEST(Ptxas, AcceptsEveryFormOfTheTable) {
  const auto ptxas = findProgram("ptxas");
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed";
  const std::vector<std::string> statements = legalSamples();
  ASSERT_GE(statements.size(), 4000u);
  compare(Judge(*ptxas), statements, 400);
}

TEST(Ptxas, JudgesOperandsAlike) {
  const auto ptxas = findProgram("ptxas");
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed";
  constexpr std::size_t kCount = 1500;
  std::vector<std::string> statements = mutatedSamples();
  std::shuffle(statements.begin(), statements.end(), std::mt19937(20240607));
  ASSERT_GE(statements.size(), 100 * kCount);
  statements.resize(kCount);
  compare(Judge(*ptxas), statements, 100);
}

}  // namespace
}  // namespace qgpu::ptx
