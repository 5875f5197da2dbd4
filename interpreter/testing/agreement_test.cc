// Random programs on three executors that must agree, token for token and word for word.
//
// QGPU_MACHINE_PROGRAMS=1000000 runs as many; QGPU_MACHINE_SEED=7 starts at that seed. Every run of
// the test is of new programs otherwise, and says its first seed.
#include "interpreter/testing/agreement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdlib>

#include "interpreter/testing/generate.h"
#include "interpreter/testing/plain_clauses.h"
#include "interpreter/testing/rapidcheck.h"
#include "interpreter/testing/sanitized.h"
#include "interpreter/testing/shrink.h"

namespace qgpu::isatest {
namespace {

std::uint64_t fromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Says what differs on the smallest program that still differs.
void expectAgreement(std::uint64_t seed) {
  const MachineCase launch = generateCase(seed);
  const auto difference = disagreement(launch, kGeneratedBudget);
  if (!difference) return;
  const MachineCase minimal = minimise(
      launch, [](const MachineCase& c) { return disagreement(c, kShrinkBudget).has_value(); });
  FAIL() << "seed " << seed << ": " << *difference << "\nminimal: "
         << disagreement(minimal, kShrinkBudget).value_or("only the whole program differs") << "\n"
         << minimal.text();
}

TEST(Agreement, OfKnownPrograms) {
  for (std::uint64_t seed = 0; seed < unlessSanitized<std::uint64_t>(5'000, 500); ++seed)
    ASSERT_NO_FATAL_FAILURE(expectAgreement(seed));
}

TEST(Agreement, OfNewPrograms) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::uint64_t first = fromEnvironment("QGPU_MACHINE_SEED", static_cast<std::uint64_t>(now));
  const std::uint64_t count =
      fromEnvironment("QGPU_MACHINE_PROGRAMS", unlessSanitized(10'000, 1'000));
  RecordProperty("seed", std::to_string(first));
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(expectAgreement(first + i));
}

RC_GTEST_PROP(Agreement, OfRapidCheckPrograms, ()) {
  const MachineCase launch = *anyCase();
  const auto difference = disagreement(launch, kShrinkBudget);
  if (difference) RC_FAIL(*difference);
}

// Where a lane does not take part, its address need not be aligned.
TEST(PlainClauses, AHalfWordIsTheOneThatHoldsTheByte) {
  for (const int byte : {2, 3}) {
    const auto loaded = plainLane(isa::Opcode::Ldh, {.b = 0x87654321, .byte = byte});
    ASSERT_TRUE(loaded.has_value());
    EXPECT_EQ(loaded->r, 0x8765u);
  }
}

}  // namespace
}  // namespace qgpu::isatest
