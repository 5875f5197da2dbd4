// The built-ins that are written in C++, against plain statements of what they mean: a kernel
// stores them for constant operands, LLVM folds them, and the constants are read from the PTX.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

using Word = std::uint32_t;
using Meaning = std::function<std::int64_t(Word, Word, Word)>;

struct Function {
  std::string call;  // with a, b and c for the operands
  Meaning meaning;   // the low 32 bits count
};

std::int64_t s(Word x) { return static_cast<std::int32_t>(x); }

// Applies `part` to each of `count` equal parts of two words, sign-extended or not.
Meaning parts(int count, bool is_signed,
              const std::function<std::int64_t(std::int64_t, std::int64_t)>& part) {
  return [=](Word a, Word b, Word) {
    const int bits = 32 / count;
    std::uint64_t result = 0;
    for (int i = 0; i < count; ++i) {
      auto cut = [&](Word word) {
        std::int64_t value = (word >> (bits * i)) & ((std::int64_t{1} << bits) - 1);
        if (is_signed && value >= std::int64_t{1} << (bits - 1)) value -= std::int64_t{1} << bits;
        return value;
      };
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      result |= (static_cast<std::uint64_t>(part(cut(a), cut(b))) & mask) << (bits * i);
    }
    return static_cast<std::int64_t>(result);
  };
}

std::int64_t byteOf(Word word, int i, bool is_signed) {
  const Word byte = word >> (8 * i) & 255;
  return is_signed ? static_cast<std::int8_t>(byte) : static_cast<std::int64_t>(byte);
}

Meaning dot4(bool is_signed) {
  return [=](Word a, Word b, Word c) {
    std::int64_t sum = c;
    for (int i = 0; i < 4; ++i) sum += byteOf(a, i, is_signed) * byteOf(b, i, is_signed);
    return sum;
  };
}

std::int64_t low24(Word x, bool is_signed) {
  const std::int64_t low = x & 0xffffff;
  return is_signed && low >= 0x800000 ? low - 0x1000000 : low;
}

