// Headers, variables, functions, scopes, source lines.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ptx/testing.h"
#include "interpreter/base/files.h"

namespace qgpu::ptx {
namespace {

constexpr std::string_view kHeader = ".version 8.8\n.target sm_90\n.address_size 64\n";

Module module(std::string_view text) {
  const auto parsed = parse(std::string(kHeader) + std::string(text), "test.ptx");
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  return *parsed;
}

Module testdata(std::string_view name) {
  const auto text = readFile(testdataFolder() / name);
  const auto parsed = parse(text.value_or(""), std::string(name));
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  return *parsed;
}

TEST(ParseModule, ReadsTheHeader) {
  const auto m = parse(".version 6.10 .target sm_75, debug .address_size 64", "x");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->version_major, 6);
  EXPECT_EQ(m->version_minor, 10);
  EXPECT_THAT(m->targets, testing::ElementsAre("sm_75", "debug"));
  EXPECT_EQ(m->address_size, 64);
  EXPECT_EQ(parse(".version 1.4 .target sm_10", "x")->address_size, 32);
}

TEST(ParseModule, ReadsVariables) {
  const Module m = module(
      ".visible .global .align 8 .b32 a[2][3]; .const .u8 b, c = 7; .shared .v2 .f32 d;"
      ".extern .shared .align 16 .b8 e[]; .global .attribute(.managed) .u64 f;");
  ASSERT_EQ(m.variables.size(), 6u);
  const Variable& a = m.variables[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.linkage, Linkage::Visible);
  EXPECT_EQ(a.space, Space::Global);
  EXPECT_EQ(a.alignment, 8);
  EXPECT_THAT(a.dimensions, testing::ElementsAre(2, 3));
  EXPECT_EQ(a.size, 24u);
  EXPECT_EQ(m.variables[1].alignment, 1);
  EXPECT_THAT(m.variables[2].initial, testing::ElementsAre(7));
  EXPECT_EQ(m.variables[3].size, 8u);
  EXPECT_EQ(m.variables[3].alignment, 8);
  EXPECT_EQ(m.variables[4].size, 0u);
  EXPECT_TRUE(m.variables[5].managed);
}

TEST(ParseModule, PlacesInitialValues) {
  const Module m = module(
      ".global .u16 a[2][3] = {{1, 2}, {-1}}; .global .f32 b[2] = {1.5, 0f40000000};"
      ".global .u8 c[] = {300, 1}; .global .f64 d = 1.0; .const .b32 e = 0f3F800000;");
  ASSERT_EQ(m.variables.size(), 5u);
  EXPECT_THAT(m.variables[0].initial, testing::ElementsAre(1, 0, 2, 0, 0, 0, 255, 255));
  EXPECT_THAT(m.variables[1].initial, testing::ElementsAre(0, 0, 0xC0, 0x3F, 0, 0, 0, 0x40));
  EXPECT_THAT(m.variables[2].initial, testing::ElementsAre(44, 1));
  EXPECT_THAT(m.variables[2].dimensions, testing::ElementsAre(2));
  EXPECT_THAT(m.variables[3].initial, testing::ElementsAre(0, 0, 0, 0, 0, 0, 0xF0, 0x3F));
  EXPECT_THAT(m.variables[4].initial, testing::ElementsAre(0, 0, 0x80, 0x3F));
}

TEST(ParseModule, KeepsAddressesInInitialValues) {
  const Module m = module(
      ".global .u32 t[4]; .global .u64 p[3] = {0, t+8, generic(t)}; .global .u8 q[2] = {1, "
      "0xFF00(t)};");
  ASSERT_EQ(m.variables.size(), 3u);
  const auto& p = m.variables[1].relocations;
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[0].offset, 8u);
  EXPECT_EQ(p[0].addend, 8);
  EXPECT_EQ(p[0].size, 8);
  EXPECT_EQ(p[0].symbol, (SymbolRef{SymbolRef::Kind::ModuleVariable, 0}));
  EXPECT_TRUE(p[1].generic);
  const auto& q = m.variables[2].relocations;
  ASSERT_EQ(q.size(), 1u);
  EXPECT_EQ(q[0].shift, 8);
  EXPECT_EQ(q[0].size, 1);
}

