// What the folding rules of ir/fold_*.cc take together, on operands: the rules one by one, then
// random expressions with the constants that rules look for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "compiler/lower/testing/operands.h"
#include "interpreter/testing/random.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::lower {
namespace {

using testing::expectAll;
using testing::expectComputes;
using testing::In;
using testing::InstructionRow;
using testing::Word;
using testing::word;

TEST(Folds, QuotientsAndRemaindersPutTogether) {
  expectAll({
      {"shr.u32 %a20, %a1, 3;\nand.b32 %a21, %a1, 7;\nmad.lo.u32 %a9, %a20, 8, %a21;", 32,
       [](In o) { return o.x; }},
      {"shr.u32 %a20, %a1, 3;\nand.b32 %a21, %a1, 7;\nshl.b32 %a20, %a20, 3;\n"
       "add.u32 %a9, %a21, %a20;",
       32, [](In o) { return o.x; }},
      {"shr.u32 %a20, %a1, 3;\nand.b32 %a21, %a1, 15;\nmad.lo.u32 %a9, %a20, 8, %a21;", 32,
       [](In o) { return o.xu() / 8 * 8 + (o.xu() & 15); }},
      {"shr.u32 %a20, %a1, 3;\nand.b32 %a21, %a2, 7;\nmad.lo.u32 %a9, %a20, 8, %a21;", 32,
       [](In o) { return o.xu() / 8 * 8 + (o.yu() & 7); }},
      {"div.u32 %a20, %a1, 10;\nrem.u32 %a21, %a1, 10;\nmad.lo.u32 %a9, %a20, 10, %a21;", 32,
       [](In o) { return o.x; }},
      {"div.u32 %a20, %a1, 10;\nrem.u32 %a21, %a1, 10;\nmad.lo.u32 %a9, %a20, 11, %a21;", 32,
       [](In o) { return o.x + o.xu() / 10; }},
  });
}

TEST(Folds, Sums) {
  expectAll({
      {"sub.u32 %a20, 100, %a1;\nadd.u32 %a9, %a20, 28;", 32, [](In o) { return 128 - o.x; }},
      {"add.u32 %a20, %a1, 28;\nsub.u32 %a9, 100, %a20;", 32, [](In o) { return 72 - o.x; }},
      {"neg.s32 %a20, %a1;\nadd.u32 %a9, %a2, %a20;", 32, [](In o) { return o.y - o.x; }},
      {"neg.s32 %a20, %a1;\nadd.u32 %a9, %a20, %a2;", 32, [](In o) { return o.y - o.x; }},
      {"neg.s32 %a20, %a1;\nsub.u32 %a9, %a2, %a20;", 32, [](In o) { return o.y + o.x; }},
      {"sub.u32 %a20, %a1, %a2;\nadd.u32 %a9, %a20, %a2;", 32, [](In o) { return o.x; }},
      {"add.u32 %a20, %a1, %a2;\nsub.u32 %a9, %a20, %a2;", 32, [](In o) { return o.x; }},
      {"add.u32 %a20, %a1, %a2;\nsub.u32 %a9, %a20, %a1;", 32, [](In o) { return o.y; }},
      {"shl.b32 %a20, %a1, 4;\nmad.lo.u32 %a9, %a20, 5, %a2;", 32,
       [](In o) { return o.x * 80 + o.y; }},
      {"mul.lo.u32 %a20, %a1, 7;\nmul.lo.u32 %a9, %a20, 9;", 32, [](In o) { return o.x * 63; }},
      {"add.u32 %a20, %a1, 7;\nmad.lo.u32 %a9, %a20, 9, 4;", 32,
       [](In o) { return (o.x + 7) * 9 + 4; }},
      {"mad.lo.u32 %a9, %a1, -1, %a2;", 32, [](In o) { return o.y - o.x; }},
      // A carry that is known, and one that cannot be.
      {"add.cc.u32 %a20, %a1, 0;\naddc.cc.u32 %a20, %a2, %a3;\naddc.u32 %a9, 0, 0;", 32,
       [](In o) { return (Word{o.yu()} + o.zu()) >> 32; }},
      {"and.b32 %a20, %a1, 255;\nadd.cc.u32 %a21, %a20, 9;\naddc.u32 %a9, %a21, 0;", 32,
       [](In o) { return (o.x & 255) + 9; }},
      {"sub.cc.u32 %a20, %a1, 0;\nsubc.cc.u32 %a21, %a2, %a3;\nsubc.u32 %a9, 0, 0;", 32,
       [](In o) { return o.yu() < o.zu() ? ~Word{0} : 0; }},
      {"sub.cc.u32 %a20, 5, 3;\nsubc.cc.u32 %a21, 7, 9;\nsubc.u32 %a9, %a21, 0;", 32,
       [](In) { return ~Word{0} - 2; }},
  });
}

TEST(Folds, Comparisons) {
  const std::string one = "selp.u32 %a9, 1, 0, %q2;";
  expectAll({
      {"sub.u32 %a20, 40, %a1;\nsetp.eq.u32 %q2, %a20, 7;\n" + one, 32,
       [](In o) { return Word{o.xu() == 33}; }, [](testing::Operands& o) { o.x = o.x % 3 + 32; }},
      {"xor.b32 %a20, %a1, 12;\nsetp.ne.u32 %q2, %a20, 7;\n" + one, 32,
       [](In o) { return Word{o.xu() != 11}; }, [](testing::Operands& o) { o.x = o.x % 3 + 10; }},
      {"and.b32 %a20, %a1, 8;\nsetp.eq.u32 %q2, %a20, 8;\n" + one, 32,
       [](In o) { return o.x >> 3 & 1; }},
      {"and.b32 %a20, %a1, 8;\nsetp.eq.u32 %q2, %a20, 4;\n" + one, 32, [](In) { return 0; }},
      {"selp.u32 %a20, 5, 9, %q1;\nsetp.lt.u32 %q2, %a20, 7;\n" + one, 32,
       [](In o) { return o.z & 1; }},
      {"selp.u32 %a20, 5, 9, %q1;\nsetp.eq.u32 %q2, %a20, 9;\n" + one, 32,
       [](In o) { return ~o.z & 1; }},
      {"selp.u32 %a20, 5, 9, %q1;\nsetp.gt.u32 %q2, %a20, 3;\n" + one, 32, [](In) { return 1; }},
  });
  // A choice between the values compared.
  for (const auto& [relation, type] : {std::pair("eq", "u32"),
                                       {"ne", "u32"},
                                       {"lt", "s32"},
                                       {"le", "s32"},
                                       {"gt", "s32"},
                                       {"ge", "s32"},
                                       {"lt", "u32"},
                                       {"le", "u32"},
                                       {"gt", "u32"},
                                       {"ge", "u32"}})
    for (const bool crossed : {false, true}) {
      const std::string r = relation;
      const bool is_signed = type[0] == 's';
      expectComputes({fmt::format("setp.{}.{} %q2, %a1, %a2;\nselp.u32 %a9, %a{}, %a{}, %q2;", r,
                                  type, crossed ? 2 : 1, crossed ? 1 : 2),
                      32, [=](In o) {
                        const std::int64_t x = is_signed ? o.x32() : std::int64_t{o.xu()};
                        const std::int64_t y = is_signed ? o.y32() : std::int64_t{o.yu()};
                        const bool holds = r == "eq"   ? x == y
                                           : r == "ne" ? x != y
                                           : r == "lt" ? x < y
                                           : r == "le" ? x <= y
                                           : r == "gt" ? x > y
                                                       : x >= y;
                        return holds != crossed ? o.x : o.y;
                      }});
    }
}

TEST(Folds, BitsAndBytes) {
  expectAll({
      {"cvt.s32.s8 %a20, %a1;\nand.b32 %a9, %a20, 127;", 32, [](In o) { return o.x & 127; }},
      {"cvt.s32.s16 %a20, %a1;\nand.b32 %a9, %a20, 4095;", 32, [](In o) { return o.x & 4095; }},
      {"cvt.s32.s8 %a20, %a1;\nand.b32 %a9, %a20, 4095;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int8_t>(o.x)) & 4095; }},
      {"or.b32 %a20, %a1, 3840;\nand.b32 %a9, %a20, 255;", 32, [](In o) { return o.x & 255; }},
      {"xor.b32 %a20, %a1, 3840;\nand.b32 %a9, %a20, 511;", 32,
       [](In o) { return (o.x ^ 256) & 511; }},
      {"shl.b32 %a20, %a1, 11;\nshr.u32 %a21, %a1, 21;\nor.b32 %a9, %a20, %a21;", 32,
       [](In o) { return Word{std::rotl(o.xu(), 11)}; }},
      {"shl.b32 %a20, %a1, 11;\nshr.u32 %a21, %a1, 21;\nxor.b32 %a9, %a21, %a20;", 32,
       [](In o) { return Word{std::rotl(o.xu(), 11)}; }},
      {"shl.b32 %a20, %a1, 11;\nshr.u32 %a21, %a1, 20;\nor.b32 %a9, %a20, %a21;", 32,
       [](In o) { return o.xu() << 11 | o.xu() >> 20; }},
      {"and.b32 %a20, %a1, 1;\nneg.s32 %a20, %a20;\nand.b32 %a9, %a2, %a20;", 32,
       [](In o) { return (o.x & 1) != 0 ? o.y : 0; }},
      {"and.b32 %a20, %a1, 255;\ncvt.s32.s8 %a9, %a20;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int8_t>(o.x)); }},
      {"cvt.s32.s16 %a20, %a1;\ncvt.s32.s8 %a9, %a20;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int8_t>(o.x)); }},
      {"cvt.u32.u8 %a20, %a1;\ncvt.s32.s16 %a9, %a20;", 32, [](In o) { return o.x & 255; }},
      {"lop3.b32 %a9, %a1, 12, 0, 48;", 32, [](In o) { return o.xu() & ~12u; }},
      {"prmt.b32 %a9, %a1, %a2, 12816;", 32, [](In o) { return o.x; }},
      {"prmt.b32 %a9, %a1, %a2, 30292;", 32, [](In o) { return o.y; }},
      {"shr.u32 %a20, %a1, 20;\nshr.u32 %a9, %a20, 15;", 32, [](In) { return 0; }},
      {"shr.s32 %a20, %a1, 20;\nshr.s32 %a9, %a20, 15;", 32,
       [](In o) { return o.x32() < 0 ? ~Word{0} : 0; }},
      {"shl.b32 %a20, %a1, 9;\nshr.u32 %a9, %a20, 9;", 32, [](In o) { return o.xu() << 9 >> 9; }},
      {"shr.u32 %a20, %a1, 9;\nshl.b32 %a9, %a20, 9;", 32, [](In o) { return o.xu() >> 9 << 9; }},
      {"shl.b32 %a20, %a1, 16;\nshr.s32 %a9, %a20, 16;", 32,
       [](In o) { return static_cast<Word>(o.x16()); }},
      {"shl.b32 %a20, %a1, 24;\nshr.s32 %a9, %a20, 24;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int8_t>(o.x)); }},
      {"shl.b32 %a20, %a1, 9;\nshr.s32 %a9, %a20, 9;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int32_t>(o.xu() << 9) >> 9); }},
      {"cvt.s32.s8 %a20, %a1;\nshl.b32 %a20, %a20, 9;\nshr.s32 %a9, %a20, 9;", 32,
       [](In o) { return static_cast<Word>(static_cast<std::int8_t>(o.x)); }},
  });
}

// Predicates with one that is known, with themselves and with what they are not.
TEST(Folds, Predicates) {
  const std::string known = "setp.eq.u32 %q2, 1, 1;\nsetp.eq.u32 %q3, 1, 2;\nnot.pred %q4, %q1;\n";
  struct Row {
    std::string_view operation;
    bool odd, even;  // what comes out where %q1 holds, and where it does not
  };
  const Row rows[] = {
      {"and.pred %q5, %q1, %q2", true, false},  {"and.pred %q5, %q2, %q1", true, false},
      {"and.pred %q5, %q1, %q3", false, false}, {"or.pred %q5, %q1, %q2", true, true},
      {"or.pred %q5, %q1, %q3", true, false},   {"or.pred %q5, %q3, %q1", true, false},
      {"xor.pred %q5, %q1, %q2", false, true},  {"xor.pred %q5, %q3, %q1", true, false},
      {"and.pred %q5, %q1, %q1", true, false},  {"and.pred %q5, %q1, %q4", false, false},
      {"or.pred %q5, %q1, %q1", true, false},   {"or.pred %q5, %q4, %q1", true, true},
      {"xor.pred %q5, %q1, %q1", false, false}, {"xor.pred %q5, %q1, %q4", true, true},
  };
  for (const Row& row : rows)
    expectComputes({known + std::string(row.operation) + ";\nselp.u32 %a9, 1, 0, %q5;", 32,
                    [=](In o) { return Word{(o.z & 1) != 0 ? row.odd : row.even}; }});
}

// An instruction whose guard fails leaves flags and carries as they were.
TEST(Folds, GuardedFlags) {
  expectAll({
      {"setp.lt.u32 %q2, %a1, %a2;\n@%q1 setp.eq.u32 %q2, %a1, %a2;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{(o.z & 1) != 0 ? o.xu() == o.yu() : o.xu() < o.yu()}; }},
      {"setp.eq.u32 %q2, 1, 1;\n@%q1 setp.lt.u32 %q2, %a1, %a2;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{(o.z & 1) == 0 || o.xu() < o.yu()}; }},
      {"setp.lt.u32 %q2, %a1, %a2;\n@%q1 setp.eq.u32 %q2, 1, 1;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{(o.z & 1) != 0 || o.xu() < o.yu()}; }},
      {"setp.lt.u32 %q2, %a1, %a2;\n@%q1 not.pred %q2, %q2;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{(o.xu() < o.yu()) != ((o.z & 1) != 0)}; }},
      {"add.cc.u32 %a20, %a1, %a2;\n@%q1 add.cc.u32 %a20, %a1, %a1;\naddc.u32 %a9, 0, 0;", 32,
       [](In o) { return (Word{o.xu()} + ((o.z & 1) != 0 ? o.xu() : o.yu())) >> 32; }},
      {"mov.u32 %a9, %a2;\n@%q1 bfe.u32 %a9, %a1, 3, 5;", 32,
       [](In o) { return (o.z & 1) != 0 ? o.x >> 3 & 31 : o.y; }},
      {"mov.u64 %w9, %w2;\n@!%q1 neg.s64 %w9, %w1;", 64,
       [](In o) { return (o.z & 1) == 0 ? 0 - o.x : o.y; }},
  });
}

// Pairs of words of which the upper is known to follow from the lower.
TEST(Folds, NarrowNumbersInWideRegisters) {
  const std::string zeros = "cvt.u64.u32 %w20, %a1;\ncvt.u64.u32 %w21, %a2;\n";
  const std::string signs = "cvt.s64.s32 %w20, %a1;\ncvt.s64.s32 %w21, %a2;\n";
  const std::string one = "\nselp.u32 %a9, 1, 0, %q2;";
  const auto product = [](std::int64_t x, std::int64_t y) {  // may wrap
    return static_cast<Word>(x) * static_cast<Word>(y);
  };
  expectAll({
      {zeros + "mul.lo.u64 %w9, %w20, %w21;", 64, [](In o) { return Word{o.xu()} * o.yu(); }},
      {signs + "mul.lo.s64 %w9, %w20, %w21;", 64, [=](In o) { return product(o.x32(), o.y32()); }},
      {signs + "mul.lo.s64 %w9, %w20, %w2;", 64, [=](In o) { return product(o.x32(), o.ys()); }},
      {zeros + "mul.lo.u64 %w9, %w20, %w2;", 64, [](In o) { return o.xu() * o.y; }},
      {signs + "mul.lo.s64 %w9, %w20, -3;", 64, [=](In o) { return product(o.x32(), -3); }},
      {signs + "mul.lo.s64 %w9, %w20, -4294967295;", 64,
       [=](In o) { return product(o.x32(), -4294967295); }},
      {zeros + "setp.eq.u64 %q2, %w20, %w21;" + one, 32,
       [](In o) { return Word{o.xu() == o.yu()}; }},
      {signs + "setp.ne.s64 %q2, %w20, %w21;" + one, 32,
       [](In o) { return Word{o.x32() != o.y32()}; }},
      {signs + "setp.lt.s64 %q2, %w20, %w21;" + one, 32,
       [](In o) { return Word{o.x32() < o.y32()}; }},
      {zeros + "setp.lt.u64 %q2, %w20, %w21;" + one, 32,
       [](In o) { return Word{o.xu() < o.yu()}; }},
      {zeros + "setp.lt.s64 %q2, %w20, %w2;" + one, 32,
       [](In o) { return Word{std::int64_t{o.xu()} < o.ys()}; }},
      {"setp.lt.s64 %q2, %w1, 0;" + one, 32, [](In o) { return o.x >> 63; }},
      {"setp.ge.s64 %q2, %w1, 0;" + one, 32, [](In o) { return ~o.x >> 63; }},
      {"setp.lt.u64 %q2, %w1, 0;" + one, 32, [](In) { return 0; }},
      {"setp.lt.s64 %q2, %w1, 4294967296;" + one, 32,
       [](In o) { return Word{o.xs() < 4294967296}; }},
      {"setp.lt.s64 %q2, %w1, -1;" + one, 32, [](In o) { return Word{o.xs() < -1}; }},
      {"add.s64 %w9, %w1, -5;", 64, [](In o) { return o.x - 5; }},
      {signs + "setp.eq.s64 %q2, %w20, %w2;" + one, 32,
       [](In o) { return Word{o.x32() == o.ys()}; }},
      {zeros + "setp.eq.u64 %q2, %w20, %w2;" + one, 32, [](In o) { return Word{o.xu() == o.y}; }},
      {zeros + "div.u64 %w9, %w20, %w2;", 64, [](In o) { return o.xu() / o.y; },
       [](testing::Operands& o) { o.y |= 1; }},
      // Upper words that look like signs and are none.
      {"mov.u32 %a20, -1;\nmov.b64 %w20, {%a1, %a20};\nmul.lo.s64 %w9, %w20, %w20;", 64,
       [](In o) {
         const Word x = ~Word{0} << 32 | o.xu();
         return x * x;
       }},
      {"shr.s32 %a20, %a2, 31;\nmov.b64 %w20, {%a1, %a20};\nmul.lo.s64 %w9, %w20, %w20;", 64,
       [](In o) {
         const Word x = word(o.y32() >> 31) << 32 | o.xu();
         return x * x;
       }},
      {"shr.s32 %a20, %a1, 30;\nmov.b64 %w20, {%a1, %a20};\nmul.lo.s64 %w9, %w20, %w20;", 64,
       [](In o) {
         const Word x = word(o.x32() >> 30) << 32 | o.xu();
         return x * x;
       }},
  });
}

// ---- Random expressions. ----

// An operation on two values and a constant.
struct Step {
  std::string_view ptx;  // {0} the result, {1} and {2} the values, {3} the constant
  std::uint32_t (*result)(std::uint32_t a, std::uint32_t b, std::uint32_t k);
};
using U = std::uint32_t;
using S = std::int32_t;
U clampShift(U n) { return std::min(n, 32u); }

constexpr Step kSteps[] = {
    {"add.u32 {0}, {1}, {3};", [](U a, U, U k) { return a + k; }},
    {"add.u32 {0}, {1}, {2};", [](U a, U b, U) { return a + b; }},
    {"sub.u32 {0}, {1}, {3};", [](U a, U, U k) { return a - k; }},
    {"sub.u32 {0}, {3}, {1};", [](U a, U, U k) { return k - a; }},
    {"sub.u32 {0}, {1}, {2};", [](U a, U b, U) { return a - b; }},
    {"neg.s32 {0}, {1};", [](U a, U, U) { return 0 - a; }},
    {"mul.lo.u32 {0}, {1}, {3};", [](U a, U, U k) { return a * k; }},
    {"mad.lo.u32 {0}, {1}, {3}, {2};", [](U a, U b, U k) { return a * k + b; }},
    {"mul.hi.u32 {0}, {1}, {3};",
     [](U a, U, U k) { return static_cast<U>(std::uint64_t{a} * k >> 32); }},
    {"and.b32 {0}, {1}, {3};", [](U a, U, U k) { return a & k; }},
    {"and.b32 {0}, {1}, {2};", [](U a, U b, U) { return a & b; }},
    {"or.b32 {0}, {1}, {3};", [](U a, U, U k) { return a | k; }},
    {"or.b32 {0}, {1}, {2};", [](U a, U b, U) { return a | b; }},
    {"xor.b32 {0}, {1}, {3};", [](U a, U, U k) { return a ^ k; }},
    {"xor.b32 {0}, {1}, {2};", [](U a, U b, U) { return a ^ b; }},
    {"shl.b32 {0}, {1}, {3};",
     [](U a, U, U k) { return static_cast<U>(std::uint64_t{a} << clampShift(k)); }},
    {"shr.u32 {0}, {1}, {3};",
     [](U a, U, U k) { return static_cast<U>(std::uint64_t{a} >> clampShift(k)); }},
    {"shr.s32 {0}, {1}, {3};",
     [](U a, U, U k) { return static_cast<U>(static_cast<S>(a) >> std::min(k, 31u)); }},
    {"shf.l.wrap.b32 {0}, {1}, {1}, {3};",
     [](U a, U, U k) { return std::rotl(a, static_cast<int>(k & 31)); }},
    {"cvt.s32.s8 {0}, {1};", [](U a, U, U) { return static_cast<U>(static_cast<std::int8_t>(a)); }},
    {"cvt.u32.u16 {0}, {1};", [](U a, U, U) { return a & 0xffff; }},
    {"cvt.s32.s16 {0}, {1};",
     [](U a, U, U) { return static_cast<U>(static_cast<std::int16_t>(a)); }},
    {"min.s32 {0}, {1}, {3};",
     [](U a, U, U k) { return static_cast<U>(std::min(static_cast<S>(a), static_cast<S>(k))); }},
    {"max.u32 {0}, {1}, {2};", [](U a, U b, U) { return std::max(a, b); }},
    {"setp.lt.s32 %q5, {1}, {3};\nselp.u32 {0}, {2}, {1}, %q5;",
     [](U a, U b, U k) { return static_cast<S>(a) < static_cast<S>(k) ? b : a; }},
    {"setp.ge.u32 %q5, {1}, {3};\nselp.u32 {0}, 1, 0, %q5;", [](U a, U, U k) { return U{a >= k}; }},
    {"setp.eq.u32 %q5, {1}, {3};\nselp.u32 {0}, {2}, 7, %q5;",
     [](U a, U b, U k) { return a == k ? b : 7; }},
    {"setp.ne.s32 %q5, {1}, {2};\nselp.u32 {0}, {1}, {2}, %q5;",
     [](U a, U b, U) { return a != b ? a : b; }},
};

// A row of ten operations, each on recent values and a constant that some rule looks for.
InstructionRow randomExpression(std::uint64_t seed) {
  static constexpr std::array<U, 22> kConstants = {
      0,  1,  2,  3,  7,   8,      9,   12,  15,         16,         21,
      23, 24, 31, 32, 255, 0xffff, ~0u, ~1u, 0x80000000, 0x7fffffff, 0xff00};
  constexpr int kOperations = 10;
  struct Operation {
    const Step* step;
    int a, b;
    U k;
  };
  isatest::Random random(seed);
  std::vector<Operation> all;
  std::string text;
  const auto name = [](int value) {
    return fmt::format("%a{}", value < 3 ? value + 1 : value + 17);
  };
  for (int n = 0; n < kOperations; ++n) {
    const int values = 3 + n;
    // The newest value, and any that is not much older.
    const int a = n == 0 ? random.below(3) : values - 1 - (random.chance(70) ? 0 : random.below(3));
    const int b = values - 1 - random.below(std::min(values, 5));
    all.push_back({&kSteps[random.below(static_cast<int>(std::size(kSteps)))], a, b,
                   random.pick(kConstants)});
    text += fmt::format(fmt::runtime(all.back().step->ptx), name(values), name(a), name(b),
                        fmt::format("{:#x}", all.back().k)) +
            "\n";
  }
  text += fmt::format("mov.u32 %a9, {};", name(kOperations + 2));
  return {text, 32, [all](In o) {
            std::vector<U> values = {o.xu(), o.yu(), o.zu()};
            for (const Operation& op : all)
              values.push_back(op.step->result(values[static_cast<std::size_t>(op.a)],
                                               values[static_cast<std::size_t>(op.b)], op.k));
            return Word{values.back()};
          }};
}

TEST(Folds, RandomExpressions) {
  for (std::uint64_t seed = 0; seed < isatest::unlessSanitized<std::uint64_t>(800, 100); ++seed)
    ASSERT_NO_FATAL_FAILURE(expectComputes(randomExpression(seed))) << "seed " << seed;
}

}  // namespace
}  // namespace qgpu::lower
