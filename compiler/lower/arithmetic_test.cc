// Integer arithmetic and comparison of PTX, one instruction at a time, as the PTX manual (sections
// 9.7.1 to 9.7.6) says what it computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "compiler/lower/testing/operands.h"

namespace qgpu::lower {
namespace {

using testing::expectAll;
using testing::expectComputes;
using testing::In;
using testing::InstructionRow;
using testing::Word;
using testing::word;
using Rows = std::vector<InstructionRow>;
using Double = unsigned __int128;
using SignedDouble = __int128;

std::int64_t clamp32(std::int64_t x) {
  return std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}
std::int32_t signed24(std::uint32_t x) { return static_cast<std::int32_t>(x << 8) >> 8; }

TEST(Arithmetic, Sums) {
  expectAll({
      {"add.s16 %h9, %h1, %h2;", 16, [](In o) { return o.x + o.y; }},
      {"add.u32 %a9, %a1, %a2;", 32, [](In o) { return o.x + o.y; }},
      {"add.s64 %w9, %w1, %w2;", 64, [](In o) { return o.x + o.y; }},
      {"sub.u16 %h9, %h1, %h2;", 16, [](In o) { return o.x - o.y; }},
      {"sub.s32 %a9, %a1, %a2;", 32, [](In o) { return o.x - o.y; }},
      {"sub.u64 %w9, %w1, %w2;", 64, [](In o) { return o.x - o.y; }},
      {"add.sat.s32 %a9, %a1, %a2;", 32,
       [](In o) { return word(clamp32(std::int64_t{o.x32()} + o.y32())); }},
      {"sub.sat.s32 %a9, %a1, %a2;", 32,
       [](In o) { return word(clamp32(std::int64_t{o.x32()} - o.y32())); }},
  });
}

TEST(Arithmetic, Carries) {
  const std::string pair = "mov.b64 %w9, {%a20, %a21};";
  expectAll({
      {"add.cc.u32 %a20, %a1, %a2;\naddc.u32 %a21, %a3, 5;\n" + pair, 64,
       [](In o) {
         const Word low = Word{o.xu()} + o.yu();
         return (o.z + 5 + (low >> 32)) << 32 | (low & 0xffffffff);
       }},
      {"sub.cc.u32 %a20, %a1, %a2;\nsubc.u32 %a21, %a3, 5;\n" + pair, 64,
       [](In o) {
         const Word low = Word{o.xu()} - o.yu();
         return (o.z - 5 - (low >> 63)) << 32 | (low & 0xffffffff);
       }},
      // The carry of the second goes on to a third.
      {"add.cc.u32 %a20, %a1, %a2;\naddc.cc.u32 %a21, %a1, %a3;\naddc.u32 %a21, %a21, 0;\n" + pair,
       64,
       [](In o) {
         const Word low = Word{o.xu()} + o.yu(), middle = Word{o.xu()} + o.zu() + (low >> 32);
         return (middle + (middle >> 32)) << 32 | (low & 0xffffffff);
       }},
      {"sub.cc.u32 %a20, %a1, %a2;\nsubc.cc.u32 %a21, %a1, %a3;\nsubc.u32 %a21, %a21, 0;\n" + pair,
       64,
       [](In o) {
         const Word low = Word{o.xu()} - o.yu(), middle = Word{o.xu()} - o.zu() - (low >> 63);
         return (middle - (middle >> 63)) << 32 | (low & 0xffffffff);
       }},
      {"add.cc.u64 %w20, %w1, %w2;\naddc.u64 %w9, %w3, 0;", 64,
       [](In o) { return o.z + static_cast<Word>((Double{o.x} + o.y) >> 64); }},
      {"sub.cc.u64 %w20, %w1, %w2;\nsubc.u64 %w9, %w3, 0;", 64,
       [](In o) { return o.z - (o.x < o.y ? 1 : 0); }},
      {"mad.lo.cc.u32 %a20, %a1, %a2, %a3;\nmadc.hi.u32 %a21, %a1, %a2, 7;\n" + pair, 64,
       [](In o) { return Word{o.xu()} * o.yu() + o.zu() + (Word{7} << 32); }},
      {"mad.lo.cc.u32 %a20, %a1, %a2, %a3;\nmadc.hi.cc.u32 %a21, %a1, %a2, %a3;\n"
       "addc.u32 %a21, %a21, 0;\n" +
           pair,
       64,
       [](In o) {
         const Word product = Word{o.xu()} * o.yu(), low = (product & 0xffffffff) + o.zu();
         const Word high = (product >> 32) + o.zu() + (low >> 32);
         return (high + (high >> 32)) << 32 | (low & 0xffffffff);
       }},
      {"add.cc.u32 %a20, %a1, %a2;\nmadc.lo.s32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return o.x * o.y + o.z + ((Word{o.xu()} + o.yu()) >> 32); }},
  });
}

TEST(Arithmetic, Products) {
  expectAll({
      {"mul.lo.s16 %h9, %h1, %h2;", 16, [](In o) { return o.x * o.y; }},
      {"mul.lo.u32 %a9, %a1, %a2;", 32, [](In o) { return o.x * o.y; }},
      {"mul.lo.s64 %w9, %w1, %w2;", 64, [](In o) { return o.x * o.y; }},
      {"mul.hi.s16 %h9, %h1, %h2;", 16, [](In o) { return word(o.x16() * o.y16()) >> 16; }},
      {"mul.hi.u16 %h9, %h1, %h2;", 16, [](In o) { return (o.x & 0xffff) * (o.y & 0xffff) >> 16; }},
      {"mul.hi.s32 %a9, %a1, %a2;", 32,
       [](In o) { return word(std::int64_t{o.x32()} * o.y32()) >> 32; }},
      {"mul.hi.u32 %a9, %a1, %a2;", 32, [](In o) { return Word{o.xu()} * o.yu() >> 32; }},
      {"mul.hi.u64 %w9, %w1, %w2;", 64,
       [](In o) { return static_cast<Word>(Double{o.x} * o.y >> 64); }},
      {"mul.hi.s64 %w9, %w1, %w2;", 64,
       [](In o) { return static_cast<Word>(SignedDouble{o.xs()} * o.ys() >> 64); }},
      {"mul.wide.s16 %a9, %h1, %h2;", 32, [](In o) { return word(o.x16() * o.y16()); }},
      {"mul.wide.u16 %a9, %h1, %h2;", 32, [](In o) { return (o.x & 0xffff) * (o.y & 0xffff); }},
      {"mul.wide.s32 %w9, %a1, %a2;", 64,
       [](In o) { return word(std::int64_t{o.x32()} * o.y32()); }},
      {"mul.wide.u32 %w9, %a1, %a2;", 64, [](In o) { return Word{o.xu()} * o.yu(); }},
      {"mad.lo.u16 %h9, %h1, %h2, %h3;", 16, [](In o) { return o.x * o.y + o.z; }},
      {"mad.lo.s32 %a9, %a1, %a2, %a3;", 32, [](In o) { return o.x * o.y + o.z; }},
      {"mad.lo.u64 %w9, %w1, %w2, %w3;", 64, [](In o) { return o.x * o.y + o.z; }},
      {"mad.hi.s32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return (word(std::int64_t{o.x32()} * o.y32()) >> 32) + o.z; }},
      {"mad.hi.u32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return (Word{o.xu()} * o.yu() >> 32) + o.z; }},
      {"mad.hi.u64 %w9, %w1, %w2, %w3;", 64,
       [](In o) { return static_cast<Word>(Double{o.x} * o.y >> 64) + o.z; }},
      {"mad.hi.sat.s32 %a9, %a1, %a2, %a3;", 32,
       [](In o) {
         return word(clamp32((std::int64_t{o.x32()} * o.y32() >> 32) + std::int64_t{o.z32()}));
       }},
      {"mad.wide.s32 %w9, %a1, %a2, %w3;", 64,
       [](In o) { return word(std::int64_t{o.x32()} * o.y32()) + o.z; }},
      {"mad.wide.u16 %a9, %h1, %h2, %a3;", 32,
       [](In o) { return (o.x & 0xffff) * (o.y & 0xffff) + o.z; }},
  });
}

TEST(Arithmetic, ProductsOf24Bits) {
  const auto product = [](In o) { return std::int64_t{signed24(o.xu())} * signed24(o.yu()); };
  const auto product_unsigned = [](In o) { return (o.x & 0xffffff) * (o.y & 0xffffff); };
  expectAll({
      {"mul24.lo.s32 %a9, %a1, %a2;", 32, [=](In o) { return word(product(o)); }},
      {"mul24.lo.u32 %a9, %a1, %a2;", 32, product_unsigned},
      {"mul24.hi.s32 %a9, %a1, %a2;", 32, [=](In o) { return word(product(o) >> 16); }},
      {"mul24.hi.u32 %a9, %a1, %a2;", 32, [=](In o) { return product_unsigned(o) >> 16; }},
      {"mad24.lo.s32 %a9, %a1, %a2, %a3;", 32, [=](In o) { return word(product(o)) + o.z; }},
      {"mad24.lo.u32 %a9, %a1, %a2, %a3;", 32, [=](In o) { return product_unsigned(o) + o.z; }},
      {"mad24.hi.s32 %a9, %a1, %a2, %a3;", 32, [=](In o) { return word(product(o) >> 16) + o.z; }},
      {"mad24.hi.u32 %a9, %a1, %a2, %a3;", 32,
       [=](In o) { return (product_unsigned(o) >> 16) + o.z; }},
      {"mad24.hi.sat.s32 %a9, %a1, %a2, %a3;", 32,
       [=](In o) { return word(clamp32((product(o) >> 16) + std::int64_t{o.z32()})); }},
  });
}

// Where the divisor is 0 PTX leaves the result open.
TEST(Arithmetic, Divisions) {
  const auto odd = [](testing::Operands& o) { o.y |= 1; };
  const auto words = [](testing::Operands& o) { o.x = o.xu(), o.y = o.yu() | 1; };
  expectAll({
      {"div.s16 %h9, %h1, %h2;", 16, [](In o) { return word(o.x16() / o.y16()); }, odd},
      {"rem.s16 %h9, %h1, %h2;", 16, [](In o) { return word(o.x16() % o.y16()); }, odd},
      {"div.u16 %h9, %h1, %h2;", 16, [](In o) { return (o.x & 0xffff) / (o.y & 0xffff); }, odd},
      {"rem.u16 %h9, %h1, %h2;", 16, [](In o) { return (o.x & 0xffff) % (o.y & 0xffff); }, odd},
      {"div.s32 %a9, %a1, %a2;", 32, [](In o) { return word(std::int64_t{o.x32()} / o.y32()); },
       odd},
      {"rem.s32 %a9, %a1, %a2;", 32, [](In o) { return word(std::int64_t{o.x32()} % o.y32()); },
       odd},
      {"div.u32 %a9, %a1, %a2;", 32, [](In o) { return o.xu() / o.yu(); }, odd},
      {"rem.u32 %a9, %a1, %a2;", 32, [](In o) { return o.xu() % o.yu(); }, odd},
      {"cvt.u64.u32 %w20, %a1;\ncvt.u64.u32 %w21, %a2;\ndiv.u64 %w9, %w20, %w21;", 64,
       [](In o) { return o.x / o.y; }, words},
      {"cvt.u64.u32 %w20, %a1;\ncvt.u64.u32 %w21, %a2;\nrem.s64 %w9, %w20, %w21;", 64,
       [](In o) { return o.x % o.y; }, words},
  });
  // By constants, which the compiler turns into something else.
  for (const std::int32_t divisor : {1, 2, 3, 7, 10, 64, 1000, -1, -2, -5, 2147483647})
    expectAll({
        {fmt::format("div.s32 %a9, %a1, {};", divisor), 32,
         [=](In o) { return word(std::int64_t{o.x32()} / divisor); }},
        {fmt::format("rem.s32 %a9, %a1, {};", divisor), 32,
         [=](In o) { return word(std::int64_t{o.x32()} % divisor); }},
        {fmt::format("div.u32 %a9, %a1, {};", static_cast<std::uint32_t>(divisor)), 32,
         [=](In o) { return o.xu() / static_cast<std::uint32_t>(divisor); }},
        {fmt::format("rem.u32 %a9, %a1, {};", static_cast<std::uint32_t>(divisor)), 32,
         [=](In o) { return o.xu() % static_cast<std::uint32_t>(divisor); }},
    });
}

TEST(Arithmetic, ChoicesAndSigns) {
  const auto magnitude = [](std::int64_t x) { return x < 0 ? 0 - word(x) : word(x); };
  expectAll({
      {"min.s16 %h9, %h1, %h2;", 16, [](In o) { return word(std::min(o.x16(), o.y16())); }},
      {"max.u16 %h9, %h1, %h2;", 16, [](In o) { return std::max(o.x & 0xffff, o.y & 0xffff); }},
      {"min.s32 %a9, %a1, %a2;", 32, [](In o) { return word(std::min(o.x32(), o.y32())); }},
      {"max.s32 %a9, %a1, %a2;", 32, [](In o) { return word(std::max(o.x32(), o.y32())); }},
      {"min.u32 %a9, %a1, %a2;", 32, [](In o) { return std::min(o.xu(), o.yu()); }},
      {"max.u32 %a9, %a1, %a2;", 32, [](In o) { return std::max(o.xu(), o.yu()); }},
      {"min.s64 %w9, %w1, %w2;", 64, [](In o) { return word(std::min(o.xs(), o.ys())); }},
      {"max.s64 %w9, %w1, %w2;", 64, [](In o) { return word(std::max(o.xs(), o.ys())); }},
      {"min.u64 %w9, %w1, %w2;", 64, [](In o) { return std::min(o.x, o.y); }},
      {"max.u64 %w9, %w1, %w2;", 64, [](In o) { return std::max(o.x, o.y); }},
      {"min.relu.s32 %a9, %a1, %a2;", 32,
       [](In o) { return word(std::max(std::min(o.x32(), o.y32()), 0)); }},
      {"max.relu.s32 %a9, %a1, %a2;", 32,
       [](In o) { return word(std::max(std::max(o.x32(), o.y32()), 0)); }},
      {"abs.s16 %h9, %h1;", 16, [=](In o) { return magnitude(o.x16()); }},
      {"abs.s32 %a9, %a1;", 32, [=](In o) { return magnitude(o.x32()); }},
      {"abs.s64 %w9, %w1;", 64, [=](In o) { return magnitude(o.xs()); }},
      {"neg.s16 %h9, %h1;", 16, [](In o) { return 0 - o.x; }},
      {"neg.s32 %a9, %a1;", 32, [](In o) { return 0 - o.x; }},
      {"neg.s64 %w9, %w1;", 64, [](In o) { return 0 - o.x; }},
      {"sad.s16 %h9, %h1, %h2, %h3;", 16, [=](In o) { return magnitude(o.x16() - o.y16()) + o.z; }},
      {"sad.s32 %a9, %a1, %a2, %a3;", 32,
       [=](In o) { return magnitude(std::int64_t{o.x32()} - o.y32()) + o.z; }},
      {"sad.u32 %a9, %a1, %a2, %a3;", 32,
       [=](In o) { return magnitude(word(o.xu()) - word(o.yu())) + o.z; }},
      {"sad.s64 %w9, %w1, %w2, %w3;", 64,
       [](In o) { return (o.xs() < o.ys() ? o.y - o.x : o.x - o.y) + o.z; }},
      {"sad.u64 %w9, %w1, %w2, %w3;", 64,
       [](In o) { return (o.x < o.y ? o.y - o.x : o.x - o.y) + o.z; }},
  });
}

TEST(Arithmetic, DotProducts) {
  const auto part = [](std::uint32_t x, int bits, int n, bool is_signed) {
    const std::int64_t field = x >> (bits * n) & ((1u << bits) - 1);
    return is_signed && field >> (bits - 1) != 0 ? field - (std::int64_t{1} << bits) : field;
  };
  for (const bool x_signed : {false, true})
    for (const bool y_signed : {false, true}) {
      const std::string types =
          fmt::format("{}.{}", x_signed ? "s32" : "u32", y_signed ? "s32" : "u32");
      expectComputes({fmt::format("dp4a.{} %a9, %a1, %a2, %a3;", types), 32, [=](In o) {
                        auto sum = word(o.zs());
                        for (int n = 0; n < 4; ++n)
                          sum += word(part(o.xu(), 8, n, x_signed) * part(o.yu(), 8, n, y_signed));
                        return sum;
                      }});
      for (const int first : {0, 2})
        expectComputes(
            {fmt::format("dp2a.{}.{} %a9, %a1, %a2, %a3;", first == 0 ? "lo" : "hi", types), 32,
             [=](In o) {
               auto sum = word(o.zs());
               for (int n = 0; n < 2; ++n)
                 sum += word(part(o.xu(), 16, n, x_signed) * part(o.yu(), 8, first + n, y_signed));
               return sum;
             }});
    }
}

// ---- Comparison. ----

struct Relation {
  std::string name;
  std::function<bool(SignedDouble, SignedDouble)> holds;
};
Rows comparisons(const Relation& r, std::string_view type, int bits, bool is_signed) {
  const auto number = [=](Word x) -> SignedDouble {
    const Word kept = bits == 64 ? x : x & ((Word{1} << bits) - 1);
    const bool negative = is_signed && (kept >> (bits - 1)) != 0;
    return SignedDouble{kept} - (negative ? SignedDouble{1} << bits : 0);
  };
  const char file = bits == 64 ? 'w' : bits == 32 ? 'a' : 'h';
  const auto holds = [=](In o) { return r.holds(number(o.x), number(o.y)); };
  const auto tail = [](In o) { return (o.z & 1) != 0; };
  const auto setp = [&](std::string_view boolean, std::string_view to, std::string_view more) {
    return fmt::format("setp.{}{}.{} {}, %{}1, %{}2{};\n", r.name, boolean, type, to, file, file,
                       more);
  };
  const std::string one = "selp.u32 %a9, 1, 0, %q2;";
  const std::string two =
      "selp.u32 %a20, 1, 0, %q2;\nselp.u32 %a9, 2, 0, %q3;\nadd.u32 %a9, %a9, %a20;";
  return {
      {setp("", "%q2", "") + one, 32, [=](In o) { return Word{holds(o)}; }},
      {setp("", "%q2|%q3", "") + two, 32, [=](In o) { return holds(o) ? 1 : 2; }},
      {setp(".and", "%q2|%q3", ", %q1") + two, 32,
       [=](In o) { return Word{holds(o) && tail(o)} + 2 * Word{!holds(o) && tail(o)}; }},
      {setp(".or", "%q2|%q3", ", !%q1") + two, 32,
       [=](In o) { return Word{holds(o) || !tail(o)} + 2 * Word{!holds(o) || !tail(o)}; }},
      {setp(".xor", "%q2", ", %q1") + one, 32, [=](In o) { return Word{holds(o) != tail(o)}; }},
      {fmt::format("set.{}.u32.{} %a9, %{}1, %{}2;", r.name, type, file, file), 32,
       [=](In o) { return holds(o) ? ~Word{0} : 0; }},
      {fmt::format("set.{}.and.s32.{} %a9, %{}1, %{}2, %q1;", r.name, type, file, file), 32,
       [=](In o) { return holds(o) && tail(o) ? ~Word{0} : 0; }},
  };
}

TEST(Arithmetic, Comparisons) {
  const Relation eq{"eq", [](auto a, auto b) { return a == b; }},
      ne{"ne", [](auto a, auto b) { return a != b; }};
  const std::vector<Relation> ordered = {eq,
                                         ne,
                                         {"lt", [](auto a, auto b) { return a < b; }},
                                         {"le", [](auto a, auto b) { return a <= b; }},
                                         {"gt", [](auto a, auto b) { return a > b; }},
                                         {"ge", [](auto a, auto b) { return a >= b; }}};
  const std::vector<Relation> by_name = {{"lo", ordered[2].holds},
                                         {"ls", ordered[3].holds},
                                         {"hi", ordered[4].holds},
                                         {"hs", ordered[5].holds}};
  for (const auto& [bits, suffix] : {std::pair(16, "16"), {32, "32"}, {64, "64"}}) {
    for (const Relation& r : ordered) {
      expectAll(comparisons(r, fmt::format("s{}", suffix), bits, true));
      expectAll(comparisons(r, fmt::format("u{}", suffix), bits, false));
    }
    for (const Relation& r : by_name)
      expectAll(comparisons(r, fmt::format("u{}", suffix), bits, false));
    for (const Relation& r : {eq, ne})
      expectAll(comparisons(r, fmt::format("b{}", suffix), bits, false));
  }
}

TEST(Arithmetic, Selection) {
  expectAll({
      {"selp.b16 %h9, %h1, %h2, %q1;", 16, [](In o) { return (o.z & 1) != 0 ? o.x : o.y; }},
      {"selp.s32 %a9, %a1, %a2, %q1;", 32, [](In o) { return (o.z & 1) != 0 ? o.x : o.y; }},
      {"selp.u64 %w9, %w1, %w2, %q1;", 64, [](In o) { return (o.z & 1) != 0 ? o.x : o.y; }},
      {"slct.u32.s32 %a9, %a1, %a2, %a3;", 32, [](In o) { return o.z32() >= 0 ? o.x : o.y; }},
      {"slct.b64.s32 %w9, %w1, %w2, %a3;", 64, [](In o) { return o.z32() >= 0 ? o.x : o.y; }},
  });
}

}  // namespace
}  // namespace qgpu::lower