TEST(ParseModule, ReadsKernelParameters) {
  const Module m = module(
      ".entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr b, .param .align 8 .b8 "
      "c[12]) {}");
  const Function& k = m.functions.at(0);
  EXPECT_TRUE(k.is_entry);
  EXPECT_TRUE(k.has_body);
  ASSERT_EQ(k.parameters.size(), 3u);
  EXPECT_TRUE(k.parameters[0].is_pointer);
  EXPECT_EQ(k.parameters[0].pointer, (PointerAttributes{Space::Global, 4}));
  EXPECT_EQ(k.parameters[1].pointer.space, Space::None);
  EXPECT_EQ(k.parameters[2].size, 12u);
  EXPECT_EQ(k.parameters[2].alignment, 8);
}

TEST(ParseModule, ReadsDirectives) {
  const Module m = module(
      ".entry k() .maxntid 32, 2 .minnctapersm 3 .maxnreg 40 .pragma \"nounroll\"; { .pragma "
      "\"x\"; ret; }");
  const Function& k = m.functions.at(0);
  ASSERT_EQ(k.directives.size(), 4u);
  EXPECT_EQ(k.directives[0].kind, Directive::Kind::Maxntid);
  EXPECT_THAT(k.directives[0].values, testing::ElementsAre(32, 2));
  EXPECT_EQ(k.directives[3].text, "nounroll");
  ASSERT_EQ(k.pragmas.size(), 1u);
  EXPECT_EQ(k.pragmas[0].instruction, 0u);
}

TEST(ParseModule, ReadsLinkageAndTargets) {
  EXPECT_EQ(module(".weak .global .u32 w;").variables.at(0).linkage, Linkage::Weak);
  EXPECT_EQ(module(".common .global .u32 w;").variables.at(0).linkage, Linkage::Common);
  EXPECT_EQ(module(".extern .global .u32 w;").variables.at(0).linkage, Linkage::Extern);
  EXPECT_EQ(module(".global .u32 w;").variables.at(0).linkage, Linkage::None);
  EXPECT_TRUE(parse(".version 8.8 .target sm_90a .address_size 64", "x"));
  EXPECT_FALSE(parse(".version 8.8 .target sm_90b .address_size 64", "x"));
}

// What differs in one thing is another module, and what is printed is the same.
TEST(ParseModule, IsComparedByAllItHas) {
  const std::string_view texts[] = {
      ".entry k() { ret; }",
      ".entry l() { ret; }",
      ".func k() { ret; }",
      ".func k();",
      ".visible .entry k() { ret; }",
      ".entry k(.param .u32 a) { ret; }",
      ".func (.param .u32 r) k() { ret; }",
      ".entry k() .maxntid 3 { ret; }",
      ".entry k() { .reg .b32 %r<2>; mov.b32 %r0, %r1; ret; }",
      ".entry k() { .reg .b32 %r01; mov.b32 %r01, 5; ret; }",
      ".entry k() { .reg .u32 %r<2>; mov.b32 %r0, %r1; ret; }",
      ".entry k() { .shared .u32 s; ret; }",
      ".entry k() { on: ret; }",
      ".entry k() { .pragma \"nounroll\"; ret; }",
      ".entry k() { exit; }",
      ".entry k(.param .u64 a) { ret; }",
      ".entry k(.param .u64 .ptr a) { ret; }",
      ".entry k(.param .u64 .ptr .global a) { ret; }",
      ".entry k(.param .u64 .ptr .align 8 a) { ret; }",
      ".global .u32 k;",
      ".visible .global .u32 k;",
      ".global .align 8 .u32 k;",
      ".global .u32 k[2];",
      ".global .u32 k = 1;",
      ".global .v2 .u32 k;",
      ".global .s32 k;",
      ".const .u32 k;",
      ".global .attribute(.managed) .u32 k;",
      ".global .u8 l; .global .u64 k = l;",
      ".global .u8 l; .global .u64 k = generic(l);",
  };
  for (const std::string_view x : texts)
    for (const std::string_view y : texts) EXPECT_EQ(module(x) == module(y), x == y) << x << y;
  for (const std::string_view x : texts) {
    const auto again = parse(print(module(x)), "printed.ptx");
    ASSERT_TRUE(again.has_value()) << print(module(x));
    EXPECT_EQ(*again, module(x)) << x;
  }
}

