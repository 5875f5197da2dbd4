// Logic, shifts, bit fields, bytes and conversions of PTX, one instruction at a time, as the PTX
// manual (sections 9.7.1, 9.7.8 and 9.7.9) says what it computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "compiler/lower/testing/operands.h"

namespace qgpu::lower {
namespace {

using testing::expectAll;
using testing::expectComputes;
using testing::In;
using testing::Word;
using testing::word;

Word ones(int bits) { return bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1; }
// Every third thread or so has amounts beyond the width.
void smallAmounts(testing::Operands& o) { o.y %= 80, o.z %= 70; }

TEST(Bits, Logic) {
  expectAll({
      {"and.b16 %h9, %h1, %h2;", 16, [](In o) { return o.x & o.y; }},
      {"or.b32 %a9, %a1, %a2;", 32, [](In o) { return o.x | o.y; }},
      {"xor.b64 %w9, %w1, %w2;", 64, [](In o) { return o.x ^ o.y; }},
      {"not.b16 %h9, %h1;", 16, [](In o) { return ~o.x; }},
      {"not.b64 %w9, %w1;", 64, [](In o) { return ~o.x; }},
      {"and.b16 %h20, %h1, %h2;\ncnot.b16 %h9, %h20;", 16,
       [](In o) { return Word{(o.x & o.y & 0xffff) == 0}; }},
      {"and.b32 %a20, %a1, %a2;\ncnot.b32 %a9, %a20;", 32,
       [](In o) { return Word{(o.xu() & o.yu()) == 0}; }},
      {"sub.u64 %w20, %w1, %w2;\ncnot.b64 %w9, %w20;", 64, [](In o) { return Word{o.x == o.y}; }},
  });
}

// Every table of three inputs.
TEST(Bits, Lop3) {
  for (unsigned table = 0; table < 256; ++table)
    expectComputes({fmt::format("lop3.b32 %a9, %a1, %a2, %a3, {};", table), 32, [=](In o) {
                      Word r = 0;
                      for (int i = 0; i < 32; ++i) {
                        const Word row = (o.x >> i & 1) << 2 | (o.y >> i & 1) << 1 | (o.z >> i & 1);
                        r |= Word{table >> row & 1} << i;
                      }
                      return r;
                    }});
}

TEST(Bits, Lop3WithAPredicate) {
  const std::string read = "\nselp.u32 %a20, 1, 0, %q2;\nadd.u32 %a9, %a9, %a20;";
  expectAll({
      {"lop3.and.b32 %a9|%q2, %a1, %a2, %a3, 128, %q1;" + read, 32,
       [](In o) {
         const std::uint32_t r = o.xu() & o.yu() & o.zu();
         return r + Word{r != 0 && (o.z & 1) != 0};
       }},
      {"lop3.or.b32 %a9|%q2, %a1, %a2, %a3, 128, !%q1;" + read, 32,
       [](In o) {
         const std::uint32_t r = o.xu() & o.yu() & o.zu();
         return r + Word{r != 0 || (o.z & 1) == 0};
       }},
  });
}

TEST(Bits, Shifts) {
  const auto right = [](std::int64_t x, Word n) { return word(x >> std::min<Word>(n, 63)); };
  expectAll({
      {"shl.b16 %h9, %h1, %a2;", 16, [](In o) { return o.y < 16 ? o.x << o.y : 0; }, smallAmounts},
      {"shl.b32 %a9, %a1, %a2;", 32, [](In o) { return o.y < 32 ? o.x << o.y : 0; }, smallAmounts},
      {"shl.b64 %w9, %w1, %a2;", 64, [](In o) { return o.y < 64 ? o.x << o.y : 0; }, smallAmounts},
      {"shr.u16 %h9, %h1, %a2;", 16, [](In o) { return o.y < 16 ? (o.x & 0xffff) >> o.y : 0; },
       smallAmounts},
      {"shr.u32 %a9, %a1, %a2;", 32, [](In o) { return o.y < 32 ? o.xu() >> o.y : 0; },
       smallAmounts},
      {"shr.u64 %w9, %w1, %a2;", 64, [](In o) { return o.y < 64 ? o.x >> o.y : 0; }, smallAmounts},
      {"shr.s16 %h9, %h1, %a2;", 16, [=](In o) { return right(o.x16(), o.y); }, smallAmounts},
      {"shr.s32 %a9, %a1, %a2;", 32, [=](In o) { return right(o.x32(), o.y); }, smallAmounts},
      {"shr.s64 %w9, %w1, %a2;", 64, [=](In o) { return right(o.xs(), o.y); }, smallAmounts},
  });
  for (const int n : {0, 1, 15, 31, 32, 33, 63, 64, 100})
    expectAll({
        {fmt::format("shl.b64 %w9, %w1, {};", n), 64, [=](In o) { return n < 64 ? o.x << n : 0; }},
        {fmt::format("shr.u64 %w9, %w1, {};", n), 64, [=](In o) { return n < 64 ? o.x >> n : 0; }},
        {fmt::format("shr.s64 %w9, %w1, {};", n), 64,
         [=](In o) { return right(o.xs(), static_cast<Word>(n)); }},
        {fmt::format("shr.s32 %a9, %a1, {};", n), 32,
         [=](In o) { return right(o.x32(), static_cast<Word>(n)); }},
    });
}

TEST(Bits, FunnelShifts) {
  // The pair is y:x.
  const auto funnel = [](In o, bool left, Word n) {
    const Word pair = o.y << 32 | o.xu();
    return left ? pair << n >> 32 : (n == 0 ? pair : pair >> n);
  };
  for (const bool left : {false, true}) {
    const char* dir = left ? "l" : "r";
    expectAll({
        {fmt::format("shf.{}.wrap.b32 %a9, %a1, %a2, %a3;", dir), 32,
         [=](In o) { return funnel(o, left, o.z & 31); }, smallAmounts},
        {fmt::format("shf.{}.clamp.b32 %a9, %a1, %a2, %a3;", dir), 32,
         [=](In o) { return funnel(o, left, std::min<Word>(o.z, 32)); },
         [](testing::Operands& o) { o.z %= 70; }},
        {fmt::format("shf.{}.wrap.b32 %a9, %a1, %a1, %a3;", dir), 32,
         [=](In o) {
           const int n = static_cast<int>(o.z & 31);
           return Word{left ? std::rotl(o.xu(), n) : std::rotr(o.xu(), n)};
         }},
        {fmt::format("shf.{}.wrap.b32 %a9, %a1, %a2, 13;", dir), 32,
         [=](In o) { return funnel(o, left, 13); }},
    });
  }
}

TEST(Bits, Counts) {
  // The highest bit that is not the sign's.
  const auto highest = [](std::int64_t x, bool is_signed, int bits) -> int {
    Word u = word(x) & ones(bits);
    if (is_signed && x < 0) u = ~u & ones(bits);
    return u == 0 ? -1 : 63 - std::countl_zero(u);
  };
  const auto find = [=](std::string_view type, bool is_signed, bool is_wide) {
    const int bits = is_wide ? 64 : 32;
    const auto at = [=](In o) {
      return highest(is_wide     ? o.xs()
                     : is_signed ? o.x32()
                                 : std::int64_t{o.xu()},
                     is_signed, bits);
    };
    const char file = is_wide ? 'w' : 'a';
    expectAll(
        {{fmt::format("bfind.{} %a9, %{}1;", type, file), 32, [=](In o) { return word(at(o)); }},
         {fmt::format("bfind.shiftamt.{} %a9, %{}1;", type, file), 32,
          [=](In o) { return at(o) < 0 ? ~Word{0} : word(bits - 1 - at(o)); }}});
  };
  find("u32", false, false);
  find("s32", true, false);
  find("u64", false, true);
  find("s64", true, true);
  const auto reversed = [](Word x) {
    Word r = 0;
    for (int i = 0; i < 64; ++i) r |= (x >> i & 1) << (63 - i);
    return r;
  };
  expectAll({
      {"popc.b32 %a9, %a1;", 32, [](In o) { return word(std::popcount(o.xu())); }},
      {"popc.b64 %a9, %w1;", 32, [](In o) { return word(std::popcount(o.x)); }},
      {"clz.b32 %a9, %a1;", 32, [](In o) { return word(std::countl_zero(o.xu())); }},
      {"clz.b64 %a9, %w1;", 32, [](In o) { return word(std::countl_zero(o.x)); }},
      {"brev.b32 %a9, %a1;", 32, [=](In o) { return reversed(o.x) >> 32; }},
      {"brev.b64 %w9, %w1;", 64, [=](In o) { return reversed(o.x); }},
  });
}

// ---- Bit fields. ----

// Bits `at` and up, `length` of them, the rest the sign of the field.
Word extracted(Word x, Word at, Word length, int bits, bool is_signed) {
  const Word top = static_cast<Word>(bits) - 1;
  const bool sign = is_signed && length != 0 && (x >> std::min(at + length - 1, top) & 1) != 0;
  Word r = 0;
  for (Word i = 0; i <= top; ++i) {
    const bool inside = i < length && at + i <= top;
    r |= Word{inside ? (x >> (at + i) & 1) != 0 : sign} << i;
  }
  return r;
}
Word inserted(Word field, Word into, Word at, Word length, int bits) {
  for (Word i = 0; i < length && at + i < static_cast<Word>(bits); ++i) {
    into &= ~(Word{1} << (at + i));
    into |= (field >> i & 1) << (at + i);
  }
  return into;
}

TEST(Bits, Fields) {
  expectAll({
      {"bfe.u32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return extracted(o.x, o.y & 255, o.z & 255, 32, false); }, smallAmounts},
      {"bfe.s32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return extracted(o.x, o.y & 255, o.z & 255, 32, true); }, smallAmounts},
      {"bfe.u64 %w9, %w1, %a2, %a3;", 64,
       [](In o) { return extracted(o.x, o.y & 255, o.z & 255, 64, false); }, smallAmounts},
      {"bfe.s64 %w9, %w1, %a2, %a3;", 64,
       [](In o) { return extracted(o.x, o.y & 255, o.z & 255, 64, true); }, smallAmounts},
      {"bfe.s32 %a9, %a1, %a2, %a3;", 32,
       [](In o) { return extracted(o.x, o.y & 255, o.z & 255, 32, true); }},
      {"bfe.u32 %a9, %a1, 5, 9;", 32, [](In o) { return o.x >> 5 & 511; }},
      {"bfi.b32 %a9, %a1, %a2, %a3, 7;", 32,
       [](In o) { return inserted(o.x, o.y, o.z & 255, 7, 32); },
       [](testing::Operands& o) { o.z %= 40; }},
      {"bfi.b32 %a9, %a1, %a2, 4, %a3;", 32,
       [](In o) { return inserted(o.x, o.y, 4, o.z & 255, 32); },
       [](testing::Operands& o) { o.z %= 40; }},
      {"bfi.b64 %w9, %w1, %w2, %a3, 20;", 64,
       [](In o) { return inserted(o.x, o.y, o.z & 255, 20, 64); },
       [](testing::Operands& o) { o.z %= 70; }},
      {"bfi.b64 %w9, %w1, %w2, 30, %a3;", 64,
       [](In o) { return inserted(o.x, o.y, 30, o.z & 255, 64); }},
  });
}

TEST(Bits, ExtensionsAndMasks) {
  // An N-bit number, N up to 32.
  const auto extended = [](std::uint32_t x, Word n, bool is_signed) {
    const Word field = x & ones(static_cast<int>(n));
    const bool negative = is_signed && n != 0 && (field >> (n - 1) & 1) != 0;
    return negative ? field | ~ones(static_cast<int>(n)) : field;
  };
  const auto mask = [](Word at, Word length) {
    return at >= 32 ? 0 : ones(static_cast<int>(length)) << at;
  };
  const auto amounts = [](testing::Operands& o) { o.x %= 40, o.y %= 40; };
  const auto width = [](testing::Operands& o) { o.y %= 40; };
  for (const bool s : {false, true})
    expectAll({
        {fmt::format("szext.wrap.{} %a9, %a1, %a2;", s ? "s32" : "u32"), 32,
         [=](In o) { return extended(o.xu(), o.y & 31, s); }, width},
        {fmt::format("szext.clamp.{} %a9, %a1, %a2;", s ? "s32" : "u32"), 32,
         [=](In o) { return extended(o.xu(), std::min<Word>(o.y, 32), s); }, width},
    });
  expectAll({
      {"bmsk.wrap.b32 %a9, %a1, %a2;", 32, [=](In o) { return mask(o.x & 31, o.y & 31); }, amounts},
      {"bmsk.clamp.b32 %a9, %a1, %a2;", 32,
       [=](In o) { return mask(o.x, std::min<Word>(o.y, 32)); }, amounts},
  });
}

// ---- Bytes. ----

Word byteOf(In o, Word n) { return (o.y << 32 | o.xu()) >> (8 * n) & 255; }

TEST(Bits, Permutations) {
  expectComputes({"prmt.b32 %a9, %a1, %a2, %a3;", 32, [](In o) {
                    Word r = 0;
                    for (int i = 0; i < 4; ++i) {
                      const Word nibble = o.z >> (4 * i) & 15, byte = byteOf(o, nibble & 7);
                      r |= (nibble < 8 ? byte : byte >= 128 ? 255 : 0) << (8 * i);
                    }
                    return r;
                  }});
  // The bytes of the result for each value of c, the highest first, as the manual's table has them.
  const std::pair<std::string_view, std::array<std::string_view, 4>> modes[] = {
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}},
  };
  for (const auto& [name, table] : modes)
    expectComputes(
        {fmt::format("prmt.b32.{} %a9, %a1, %a2, %a3;", name), 32, [bytes = table](In o) {
           Word r = 0;
           for (const char c : bytes[o.z & 3]) r = r << 8 | byteOf(o, static_cast<Word>(c - '0'));
           return r;
         }});
}

// ---- Conversions and moves. ----

struct IntegerType {
  std::string name;
  int bits;
  bool is_signed;

