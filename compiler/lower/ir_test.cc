// The intermediate representation by itself: what its helpers and passes make of unusual functions.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "compiler/lower/blocks/operands.h"
#include "compiler/lower/blocks/placed.h"
#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/print.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"
#include "compiler/lower/passes/spill.h"
#include "compiler/lower/testing/random_function.h"
#include "interpreter/testing/random.h"

namespace qgpu::lower {
namespace {

using isa::Compare;
using isa::Opcode;
using testing::FunctionInput;
using testing::runFunction;

TEST(Ir, NoIdIsNoConstant) {
  Function f;
  EXPECT_FALSE(f.isConstant(kNone));
  EXPECT_FALSE(f.isConstant(f.undefined()));
  EXPECT_TRUE(f.isConstant(f.constant(3), 3));
  EXPECT_FALSE(f.isConstant(f.constant(3), 4));
  EXPECT_FALSE(f.isConstant(f.constant(0, 1), 0));  // an address, while spaces are not known
}

// ---- Text. ----

TEST(Ir, IsPrintedForPeople) {
  Function f;
  for (int n = 0; n < 5; ++n) f.newBlock();
  Builder b(f);
  const Id x = f.argument({2, 4}), tid = f.special(isa::Special::Tid);
  const Predicate less = b.compare(Compare::Lt, tid, x);
  const Id word = b.load(isa::Space::Global, {.index = tid, .scaled = true, .offset = 4}, less);
  const Value sum = b.addWithCarry(word, f.constant(8, 1), Predicate::never());
  b.append({.op = Opcode::Pand, .guard = !less, .second = Predicate::never()});
  b.store(isa::Space::Shared, {.offset = 8, .is_generic = true}, sum.word, !less);
  b.store(isa::Space::Shared, {.offset = 8}, b.quotient(true, word, x), Predicate::always());
  b.unsupported("no", "");
  f.blocks[0].terminator = Terminator::Branch;
  f.blocks[0].condition = sum.flag;
  f.blocks[0].target = 1;
  f.blocks[0].other = 2;
  f.blocks[1].terminator = Terminator::Barrier;
  f.blocks[1].target = 2;
  f.blocks[2].terminator = Terminator::Jump;
  f.blocks[2].target = 4;
  f.blocks[3].terminator = Terminator::Trap;
  f.connect();
  const Id phi = f.add({.kind = Kind::Phi, .inputs = {{word}, {f.undefined()}}});
  const Id flag = f.add({.kind = Kind::FlagPhi, .inputs = {!less, Predicate::always()}});
  f.blocks[2].phis = {phi, flag};
  const auto name = [](Id id) { return fmt::format("%{}", id); };
  const std::string l = name(less.id), w = name(word), s = name(sum.word);
  const std::string text = print(f);
  const std::vector<std::string> lines = {
      "block 0: from \n",
      "  " + l + " = setp.lt tid, argument 2+4\n",
      "  " + w + " = mov [global 4 + tid*4] if " + l + " else undefined\n",
      "  " + s + " = add.carry " + w + ", 8@1\n",
      " = pand !" + l + ", never\n",
      " = st [generic 8], " + s + " if !" + l + "\n",
      " = div " + w + ", argument 2+4\n",
      "  branch " + s + " to 1 else 2\n",
      "block 1: from 0\n",
      "  barrier, then 2\n",
      "block 2: from 0, 1\n",
      "  " + name(phi) + " = phi " + w + " undefined\n",
      "  " + name(flag) + " = predicate phi !" + l + " always\n",
      "  jump 4\n",
      "  trap\n",
      "block 4: from 2\n",
      "  exit\n",
      " = st [shared 8], "};
  for (const std::string& line : lines) EXPECT_THAT(text, ::testing::HasSubstr(line));
}

TEST(Ir, EveryFunctionCanBePrinted) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Function f = testing::randomFunction(seed);
    std::size_t lines = 0;
    for (const BasicBlock& block : f.blocks) lines += 2 + block.phis.size() + block.body.size();
    const std::string text = print(f);
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), lines) << text;
  }
}

// ---- Values that are others, control flow. ----

TEST(Ir, AliasesOfThemselvesAreNone) {
  Function f;
  f.newBlock();
  Builder b(f);
  const Id x = b.append({.op = Opcode::Popc, .a = f.argument({0, 0})}).word;
  const Id y = b.append({.op = Opcode::Clz, .a = x}).word;
  Aliases aliases(f);
  aliases.set(x, x);
  aliases.set(x, Predicate{x});
  EXPECT_TRUE(aliases.empty());
  EXPECT_EQ(aliases.word(kNone), kNone);
  aliases.set(y, x);
  aliases.set(y, !Predicate{x});
  EXPECT_EQ(aliases.word(y), x);
  EXPECT_EQ(aliases.flag(!Predicate{y}), Predicate{x});
  EXPECT_EQ(aliases.flag(Predicate::never()), Predicate::never());
}