TEST(ParseModule, RegistersCostOnlyTheirUse) {
  const Module m =
      module(".entry k() { .reg .b32 %r<1000000>, x; mov.b32 %r999999, %r007; mov.b32 %r7, 1; }");
  const Function& k = m.functions.at(0);
  ASSERT_EQ(k.registers.size(), 2u);
  EXPECT_EQ(k.registers[0].name, "%r999999");
  EXPECT_EQ(k.registers[1].name, "%r7");
}

TEST(ParseModule, PrototypeAndDefinitionAreOneFunction) {
  const Module m = module(".func f(.param .b32 a); .entry k() {} .func f(.param .b32 a) { ret; }");
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_EQ(m.functions[0].name, "f");
  EXPECT_TRUE(m.functions[0].has_body);
}

TEST(ParseModule, RegisterParametersAreRegisters) {
  const Module m = testdata("calls.ptx");
  ASSERT_GE(m.functions.size(), 2u);
  const Function& twice = m.functions[1];
  EXPECT_EQ(twice.name, "twice");
  EXPECT_EQ(twice.registers[twice.parameters[0].reg].name, "a");
  EXPECT_EQ(twice.registers[twice.results[0].reg].name, "r");
}

TEST(ParseModule, NamesAreUniqueAfterScopes) {
  const Function k = testdata("scopes.ptx").functions.at(0);
  std::set<std::string> names;
  for (const RegisterInfo& r : k.registers) EXPECT_TRUE(names.insert(r.name).second) << r.name;
  for (const LabelInfo& l : k.labels) EXPECT_TRUE(names.insert(l.name).second) << l.name;
  for (const Variable& v : k.variables) EXPECT_TRUE(names.insert(v.name).second) << v.name;
  EXPECT_FALSE(names.contains("total"));  // hides the module's variable, so it was renamed
  // `@p bra again` in the inner scope means the label that follows it there.
  const auto branch = std::find_if(k.body.begin(), k.body.end(),
                                   [](const Instruction& i) { return i.opcode == Opcode::Bra; });
  const LabelInfo& target = k.labels[std::get<LabelRef>(branch->operands[0].value).id];
  EXPECT_GT(target.instruction, static_cast<std::uint32_t>(branch - k.body.begin()));
}

TEST(ParseModule, FollowsSourceLines) {
  const Module m = testdata("debug_info.ptx");
  const Function& k = m.functions.at(0);
  ASSERT_EQ(k.body.size(), 6u);
  const auto at = [&](std::size_t i) { return m.locate(k.body[i]).text(); };
  EXPECT_EQ(at(0), "/home/someone/kernel.cu:10");
  EXPECT_EQ(at(1), "/home/someone/kernel.cu:11:5");
  EXPECT_EQ(at(2), "/home/someone/kernel.cu:12:9");  // inlined once
  EXPECT_EQ(at(3), "/home/someone/kernel.cu:12:9");  // inlined twice
  EXPECT_EQ(at(4), "/home/someone/kernel.cu:13:3");
  const SourceLine& inner = m.sources[k.body[3].source];
  EXPECT_EQ(inner.function_name, "cube");
  EXPECT_EQ(inner.line, 40);
  EXPECT_EQ(m.sources[inner.inlined_at].function_name, "squar");
  EXPECT_EQ(m.sources[inner.inlined_at].line, 31);
  EXPECT_EQ(m.files[1].name, "/home/someone/caf\303\251.cuh");
}

TEST(ParseModule, ReadsEscapesInFileNames) {
  const auto name = [](std::string_view written) {
    const Module m = module(".file 1 \"" + std::string(written) + "\"\n");
    return m.files.empty() ? "" : m.files[0].name;
  };
  EXPECT_EQ(name(R"(a\\b)"), R"(a\b)");
  EXPECT_EQ(name(R"(a\b)"), R"(a\b)");
  EXPECT_EQ(name(R"(\101\12)"), R"(A\12)");
  EXPECT_EQ(name("a\\"), "a\\");
  EXPECT_EQ(name(R"(\10/\18)"), R"(\10/\18)");
}

