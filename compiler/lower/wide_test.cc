// 64-bit operations that the machine has no instruction for and that become loops or several
// instructions: division and atomics.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "compiler/lower/testing/operands.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectAll;
using testing::In;
using testing::kernelText;
using testing::optionSets;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Word;
using testing::word;
using testing::Words;

// Neither a divisor of 0 nor the quotient 2^63, which PTX leaves open.
void defined(testing::Operands& o) {
  o.y |= 1;
  if (o.xs() == std::numeric_limits<std::int64_t>::min() && o.ys() == -1) o.y = 1;
}

TEST(Wide, Division) {
  expectAll({
      {"div.u64 %w9, %w1, %w2;", 64, [](In o) { return o.x / o.y; }, defined},
      {"rem.u64 %w9, %w1, %w2;", 64, [](In o) { return o.x % o.y; }, defined},
      {"div.s64 %w9, %w1, %w2;", 64, [](In o) { return word(o.xs() / o.ys()); }, defined},
      {"rem.s64 %w9, %w1, %w2;", 64, [](In o) { return word(o.xs() % o.ys()); }, defined},
  });
}

TEST(Wide, DivisionByAWord) {
  const auto with = [](std::string_view op) {
    return fmt::format("cvt.u64.u32 %w20, %a2;\n{} %w9, %w1, %w20;", op);
  };
  expectAll({
      {with("div.u64"), 64, [](In o) { return o.x / o.yu(); }, defined},
      {with("rem.u64"), 64, [](In o) { return o.x % o.yu(); }, defined},
      {with("div.s64"), 64, [](In o) { return word(o.xs() / std::int64_t{o.yu()}); }, defined},
      {with("rem.s64"), 64, [](In o) { return word(o.xs() % std::int64_t{o.yu()}); }, defined},
      {"rem.u64 %w9, %w1, 1000000007;", 64, [](In o) { return o.x % 1000000007; }},
      {"div.s64 %w9, %w1, -7;", 64, [](In o) { return word(o.xs() / -7); }},
  });
}

// What a guard excludes keeps its value, whatever the others' loop does.
TEST(Wide, GuardedDivision) {
  expectAll({{"mov.u64 %w9, %w3;\n@%q1 div.u64 %w9, %w1, %w2;", 64,
              [](In o) { return o.z % 2 != 0 ? o.x / o.y : o.z; }, defined}});
}

// ---- Atomics: eight threads, one 64-bit number; those of bit 1 leave it alone. ----

constexpr std::uint32_t kThreads = 8;
constexpr Word kBefore = 0x8fff'ffff'ffff'fffe;

// What thread t brings: its upper word and its lower one matter.
Word valueOf(std::uint32_t t) { return Word{t} * 0x7000'0001'8000'0003 + 1; }

struct Row {
  std::string operation;
  std::string value;  // registers: the operand, after what is compared
  std::function<Word(Word old, std::uint32_t t)> next;
};

PtxLaunch launchOf(const Row& row) {
  const std::string body =
      "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 8;\nadd.s64 %w1, %p0, %w0;\n"
      "cvt.u64.u32 %w2, %a0;\nmad.lo.u64 %w2, %w2, 0x7000000180000003, 1;\n"
      "mov.u64 %w3, 0x8ffffffffffffffe;\nand.b32 %a1, %a0, 2;\nsetp.eq.u32 %q0, %a1, 0;\n"
      "mov.u64 %w4, 77;\n" +
      fmt::format("@%q0 atom.global.{} %w4, [%p1], {};\nst.global.u64 [%w1], %w4;", row.operation,
                  row.value);
  return {.ptx = kernelText(2, 0, body),
          .arrays = {Words(2 * kThreads, 0),
                     {static_cast<std::uint32_t>(kBefore), std::uint32_t{kBefore >> 32}}},
          .block = {kThreads, 1, 1}};
}

void expectAtomic(const Row& row) {
  SCOPED_TRACE(row.operation);
  Word now = kBefore;
  Words olds;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const bool takes_part = (t & 2) == 0;
    const Word old = takes_part ? now : 77;
    olds.push_back(static_cast<std::uint32_t>(old));
    olds.push_back(static_cast<std::uint32_t>(old >> 32));
    if (takes_part) now = row.next(now, t);
  }
  const Words last = {static_cast<std::uint32_t>(now), static_cast<std::uint32_t>(now >> 32)};
  for (const auto& [name, options] : optionSets()) {
    const auto arrays = runPtx(launchOf(row), options);
    ASSERT_TRUE(arrays.has_value()) << name << ": " << arrays.error().text();
    EXPECT_EQ(arrays->at(0), olds) << name;
    EXPECT_EQ(arrays->at(1), last) << name;
  }
}

TEST(Wide, Atomics) {
  const auto isLess = [](Word a, Word b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  const Row rows[] = {
      {"add.u64", "%w2", [](Word old, std::uint32_t t) { return old + valueOf(t); }},
      {"exch.b64", "%w2", [](Word, std::uint32_t t) { return valueOf(t); }},
      {"and.b64", "%w2", [](Word old, std::uint32_t t) { return old & valueOf(t); }},
      {"or.b64", "%w2", [](Word old, std::uint32_t t) { return old | valueOf(t); }},
      {"xor.b64", "%w2", [](Word old, std::uint32_t t) { return old ^ valueOf(t); }},
      {"min.u64", "%w2", [](Word old, std::uint32_t t) { return std::min(old, valueOf(t)); }},
      {"max.u64", "%w2", [](Word old, std::uint32_t t) { return std::max(old, valueOf(t)); }},
      {"min.s64", "%w2",
       [=](Word old, std::uint32_t t) { return isLess(valueOf(t), old) ? valueOf(t) : old; }},
      {"max.s64", "%w2",
       [=](Word old, std::uint32_t t) { return isLess(old, valueOf(t)) ? valueOf(t) : old; }},
      // The first thread finds what it expects, the others do not.
      {"cas.b64", "%w3, %w2",
       [](Word old, std::uint32_t t) { return old == kBefore ? valueOf(t) : old; }},
  };
  for (const Row& row : rows) expectAtomic(row);
}

// Without a result, and each thread at a number of its own.
TEST(Wide, Reductions) {
  const PtxLaunch launch{
      .ptx = kernelText(1, 0,
                        "mov.u32 %a0, %tid.x;\nand.b32 %a1, %a0, 1;\nmul.wide.u32 %w0, %a1, 8;\n"
                        "add.s64 %w1, %p0, %w0;\ncvt.u64.u32 %w2, %a0;\nshl.b64 %w2, %w2, 31;\n"
                        "red.global.add.u64 [%w1], %w2;\nred.global.max.u64 [%w1], 5;"),
      .arrays = {Words(4, 0)},
      .block = {kThreads, 1, 1}};
  for (const auto& [name, options] : optionSets()) {
    const auto arrays = runPtx(launch, options);
    ASSERT_TRUE(arrays.has_value()) << name << ": " << arrays.error().text();
    // 0 + 2 + 4 + 6 and 1 + 3 + 5 + 7, times 2^31.
    EXPECT_EQ(arrays->at(0), (Words{0, 6, 0, 8})) << name;
  }
}

}  // namespace
}  // namespace qgpu::lower