// Blocks in a row, and one that nothing leads to.
TEST(Ir, DominanceWhereNothingLeads) {
  Function f;
  for (int n = 0; n < 4; ++n) f.newBlock();
  for (int n = 0; n < 2; ++n) {
    f.blocks[static_cast<std::size_t>(n)].terminator = Terminator::Jump;
    f.blocks[static_cast<std::size_t>(n)].target = n + 1;
  }
  f.blocks[3].terminator = Terminator::Jump;
  f.blocks[3].target = 2;
  f.connect();
  const Dominators dominators(f);
  EXPECT_TRUE(dominators.dominates(0, 2));
  EXPECT_TRUE(dominators.dominates(1, 2));
  EXPECT_FALSE(dominators.dominates(2, 1));
  EXPECT_FALSE(dominators.dominates(3, 2));
  EXPECT_EQ(dominators.immediate(2), 1);
  EXPECT_EQ(dominators.immediate(3), -1);
  removeUnreachable(f);
  EXPECT_EQ(f.blocks.size(), 3u);
}

// What a jump to a block that only ends is; a ring of empty blocks leads nowhere.
TEST(Ir, EndsBehindEmptyBlocks) {
  Function f;
  for (int n = 0; n < 5; ++n) f.newBlock();
  const auto jump = [&](std::size_t from, int to) {
    f.blocks[from].terminator = Terminator::Jump;
    f.blocks[from].target = to;
  };
  jump(0, 1);
  f.blocks[1].terminator = Terminator::Trap;
  jump(2, 3);
  jump(3, 4);
  jump(4, 3);
  f.connect();
  EXPECT_EQ(endOf(f, 0).kind, End::Kind::Trap);
  f.blocks[1].terminator = Terminator::Exit;
  EXPECT_EQ(endOf(f, 0).kind, End::Kind::Exit);
  EXPECT_EQ(endOf(f, 2).kind, End::Kind::Jump);
  EXPECT_THAT(endOf(f, 2).target, ::testing::AnyOf(3, 4));
}

// ---- Operands. ----

TEST(Ir, OperandsOfOneSlot) {
  Function f;
  f.newBlock();
  Builder b(f);
  const Id far =
      b.append({.op = Opcode::Mad, .a = b.zero(), .b = f.argument({0, 0}), .c = f.argument({1, 0})})
          .word;
  EXPECT_FALSE(planOperands(f, f[far]).has_value());
  // An offset that the immediate field has no room for, and one that it has.
  const Id large = b.load(isa::Space::Global, {.index = f.argument({0, 0}), .offset = 0x8000});
  const Id small = b.load(isa::Space::Global, {.index = f.argument({0, 0}), .offset = 0x7fff});
  EXPECT_EQ(planOperands(f, f[large])->base, (PassedWord{true, 0x8000}));
  EXPECT_FALSE(planOperands(f, f[small])->base.has_value());
  EXPECT_EQ(planOperands(f, f[small])->immediate, 0x7fffu);
  // One of the operands has to stand in the field: the offset costs a parameter word, they none.
  const Id both = b.append({.op = Opcode::Add,
                            .a = b.constant(7),
                            .b = f.argument({0, 0}),
                            .memory = {.space = isa::Space::Global, .offset = 1}})
                      .word;
  EXPECT_EQ(planOperands(f, f[both])->immediate, 7u);
  EXPECT_EQ(planOperands(f, f[both])->base, (PassedWord{true, 1}));
  legalise(f);
  for (const Id id : f.blocks[0].body) EXPECT_TRUE(planOperands(f, f[id]).has_value()) << id;
  EXPECT_EQ(f[f.blocks[0].body[0]].op, Opcode::Mov);
  EXPECT_EQ(f[f.blocks[0].body[0]].b, f.argument({0, 0}));  // not the 0 before it
}

