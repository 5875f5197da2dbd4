#include "compiler/ptx/form.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ptx/manual.h"
#include "compiler/ptx/match.h"
#include "compiler/ptx/special.h"
#include "compiler/ptx/suggest.h"

namespace qgpu::ptx {
namespace {

TEST(Form, EveryOpcodeHasAForm) {
  for (int i = 0; i < kOpcodes; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_FALSE(formsOf(opcode).empty()) << spelling(opcode);
    for (const Form& form : formsOf(opcode)) EXPECT_EQ(form.opcode, opcode);
  }
}

TEST(Form, NoTwoRowsAreAlike) {
  std::set<std::tuple<Opcode, std::string_view, std::string_view>> rows;
  for (const Form& form : forms()) {
    EXPECT_TRUE(rows.emplace(form.opcode, form.modifier_text, form.operand_text).second)
        << describe(form);
  }
}

TEST(Form, OpcodesAreFoundByName) {
  for (int i = 0; i < kOpcodes; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const OpcodeName found = findOpcode(spelling(opcode));
    EXPECT_EQ(found.kind, OpcodeName::Kind::Known);
    EXPECT_EQ(found.opcode, opcode);
  }
  EXPECT_EQ(findOpcode("wmma").kind, OpcodeName::Kind::Family);
  EXPECT_EQ(findOpcode("tex").family, "textures");
  EXPECT_EQ(findOpcode("Add").kind, OpcodeName::Kind::Unknown);
}

TEST(Form, AWordMayMeanSeveralThings) {
  const Modifier* modifier = findModifier("and");
  ASSERT_NE(modifier, nullptr);
  EXPECT_EQ(modifier->count, 2);  // Boolean and Operation
  EXPECT_TRUE(findModifier("u32")->is_type);
  EXPECT_EQ(findModifier("none"), nullptr);
  EXPECT_EQ(findModifier(""), nullptr);
}

TEST(Form, ModifiersSurviveTheInstruction) {
  ModifierSet set;
  for (int f = 0; f < kFields; ++f)
    set.values[static_cast<std::size_t>(f)] = static_cast<std::uint8_t>(f % 3);
  set.flags.set(Flag::Saturate);
  set.flags.set(Flag::Pack);
  Instruction instruction;
  setModifiers(instruction, set);
  EXPECT_EQ(modifiersOf(instruction).values, set.values);
  EXPECT_EQ(modifiersOf(instruction).flags, set.flags);
}

TEST(Form, IsDescribedAsItIsWritten) {
  const auto described = [](Opcode opcode) {
    std::vector<std::string> texts;
    for (const Form& form : formsOf(opcode)) texts.push_back(describe(form));
    return texts;
  };
  EXPECT_THAT(described(Opcode::Shf),
              testing::ElementsAre("shf.{l,r}.{wrap,clamp}.b32 d, a, b, c"));
  EXPECT_THAT(described(Opcode::Bra), testing::ElementsAre("bra[.uni] label"));
  EXPECT_THAT(described(Opcode::Mul24), testing::ElementsAre("mul24.{lo,hi}.{u32,s32} d, a, b"));
  EXPECT_THAT(described(Opcode::Redux), testing::Contains("redux.sync.{and,or,xor}.b32 d, a, b"));
}

TEST(Form, TheManualListsEveryFormAndFamily) {
  const std::string page = manualPage();
  for (const Form& form : forms()) {
    if (form.opcode == Opcode::Call) continue;
    EXPECT_THAT(page, testing::HasSubstr(describe(form) + "\n"));
  }
  EXPECT_THAT(page, testing::HasSubstr("- textures: `tex tld4"));
}

TEST(Form, RegistersFitByWidthAndKind) {
  EXPECT_TRUE(fits(Type::U32, Type::S32, false));
  EXPECT_TRUE(fits(Type::B32, Type::F32, false));
  EXPECT_TRUE(fits(Type::F32, Type::B32, false));
  EXPECT_FALSE(fits(Type::F32, Type::U32, false));
  EXPECT_FALSE(fits(Type::U32, Type::F32, false));
  EXPECT_FALSE(fits(Type::U64, Type::U32, false));
  EXPECT_TRUE(fits(Type::U64, Type::U8, true));
  EXPECT_FALSE(fits(Type::U16, Type::U32, true));
  EXPECT_FALSE(fits(Type::F64, Type::F32, true));
  EXPECT_TRUE(fits(Type::B64, Type::F32, true));
  EXPECT_TRUE(fits(Type::Pred, Type::Pred, false));
  EXPECT_FALSE(fits(Type::B8, Type::Pred, true));
}

TEST(Special, AllAreFoundByTheirSpelling) {
  for (const char* name :
       {"%tid", "%laneid", "%clock64", "%envreg0", "%envreg31", "%pm7", "%pm0_64", "%lanemask_lt",
        "%reserved_smem_offset_cap", "%reserved_smem_offset_1"}) {
    const auto special = findSpecial(name);
    ASSERT_TRUE(special) << name;
    EXPECT_EQ(spelling(*special), name);
  }
  for (const char* name : {"tid", "%tidx", "%envreg32", "%envreg", "%pm8", "%pm", "%"}) {
    EXPECT_FALSE(findSpecial(name)) << name;
  }
}

TEST(Describe, LongListsOfModifiersAreCutShort) {
  bool found = false;
  for (const Form& form : forms())
    found = found || describe(form).find(",...}") != std::string::npos;
  EXPECT_TRUE(found);
}

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(suggestOpcode("addd"), "did you mean `add`?");
  EXPECT_EQ(suggestOpcode("mda"), "did you mean `mad`?");
  EXPECT_EQ(suggestOpcode("shuffle"), "");
  constexpr std::string_view kNames[] = {"abs"};
  EXPECT_EQ(nearest("axx", kNames), "");  // of three letters two are wrong
  EXPECT_EQ(nearest("abxs", kNames), "abs");
  EXPECT_EQ(nearest("abxx", kNames), "abs");
  EXPECT_EQ(nearest("axxx", kNames), "");
  EXPECT_EQ(suggestOpcode(std::string(100000, 'x')), "");
  EXPECT_EQ(suggestDirective("glbal"), "did you mean `.global`?");
  EXPECT_EQ(suggestModifier("u23"), "did you mean `.u32`?");
}

}  // namespace
}  // namespace qgpu::ptx