std::vector<Function> functions() {
  auto difference = [](auto x, auto y) { return x > y ? x - y : y - x; };
  return {
      {"min((int)a, (int)b)", [](Word a, Word b, Word) { return std::min(s(a), s(b)); }},
      {"max((int)a, (int)b)", [](Word a, Word b, Word) { return std::max(s(a), s(b)); }},
      {"min(a, b)", [](Word a, Word b, Word) { return std::min(a, b); }},
      {"max(a, b)", [](Word a, Word b, Word) { return std::max(a, b); }},
      {"min((int)a, b)", [](Word a, Word b, Word) { return std::min(a, b); }},
      {"max(a, (int)b)", [](Word a, Word b, Word) { return std::max(a, b); }},
      {"abs((int)a)", [](Word a, Word, Word) { return std::abs(s(a)); }},
      {"__mul24((int)a, (int)b)",
       [](Word a, Word b, Word) { return low24(a, true) * low24(b, true); }},
      {"__umul24(a, b)", [](Word a, Word b, Word) { return low24(a, false) * low24(b, false); }},
      {"__popc(a)", [](Word a, Word, Word) { return std::popcount(a); }},
      {"__clz((int)a)", [](Word a, Word, Word) { return std::countl_zero(a); }},
      {"__ffs((int)a)", [](Word a, Word, Word) { return a == 0 ? 0 : std::countr_zero(a) + 1; }},
      {"__brev(a)",
       [](Word a, Word, Word) {
         Word result = 0;
         for (int i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
         return result;
       }},
      {"__funnelshift_l(a, b, c)",
       [](Word a, Word b, Word c) {
         return static_cast<Word>(((std::uint64_t{b} << 32 | a) << (c & 31)) >> 32);
       }},
      {"__funnelshift_r(a, b, c)",
       [](Word a, Word b, Word c) {
         return static_cast<Word>((std::uint64_t{b} << 32 | a) >> (c & 31));
       }},
      {"__funnelshift_lc(a, b, c)",
       [](Word a, Word b, Word c) {
         return c >= 32 ? a : static_cast<Word>(((std::uint64_t{b} << 32 | a) << c) >> 32);
       }},
      {"__funnelshift_rc(a, b, c)",
       [](Word a, Word b, Word c) {
         return c >= 32 ? b : static_cast<Word>((std::uint64_t{b} << 32 | a) >> c);
       }},
      {"__sad((int)a, (int)b, c)",
       [=](Word a, Word b, Word c) { return difference(s(a), s(b)) + c; }},
      {"__usad(a, b, c)",
       [=](Word a, Word b, Word c) { return difference(a, b) + std::int64_t{c}; }},
      {"__hadd((int)a, (int)b)", [](Word a, Word b, Word) { return (s(a) + s(b)) >> 1; }},
      {"__rhadd((int)a, (int)b)", [](Word a, Word b, Word) { return (s(a) + s(b) + 1) >> 1; }},
      {"__uhadd(a, b)", [](Word a, Word b, Word) { return (std::int64_t{a} + b) >> 1; }},
      {"__urhadd(a, b)", [](Word a, Word b, Word) { return (std::int64_t{a} + b + 1) >> 1; }},
      {"__dp4a((int)a, (int)b, (int)c)", dot4(true)},
      {"__dp4a(a, b, c)", dot4(false)},
      {"__vadd4(a, b)", parts(4, false, [](auto x, auto y) { return x + y; })},
      {"__vadd2(a, b)", parts(2, false, [](auto x, auto y) { return x + y; })},
      {"__vsub4(a, b)", parts(4, false, [](auto x, auto y) { return x - y; })},
      {"__vsub2(a, b)", parts(2, false, [](auto x, auto y) { return x - y; })},
      {"__vneg4(a)", parts(4, false, [](auto x, auto) { return -x; })},
      {"__vabs4(a)", parts(4, true, [](auto x, auto) { return std::abs(x); })},
      {"__vcmpeq4(a, b)", parts(4, false, [](auto x, auto y) { return x == y ? -1 : 0; })},
      {"__vcmpgts2(a, b)", parts(2, true, [](auto x, auto y) { return x > y ? -1 : 0; })},
      {"__vsetltu4(a, b)", parts(4, false, [](auto x, auto y) { return x < y ? 1 : 0; })},
      {"__vmaxs4(a, b)", parts(4, true, [](auto x, auto y) { return std::max(x, y); })},
      {"__vminu2(a, b)", parts(2, false, [](auto x, auto y) { return std::min(x, y); })},
      {"__vabsdiffu4(a, b)", parts(4, false, difference)},
      {"__vavgu4(a, b)", parts(4, false, [](auto x, auto y) { return (x + y + 1) / 2; })},
      {"__vhaddu2(a, b)", parts(2, false, [](auto x, auto y) { return (x + y) / 2; })},
      {"__vsadu4(a, b)",
       [=](Word a, Word b, Word) {
         std::int64_t sum = 0;
         for (int i = 0; i < 4; ++i) sum += difference(byteOf(a, i, false), byteOf(b, i, false));
         return sum;
       }},
  };
}

// The constants that a kernel stores, by byte offset.
std::map<int, Word> storedConstants(const std::string& ptx) {
  std::map<std::string, Word> registers;
  std::map<int, Word> stored;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string line = ptx.substr(at, end - at);
    at = end + 1;
    std::array<char, 16> name{};
    long long value = 0;
    int offset = 0;
    if (std::sscanf(line.c_str(), " mov.b32 %15[^,], %lld;", name.data(), &value) == 2)
      registers[name.data()] = static_cast<Word>(value);
    else if (std::sscanf(line.c_str(), " st.global.u32 [%%rd%*d+%d], %15[^;];", &offset,
                         name.data()) == 2 ||
             std::sscanf(line.c_str(), " st.global.u32 [%%rd%*d], %15[^;];", name.data()) == 1)
      stored[offset] = registers.at(name.data());
  }
  return stored;
}

TEST(BuiltinValues, AreWhatTheyMean) {
  constexpr std::array<Word, 12> kEdges = {
      0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f8000, 0xff00ff01};
  std::mt19937 random(20260101);
  auto operand = [&]() -> Word {
    const Word choice = static_cast<Word>(random());
    return choice % 3 == 0 ? kEdges[choice / 3 % kEdges.size()] : static_cast<Word>(random());
  };
  constexpr int kRounds = 40;
  for (const Function& function : functions()) {
    std::string body;
    std::vector<Word> expected;
    for (int i = 0; i < kRounds; ++i) {
      const Word a = operand(), b = operand(), c = operand() % (i % 2 == 0 ? 40 : 0xffffffffu);
      body += fmt::format("{{ unsigned a = {}u, b = {}u, c = {}u; u[{}] = {}; }}\n", a, b, c, i,
                          function.call);
      expected.push_back(static_cast<Word>(function.meaning(a, b, c)));
    }
    const auto stored = storedConstants(ptxOf(kernelAround(body)));
    ASSERT_EQ(stored.size(), expected.size()) << function.call << " does not fold";
    for (int i = 0; i < kRounds; ++i)
      EXPECT_EQ(stored.at(4 * i), expected[i]) << function.call << "\n" << body;
  }
}

}  // namespace
}  // namespace qgpu::cuda