TEST(Ir, MemoryThatMayBeTheSame) {
  Function f;
  const auto access = [&](Id index, bool scaled, int offset, int object = kNoObject) {
    return Instruction{
        .op = Opcode::Mov,
        .b = index,
        .memory = {
            .space = isa::Space::Global, .scaled = scaled, .object = object, .offset = offset}};
  };
  const Id x = f.argument({0, 0}), y = f.argument({1, 0});
  EXPECT_TRUE(mustKeepOrder(f, access(x, true, 4), access(x, true, 4)));
  EXPECT_FALSE(mustKeepOrder(f, access(x, true, 4), access(x, true, 8)));
  EXPECT_TRUE(mustKeepOrder(f, access(x, true, 4), access(x, true, 7)));
  EXPECT_TRUE(mustKeepOrder(f, access(x, true, 4), access(x, false, 8)));
  EXPECT_TRUE(mustKeepOrder(f, access(x, true, 4), access(y, true, 8)));
  EXPECT_FALSE(mustKeepOrder(f, access(kNone, true, 4), access(kNone, false, 8)));
  EXPECT_FALSE(mustKeepOrder(f, access(x, true, 4, 1), access(y, true, 4, 2)));
  EXPECT_TRUE(mustKeepOrder(f, access(x, true, 4, 1), access(y, true, 4, 1)));
}

TEST(Ir, PositionsOfWhatCameLater) {
  Function f;
  f.newBlock();
  Builder b(f);
  const Id x = b.append({.op = Opcode::Popc, .a = f.argument({0, 0})}).word;
  const Dependences order(f, 0, true);
  EXPECT_EQ(order.position(x), 0);
  EXPECT_EQ(order.position(b.append({.op = Opcode::Popc, .a = x}).word), -1);
}

// ---- Passes over functions made by hand. ----

// x in block 0, read in block 1; both as an operand and twice in one operation.
TEST(Ir, ValuesMadeAgainWhereTheyAreRead) {
  Function f;
  f.newBlock();
  f.newBlock();
  Builder b(f);
  const Id tid = f.special(isa::Special::Tid), x = b.add(tid, b.constant(1000));
  const Id other = b.unary(Opcode::Popc, x);
  f.blocks[0].terminator = Terminator::Jump;
  f.blocks[0].target = 1;
  f.connect();
  b.setBlock(1);
  b.store(isa::Space::Global, {.offset = 4},
          b.append({.op = Opcode::Xor, .a = x, .b = other}).word);
  b.store(isa::Space::Global, {.offset = 8},
          b.append({.op = Opcode::Mad, .a = x, .b = x, .c = other}).word);
  const FunctionInput input{.global = {0, 0}};
  const auto before = runFunction(f, input);
  EXPECT_TRUE(isRematerialisable(f, {x}));
  EXPECT_FALSE(isRematerialisable(f, {other}));
  EXPECT_FALSE(isRematerialisable(f, {x, other}));
  rematerialise(f, x);
  EXPECT_EQ(runFunction(f, input), before);
  for (const Id id : f.blocks[1].body)
    for (const Id operand : wordOperands(std::as_const(f[id]))) EXPECT_NE(operand, x);
}

// A word that is put into memory and read both where it is made and in the block behind: two words
// of output, and how many loads and stores it costs.
struct SpilledWord {
  Function f;
  Id original = kNone, copy = kNone;

  SpilledWord() {
    f.newBlock();
    f.newBlock();
    Builder b(f);
    original = b.unary(Opcode::Popc, f.argument({0, 0}));
    copy = b.append({.op = Opcode::Mov, .b = original}).word;
    b.store(isa::Space::Global, {.offset = 4},
            b.append({.op = Opcode::Xor, .a = copy, .b = b.constant(5)}).word);
    f.blocks[0].terminator = Terminator::Jump;
    f.blocks[0].target = 1;
    f.connect();
    b.setBlock(1);
    b.store(isa::Space::Global, {.offset = 8}, original);
  }
  int spill(Id word) {
    return spillWords(f, {word}, {.space = isa::Space::Global, .scaled = true, .offset = 12});
  }
  std::vector<std::uint32_t> output() const {
    auto words = runFunction(f, {.arguments = {7}, .global = {0, 0, 0}}).global;
    words.resize(2);
    return words;
  }
};

TEST(Ir, WordsPutIntoMemoryAreLoadedWhereTheyWereNotMade) {
  SpilledWord word;
  const auto before = word.output();
  EXPECT_EQ(before, (std::vector<std::uint32_t>{3 ^ 5, 3}));
  EXPECT_EQ(word.spill(word.original), 2);  // stored in the first block, loaded in the second
  EXPECT_EQ(word.output(), before);
}

TEST(Ir, CopiesThatAreReadStayWhenTheyArePutIntoMemory) {
  SpilledWord word;
  const auto before = word.output();
  EXPECT_EQ(word.spill(word.copy), 1);
  EXPECT_EQ(word.output(), before);
}

// A quotient stands in the block of its division.
TEST(Ir, FewestBlocksOfADivision) {
  Function f;
  f.newBlock();
  Builder b(f);
  b.store(isa::Space::Global, {.offset = 4},
          b.quotient(false, f.argument({0, 0}), f.argument({1, 0})));
  EXPECT_EQ(fewestBlocks(f), 2);
}

