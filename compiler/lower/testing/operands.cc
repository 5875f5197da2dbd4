#include "compiler/lower/testing/operands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "compiler/lower/testing/run_kernel.h"
#include "interpreter/testing/random.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::lower::testing {
namespace {

constexpr int kThreads = 12;  // with three operands and a result of two words each in 126 words
constexpr int kLaunches = isatest::unlessSanitized(3, 1);

// Small numbers, edges, words that are extended with their sign or with zeros, and any.
std::uint64_t operand(isatest::Random& random) {
  const std::uint64_t low = random.word(), high = random.word();
  switch (random.below(6)) {
    case 0: return static_cast<std::uint64_t>(random.below(70));
    case 1: return low;
    case 2: return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)});
    case 3: return 1ull << random.below(64);
    case 4: return ~(1ull << random.below(64));
    default: return high << 32 | low;
  }
}

std::string textOf(const InstructionRow& row) {
  std::string body = "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 8;\n.reg .b16 %h<40>;\n";
  for (int n = 1; n <= 3; ++n)
    body += fmt::format(
        "add.s64 %w{1}, %p{0}, %w0;\nld.global.u64 %w{2}, [%w{1}];\n"
        "cvt.u32.u64 %a{2}, %w{2};\ncvt.u16.u64 %h{2}, %w{2};\n",
        n - 1, 10 + n, n);
  body += "and.b32 %a10, %a3, 1;\nsetp.ne.u32 %q1, %a10, 0;\n" + row.ptx + "\n";
  if (row.bits == 32) body += "cvt.u64.u32 %w9, %a9;\n";
  if (row.bits == 16) body += "cvt.u64.u16 %w9, %h9;\n";
  return kernelText(4, 0, body + "add.s64 %w14, %p3, %w0;\nst.global.u64 [%w14], %w9;");
}

void append(Words& words, std::uint64_t value) {
  words.push_back(static_cast<std::uint32_t>(value));
  words.push_back(static_cast<std::uint32_t>(value >> 32));
}

void expectOnce(const InstructionRow& row, isatest::Random& random) {
  PtxLaunch launch{.ptx = textOf(row), .arrays = {{}, {}, {}, Words(2 * kThreads, 0)}};
  launch.block = {kThreads, 1, 1};
  std::array<Operands, kThreads> operands;
  Words expected;
  const std::uint64_t kept = row.bits == 64 ? ~0ull : (1ull << row.bits) - 1;
  for (Operands& o : operands) {
    o = {operand(random), operand(random), operand(random)};
    if (random.chance(15)) o.y = o.x;
    if (row.restrict) row.restrict(o);
    append(launch.arrays[0], o.x);
    append(launch.arrays[1], o.y);
    append(launch.arrays[2], o.z);
    append(expected, row.result(o) & kept);
  }
  for (const Options& options : {Options{}, Options::none()}) {
    const auto arrays = runPtx(launch, options);
    ASSERT_TRUE(arrays.has_value()) << row.ptx << ": " << arrays.error().text();
    for (std::size_t t = 0; t < kThreads; ++t) {
      const auto result = [&](const Words& words) {
        return std::uint64_t{words[2 * t + 1]} << 32 | words[2 * t];
      };
      ASSERT_EQ(result(arrays->at(3)), result(expected))
          << row.ptx << std::hex << " of " << operands[t].x << ", " << operands[t].y << ", "
          << operands[t].z;
    }
  }
}

}  // namespace

void expectComputes(const InstructionRow& row) {
  isatest::Random random(11);
  for (int n = 0; n < kLaunches; ++n) ASSERT_NO_FATAL_FAILURE(expectOnce(row, random));
}

void expectAll(const std::vector<InstructionRow>& rows) {
  for (const InstructionRow& row : rows) ASSERT_NO_FATAL_FAILURE(expectComputes(row));
}

}  // namespace qgpu::lower::testing
