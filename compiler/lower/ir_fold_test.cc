// Rules of folding that PTX seldom reaches, on the intermediate representation by itself.
#include <gtest/gtest.h>

#include <string>

#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/print.h"
#include "compiler/lower/passes/passes.h"
#include "compiler/lower/testing/random_function.h"
#include "interpreter/testing/random.h"

namespace qgpu::lower {
namespace {

using isa::Compare;
using isa::Opcode;
using testing::FunctionInput;
using testing::runFunction;

// An expression of two words, what it is, and how many operations are left of it at most.
struct FoldRow {
  std::string name;
  std::function<Id(Builder&, Id x, Id y)> make;
  std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)> value;
  int most;
};

Id raw(Builder& b, Opcode op, Id x, Id y, Id z = kNone) {
  return b.append({.op = op, .a = x, .b = y, .c = z}).word;
}

const FoldRow kFoldRows[] = {
    {"quotient and remainder by shift and mask",
     [](Builder& b, Id x, Id) {
       return b.mad(b.shiftRightBy(x, 4), b.constant(16), b.mask(x, 15));
     },
     [](auto x, auto) { return x; }, 0},
    {"another factor",
     [](Builder& b, Id x, Id) { return b.mad(b.shiftRightBy(x, 4), b.constant(8), b.mask(x, 15)); },
     [](auto x, auto) { return (x >> 4) * 8 + (x & 15); }, 3},
    {"another mask",
     [](Builder& b, Id x, Id) { return b.mad(b.shiftRightBy(x, 4), b.constant(16), b.mask(x, 7)); },
     [](auto x, auto) { return (x >> 4) * 16 + (x & 7); }, 3},
    {"another word",
     [](Builder& b, Id x, Id y) {
       return b.mad(b.shiftRightBy(x, 4), b.constant(16), b.mask(y, 15));
     },
     [](auto x, auto y) { return (x >> 4) * 16 + (y & 15); }, 3},
    {"a shift that varies",
     [](Builder& b, Id x, Id y) {
       return b.mad(b.shiftRight(x, b.mask(y, 7)), b.constant(16), b.mask(x, 15));
     },
     [](auto x, auto y) { return (x >> (y & 7)) * 16 + (x & 15); }, 4},
    {"a shift of everything",
     [](Builder& b, Id x, Id) {
       return b.mad(raw(b, Opcode::Shr, x, b.constant(32)), b.constant(16), b.mask(x, 15));
     },
     [](auto x, auto) { return x & 15; }, 3},
    {"remainder and quotient times the divisor",
     [](Builder& b, Id x, Id) {
       const Id q = b.quotient(false, x, b.constant(10));
       return b.add(b.mad(q, b.constant(0u - 10), x), b.mul(q, b.constant(10)));
     },
     [](auto x, auto) { return x; }, 0},
    {"quotient times the divisor and remainder",
     [](Builder& b, Id x, Id) {
       const Id q = b.quotient(false, x, b.constant(10));
       return b.add(b.mul(q, b.constant(10)), b.mad(q, b.constant(0u - 10), x));
     },
     [](auto x, auto) { return x; }, 0},
    {"the same as one operation",
     [](Builder& b, Id x, Id) {
       const Id q = b.quotient(false, x, b.constant(10));
       return b.mad(q, b.constant(10), b.mad(q, b.constant(0u - 10), x));
     },
     [](auto x, auto) { return x; }, 0},
    {"a constant less a word, with a borrow that is none",
     [](Builder& b, Id x, Id) {
       return b.emit({.op = Opcode::Subc, .compare = Compare::Ltu, .a = b.constant(9), .b = x})
           .word;
     },
     [](auto x, auto) { return 9 - x; }, 1},
    {"constants with a borrow that is none",
     [](Builder& b, Id, Id) {
       const Value v = b.emit(
           {.op = Opcode::Subc, .compare = Compare::Ltu, .a = b.constant(9), .b = b.constant(11)});
       return b.add(v.word, b.fromPredicate(v.flag));
     },
     [](auto, auto) { return 0u - 1; }, 0},
    {"less than 0 and a difference with 0",
     [](Builder& b, Id x, Id) {
       const Value v = b.emit({.op = Opcode::Sub, .compare = Compare::Lt, .a = x, .b = b.zero()});
       return b.add(v.word, b.fromPredicate(v.flag));
     },
     [](auto x, auto) { return x + (x >> 31); }, 3},
    {"addresses of two arrays",
     [](Builder& b, Id, Id) { return b.sub(b.constant(100, 1), b.constant(40, 2)); },
     [](auto, auto) { return 60u; }, 0},
    {"a comparison of a copy",
     [](Builder& b, Id x, Id y) {
       const Id copy = raw(b, Opcode::Mov, kNone, b.constant(5));
       return b.select(b.compare(Compare::Eq, copy, b.constant(5)), x, y);
     },
     [](auto x, auto) { return x; }, 3},
    {"a choice with nothing on one side",
     [](Builder& b, Id x, Id y) {
       const Predicate p = b.compare(Compare::Lt, x, y);
       return b.add(b.select(p, b.function().undefined(), x),
                    b.select(p, y, b.function().undefined()));
     },
     [](auto x, auto y) { return x + y; }, 1},
    {"a mask of other bytes",
     [](Builder& b, Id x, Id y) { return b.mask(b.permute(x, y, 0x0001), 127); },
     [](auto x, auto) { return x >> 8 & 127; }, 2},
    {"a mask that is too wide for a byte",
     [](Builder& b, Id x, Id) { return b.mask(b.extendSigned(x, 8), 0xfff); },
     [](auto x, auto) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(x)) & 0xfff; },
     2},
    {"shifts by a constant and by a word",
     [](Builder& b, Id x, Id y) {
       return b.bitOr(b.shiftLeftBy(x, 4), b.shiftRight(x, b.mask(y, 3)));
     },
     [](auto x, auto y) { return x << 4 | x >> (y & 3); }, 4},
    {"nothing of nothing", [](Builder& b, Id x, Id) { return b.andNot(b.zero(), x); },
     [](auto, auto) { return 0u; }, 0},
    {"the sign of another byte",
     [](Builder& b, Id x, Id y) { return b.extendSigned(b.permute(x, y, 0x3333), 8); },
     [](auto x, auto) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> 24); },
     2},
    {"a shift by 0 that is there",
     [](Builder& b, Id x, Id) { return b.mask(raw(b, Opcode::Shr, x, b.zero()), 255); },
     [](auto x, auto) { return x & 255; }, 2},
    {"signs that do not spread",
     [](Builder& b, Id x, Id y) { return b.extendSigned(b.permute(x, y, 0xb880), 8); },
     [](auto x, auto) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(x)); }, 2},
    {"a memory word and two constants",
     [](Builder& b, Id x, Id) {
       const Id sum =
           b.append(
                {.op = Opcode::Add, .a = x, .memory = {.space = isa::Space::Global, .offset = 4}})
               .word;
       return b.add(sum, b.constant(5));
     },
     [](auto x, auto) { return x + 1000 + 5; }, 2},
    {"a place by a product and a word",
     [](Builder& b, Id x, Id y) {
       const Id index = b.mad(b.mask(x, 1), b.constant(4), b.mask(y, 4));
       return b.load(isa::Space::Global, {.index = index, .offset = 4});
     },
     [](auto x, auto y) { return 1000 + (x & 1) + ((y & 4) != 0 ? 1 : 0); }, 4},
    {"the smaller of small words that is there",
     [](Builder& b, Id x, Id y) {
       return b.mask(raw(b, Opcode::Min, b.mask(x, 7), b.mask(y, 15)), 255);
     },
     [](auto x, auto y) { return std::min(x & 7, y & 15); }, 3},
    {"the smaller of a word and all ones",
     [](Builder& b, Id x, Id) { return b.operation(Opcode::Minu, x, b.constant(~0u)); },
     [](auto x, auto) { return x; }, 0},
    {"the larger of a word and 0",
     [](Builder& b, Id x, Id) { return b.operation(Opcode::Maxu, b.zero(), x); },
     [](auto x, auto) { return x; }, 0},
};

// A function of one block that leaves the value in the first word.
Function functionOf(const FoldRow& row) {
  Function f;
  f.spaces_are_known = true;
  f.newBlock();
  Builder b(f);
  const Id x = f.argument({0, 0}), y = f.argument({1, 0});
  b.store(isa::Space::Global, {.offset = 4}, row.make(b, x, y));
  cleanUp(f);
  return f;
}

TEST(IrFold, RulesThatAreRare) {
  for (const FoldRow& row : kFoldRows) {
    SCOPED_TRACE(row.name);
    const Function f = functionOf(row);
    // A division, which has two parts, is two.
    EXPECT_LE(static_cast<int>(f.blocks[0].body.size()) - 1, row.most) << print(f);
    isatest::Random random(1);
    for (int n = 0; n < 60; ++n) {
      const std::uint32_t x = random.word(), y = n % 7 == 0 ? x : random.word();
      const FunctionInput input{.arguments = {x, y}, .global = {1000, 1001, 1002, 1003}};
      EXPECT_EQ(runFunction(f, input).global.at(0), row.value(x, y)) << x << " " << y << print(f);
    }
  }
}

}  // namespace
}  // namespace qgpu::lower