  char file() const { return bits == 64 ? 'w' : bits == 32 ? 'a' : 'h'; }
  __int128 number(Word x) const {
    const Word kept = x & ones(bits);
    const bool negative = is_signed && (kept >> (bits - 1)) != 0;
    return __int128{kept} - (negative ? __int128{1} << bits : 0);
  }
  __int128 least() const { return is_signed ? -(__int128{1} << (bits - 1)) : 0; }
  __int128 most() const { return (__int128{1} << (bits - (is_signed ? 1 : 0))) - 1; }
};
std::vector<IntegerType> integerTypes() {
  std::vector<IntegerType> all;
  for (const int bits : {8, 16, 32, 64}) {
    all.push_back({fmt::format("u{}", bits), bits, false});
    all.push_back({fmt::format("s{}", bits), bits, true});
  }
  return all;
}

// An 8-bit result is extended to its register. Where the source's range lies within the result's,
// ptxas takes no .sat.
TEST(Bits, Conversions) {
  for (const IntegerType& from : integerTypes())
    for (const IntegerType& to : integerTypes()) {
      const int width = std::max(to.bits, 16);
      const auto text = [&](std::string_view sat) {
        return fmt::format("cvt{}.{}.{} %{}9, %{}1;", sat, to.name, from.name, to.file(),
                           from.file());
      };
      const auto truncated = [=](In o) {
        return static_cast<Word>(to.number(static_cast<Word>(from.number(o.x))));
      };
      const auto clamped = [=](In o) {
        return static_cast<Word>(std::clamp(from.number(o.x), to.least(), to.most()));
      };
      ASSERT_NO_FATAL_FAILURE(expectComputes({text(""), width, truncated}));
      if (from.least() >= to.least() && from.most() <= to.most()) continue;
      ASSERT_NO_FATAL_FAILURE(expectComputes({text(".sat"), width, clamped}));
    }
}

// Registers may be wider than their type.
TEST(Bits, ConversionsOfWiderRegisters) {
  expectAll({
      {"cvt.u32.u8 %a9, %a1;", 32, [](In o) { return o.x & 255; }},
      {"cvt.s32.s8 %a9, %a1;", 32, [](In o) { return word(static_cast<std::int8_t>(o.x)); }},
      {"cvt.s32.s16 %a9, %a1;", 32, [](In o) { return word(o.x16()); }},
      {"cvt.s64.s32 %w9, %w1;", 64, [](In o) { return word(o.x32()); }},
      {"cvt.s8.s32 %a9, %a1;", 32, [](In o) { return word(static_cast<std::int8_t>(o.x)); }},
      {"cvt.u16.u32 %a9, %a1;", 32, [](In o) { return o.x & 0xffff; }},
      {"cvt.sat.s8.s64 %a9, %w1;", 32,
       [](In o) { return word(std::clamp<std::int64_t>(o.xs(), -128, 127)); }},
      {"cvt.s32.s64 %w9, %w1;", 64, [](In o) { return word(o.x32()); }},
  });
}

// Vectors of narrow parts, and parts that nobody wants.
TEST(Bits, PartsOfMoves) {
  expectAll({
      {"mov.b64 %w9, {%h1, %h2, %h3, %h1};", 64,
       [](In o) {
         return (o.x & 0xffff) | (o.y & 0xffff) << 16 | (o.z & 0xffff) << 32 | o.x << 48;
       }},
      {".reg .b8 %c<4>;\ncvt.u8.u32 %c1, %a1;\ncvt.u8.u32 %c2, %a2;\nmov.b16 %h9, {%c1, %c2};", 16,
       [](In o) { return (o.x & 255) | (o.y & 255) << 8; }},
      {"mov.b64 {%a9, _}, %w1;", 32, [](In o) { return o.x; }},
      {"mov.b64 {_, %a9}, %w1;", 32, [](In o) { return o.x >> 32; }},
      {"setp.lt.u32 %q2|_, %a1, %a2;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{o.xu() < o.yu()}; }},
      {"setp.lt.u32 _|%q2, %a1, %a2;\nselp.u32 %a9, 1, 0, %q2;", 32,
       [](In o) { return Word{o.xu() >= o.yu()}; }},
      {"slct.f32.s32 %a9, %a1, %a2, %a3;", 32, [](In o) { return o.z32() >= 0 ? o.x : o.y; }},
      {"shf.l.clamp.b32 %a9, %a1, %a1, %a2;", 32,
       [](In o) {
         const std::uint32_t n = std::min(o.yu(), 32u);
         return (Word{o.xu()} << 32 | o.xu()) << n >> 32;
       }},
  });
}

TEST(Bits, Moves) {
  expectAll({
      {"mov.b32 %a9, {%h1, %h2};", 32, [](In o) { return (o.x & 0xffff) | (o.y & 0xffff) << 16; }},
      {"mov.b64 %w9, {%a1, %a2};", 64, [](In o) { return o.xu() | o.y << 32; }},
      {"mov.b64 %w9, {%h1, %h2, %h3, %h1};", 64,
       [](In o) {
         return (o.x & 0xffff) | (o.y & 0xffff) << 16 | (o.z & 0xffff) << 32 | o.x << 48;
       }},
      {"mov.b32 {%h20, %h21}, %a1;\nsub.u16 %h9, %h20, %h21;", 16,
       [](In o) { return o.x - (o.x >> 16); }},
      {"mov.b64 {%a20, %a21}, %w1;\nsub.u32 %a9, %a20, %a21;", 32,
       [](In o) { return o.x - (o.x >> 32); }},
      {"mov.b64 {%h20, %h21, %h22, %h23}, %w1;\nsub.u16 %h24, %h20, %h21;\n"
       "sub.u16 %h25, %h22, %h23;\nmul.lo.u16 %h9, %h24, %h25;",
       16, [](In o) { return (o.x - (o.x >> 16)) * ((o.x >> 32) - (o.x >> 48)); }},
      {"mov.b64 {_, %a9}, %w1;", 32, [](In o) { return o.x >> 32; }},
      {"mov.v2.u32 {%a20, %a21}, {%a2, %a1};\nsub.u32 %a9, %a20, %a21;", 32,
       [](In o) { return o.y - o.x; }},
      {"mov.u64 %w9, %w1;", 64, [](In o) { return o.x; }},
      {"mov.s16 %h9, %h1;", 16, [](In o) { return o.x; }},
      {"mov.pred %q2, %q1;\nselp.u32 %a9, %a1, %a2, %q2;", 32,
       [](In o) { return (o.z & 1) != 0 ? o.x : o.y; }},
      {"mov.f32 %a9, 0f40490fdb;", 32, [](In) { return 0x40490fdb; }},
      {"mov.f32 %a9, 1.5;", 32, [](In) { return 0x3fc00000; }},
      {"mov.f64 %w9, 1.5;", 64, [](In) { return 0x3ff8000000000000; }},
  });
}

}  // namespace
}  // namespace qgpu::lower