// Two phis that take the same are one.
TEST(Ir, EqualPhis) {
  Function f;
  for (int n = 0; n < 4; ++n) f.newBlock();
  Builder b(f);
  const Id x = f.argument({0, 0}), y = f.argument({1, 0});
  f.blocks[0].condition = b.compare(Compare::Lt, x, y);
  f.blocks[0].terminator = Terminator::Branch;
  f.blocks[0].target = 1;
  f.blocks[0].other = 2;
  std::vector<Predicate> inputs;
  for (const int side : {1, 2}) {
    b.setBlock(side);
    inputs.push_back({b.add(x, b.constant(static_cast<std::uint32_t>(side)))});
    f.blocks[static_cast<std::size_t>(side)].terminator = Terminator::Jump;
    f.blocks[static_cast<std::size_t>(side)].target = 3;
  }
  f.connect();
  for (int n = 0; n < 2; ++n) {
    const Id phi = f.add({.kind = Kind::Phi, .inputs = inputs});
    f.blocks[3].phis.push_back(phi);
    b.setBlock(3);
    b.store(isa::Space::Global, {.offset = 4 * (n + 1)}, phi);
  }
  const FunctionInput input{.arguments = {3, 4}, .global = {0, 0}};
  const auto before = runFunction(f, input);
  EXPECT_EQ(before.global, (std::vector<std::uint32_t>{4, 4}));
  simplify(f);
  EXPECT_EQ(f.blocks[3].phis.size(), 1u);
  EXPECT_EQ(runFunction(f, input), before);
}

// A difference and its comparison with 0 or with what it subtracts are one operation.
TEST(Ir, ComparisonsOfDifferences) {
  for (const int kind : {0, 1, 2, 3}) {
    Function f;
    f.newBlock();
    Builder b(f);
    const Id x = b.unary(Opcode::Popc, f.argument({0, 0}));
    const Id y = b.unary(Opcode::Clz, f.argument({1, 0}));
    Instruction difference{.op = Opcode::Sub, .a = x, .b = y};
    if (kind == 1) difference = {.op = Opcode::Add, .a = x, .b = b.constant(0u - 8)};
    if (kind == 2)
      difference = {.op = Opcode::Add, .compare = Compare::Carry, .a = x, .b = b.constant(0u - 8)};
    const Id d = b.append(difference).word;
    const Instruction test =
        kind == 3 ? Instruction{.op = Opcode::Setp, .compare = Compare::Lt, .a = x, .b = y}
                  : Instruction{.op = Opcode::Setp, .compare = Compare::Eq, .a = d, .b = b.zero()};
    const Predicate p = b.append(test).flag;
    b.store(isa::Space::Global, {.offset = 4}, d);
    b.store(isa::Space::Global, {.offset = 8}, b.fromPredicate(p));
    const std::size_t before_size = f.blocks[0].body.size();
    for (const std::uint32_t word : {0xffu, 0x0fu, 0x00u}) {
      Function combined = f;
      const FunctionInput input{.arguments = {word, 0x00ffffff}, .global = {0, 0}};
      const auto before = runFunction(combined, input);
      combine(combined);
      EXPECT_EQ(runFunction(combined, input), before) << kind << print(combined);
      EXPECT_EQ(combined.blocks[0].body.size(), before_size - (kind == 2 ? 0 : 1)) << kind;
    }
  }
}

// A branch both of whose ways lead to one place is left as it is.
TEST(Ir, BranchesThatLeadToOnePlace) {
  Function f;
  for (int n = 0; n < 3; ++n) f.newBlock();
  Builder b(f);
  const Id x = f.argument({0, 0}), y = f.argument({1, 0});
  f.blocks[0].condition = b.compare(Compare::Lt, x, y);
  f.blocks[0].terminator = Terminator::Branch;
  f.blocks[0].target = f.blocks[0].other = 1;
  f.blocks[1].terminator = Terminator::Jump;
  f.blocks[1].target = 2;
  f.connect();
  const Id phi = f.add({.kind = Kind::Phi, .inputs = {{b.constant(5)}, {b.constant(6)}}});
  f.blocks[1].phis.push_back(phi);
  b.setBlock(2);
  b.store(isa::Space::Global, {.offset = 4}, phi);
  for (const std::uint32_t first : {3u, 9u}) {
    Function converted = f;
    const FunctionInput input{.arguments = {first, 7}, .global = {0}};
    const auto before = runFunction(f, input);
    EXPECT_EQ(before.global[0], first < 7 ? 5u : 6u);
    guardExits(converted);
    EXPECT_EQ(runFunction(converted, input), before) << print(converted);
  }
}

}  // namespace
}  // namespace qgpu::lower