TEST(ParseModule, HeadersDistinguishModules) {
  const std::string_view texts[] = {
      ".version 8.7 .target sm_90 .address_size 64", ".version 8.8 .target sm_90 .address_size 64",
      ".version 7.8 .target sm_90 .address_size 64", ".version 8.8 .target sm_75 .address_size 64",
      ".version 8.8 .target sm_90 .address_size 32"};
  for (const std::string_view x : texts)
    for (const std::string_view y : texts)
      EXPECT_EQ(*parse(x, "k.ptx") == *parse(y, "k.ptx"), x == y) << x << y;
}

TEST(ParseModule, PrototypesMayTakeAndGiveNothing) {
  for (const char* const prototype : {"_", "_ ()", "() _ ()", "_ .noreturn"})
    EXPECT_EQ(module(".entry k() { .reg .b64 d; P: .callprototype " + std::string(prototype) +
                     "; call d, P; }")
                  .functions.size(),
              1u)
        << prototype;
}

TEST(ParseModule, AnInnerRegisterHidesTheRangeOfAnOuterOne) {
  EXPECT_EQ(module(".entry k() { .reg .b32 %r<5>; { .reg .pred %r1; setp.lt.s32 %r1, %r2, 5; } }")
                .functions.at(0)
                .body.size(),
            1u);
}

TEST(ParseModule, IndirectCallsTakeLiterals) {
  for (const char* const table :
       {".calltargets f", ".callprototype (.param .b32 _) _ (.param .b32 _)"})
    EXPECT_EQ(
        module(".func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry k() { .reg .b64 d; .param "
               ".b32 x; T: " +
               std::string(table) + "; call (x), d, (5), T; }")
            .functions.size(),
        2u);
}

TEST(ParseModule, PragmasOfTheFileAreLeftOut) {
  EXPECT_EQ(module(".pragma \"a\", \"b\"; .entry k() { ret; }").functions.size(), 1u);
}

TEST(ParseModule, LocatesInThePtxWithoutSourceLines) {
  const Module m = module(".entry k() {\n ret; }");
  EXPECT_EQ(m.locate(m.functions[0].body[0]).text(), "test.ptx:5:2");
}

TEST(ParseModule, FailuresNameTheSourceLine) {
  const auto m = parse(
      std::string(kHeader) + ".entry k() {\n.loc 1 12 5\nadd.u32 %r1, 1, 2;\n}\n.file 1 \"k.cu\"\n",
      "k.ptx");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().location, (Location{"k.ptx", 6, 9}));
  EXPECT_EQ(m.error().message, "`%r1` is not declared (from k.cu:12:5)");
}

TEST(ParseModule, MissingLabelsNameTheBranchsLine) {
  const auto m = parse(std::string(kHeader) +
                           ".file 1 \"k.cu\"\n.entry k() {\n.loc 1 2 3\nbra L;\n.loc 1 4 5\nret; }",
                       "k.ptx");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().message, "no label `L` in this function (from k.cu:2:3)");
}

TEST(ParseModule, NamesUnresolvedCalls) {
  const Module m = testdata("vprintf.ptx");
  const auto resolved = requireResolved(m, m.functions.at(1));
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().text(),
            "printing.cu:7:41: error: call of printf, which has no body; write the values to an "
            "array and "
            "look at them after the launch");
  const Module calls = testdata("calls.ptx");
  EXPECT_TRUE(requireResolved(calls, calls.functions.at(3)));
}

TEST(ParseModule, FindsUnresolvedCallsBehindOthers) {
  const Module m = module(
      ".extern .func far(); .func f(); .func g() { call f; ret; } .func f() { call g; call far; "
      "ret; }"
      ".entry k() { call g; ret; }");
  ASSERT_EQ(m.functions.size(), 4u);
  const auto resolved = requireResolved(m, m.functions[3]);
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().message, "call of far, which has no body");
}

}  // namespace
}  // namespace qgpu::ptx
