// What is refused: where the finger points and what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ptx/testing.h"

namespace qgpu::ptx {
namespace {

using testing::HasSubstr;

struct Refused {
  std::string_view text;
  Position position;  // of the fault; lines count within the text
  std::string_view message;
};

void expectRefused(const std::string& text, const Refused& refused, int first_line) {
  const auto module = parse(text, "k.ptx");
  ASSERT_FALSE(module) << refused.text;
  const Failure& failure = module.error();
  EXPECT_EQ(failure.kind, FailureKind::Refusal);
  EXPECT_EQ(failure.location.file, "k.ptx");
  EXPECT_EQ(failure.location.line - first_line + 1, refused.position.line)
      << refused.text << failure.text();
  EXPECT_EQ(failure.location.column, refused.position.column) << refused.text << failure.text();
  EXPECT_THAT(failure.text(), HasSubstr(refused.message)) << refused.text;
}

// Inside a kernel's body.
TEST(Refuse, Instructions) {
  constexpr Refused kCases[] = {
      {"addd.u32 %r1, %r2, 1;", {1, 1}, "unknown instruction `addd`; did you mean `add`?"},
      {"tex.2d.v4.f32.s32 {%f1}, [t];", {1, 1}, "`tex`: textures are not supported"},
      {"mma.sync.aligned.m8n8k4 %r1;", {1, 1}, "`mma`: matrix units are not supported"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 4;", {1, 1}, "asynchronous copies"},
      {"add.u33 %r1, %r2, 1;", {1, 4}, "unknown modifier `.u33`; did you mean `.u32`?"},
      {"add.sat.u32 %r1, %r2, 1;", {1, 8}, "`add.sat.u32`: `.u32` does not belong there"},
      {"mul.s32 %r1, %r2, 1;", {1, 1}, "`mul.s32` lacks a modifier"},
      {"mul.s32.lo %r1, %r2, 1;", {1, 8}, "`.lo` does not belong there"},
      {"ld.relaxed.global.u32 %r1, [%rd1];", {1, 1}, "lacks a modifier"},
      {"setp.lo.s32 %p1, %r1, %r2;", {1, 8}, "`.s32` does not belong there"},
      {"add.u32 %r1, %r2;", {1, 1}, "`add.u32` needs more operands; it is written add."},
      {"add.u32 %r1, %r2, %r3, %r4;", {1, 24}, "has too many operands"},
      {"add.u32 %f1, %r2, 1;", {1, 9}, "needs a register of 32 bits for .u32 here, not %f1 (.f32)"},
      {"add.u32 %r1, %rd2, 1;", {1, 14}, "not %rd2 (.b64)"},
      {"add.u32 5, %r2, 1;", {1, 9}, "a constant"},
      {"add.u32 %r1, %r2, 1.5;", {1, 19}, "a float"},
      {"mov.f32 %f1, 1;", {1, 14}, "an integer"},
      {"add.u32 %r1, %tid.x, 1;",
       {1, 14},
       "cannot read %tid.x; copy it to a register with mov first"},
      {"mov.u32 %r1, %tid;", {1, 14}, "%tid has four components"},
      {"mov.u32 %r1, %clock64;", {1, 14}, "%clock64 has 64 bits"},
      {"mov.u32 %r1, %laneid.x;", {1, 21}, "no such component"},
      {".reg .v2 .u32 %v; mov.u32 %r1, %v.z;", {1, 32}, "`%v` has 2 components"},
      {"mov.v2.u32 {%r1, %r2}, %tid;", {1, 24}, "needs a vector of 2"},
      {"mov.b32 %r1, {%p1, %p2};", {1, 15}, "%p1 (.pred) cannot be part of a vector"},
      {"mov.b32 %r1, {!%p1, !%p2};", {1, 15}, "%p1 (.pred) cannot be part of a vector"},
      {"ld.global.L2::evict_last.u32 %r1, [%rd1];", {1, 1}, ".L2 eviction goes with .v8.b32"},
      {"mov.u32 %r1, %r2+4;", {1, 17}, "a register plus a constant is not an operand"},
      {"add.u32 %r1, p0, 1;", {1, 14}, "does not take a symbol"},
      {"mov.u32 %r1, nobody;", {1, 14}, "`nobody` is not declared"},
      {"mov.u32 %r1, %r10;", {1, 14}, "`%r10` is not declared; declare it with .reg"},
      {"not.b32 %r1, !%r2;", {1, 14}, "`!` applies to predicates"},
      {"bfe.u32 %r1, %r2, 0, 300;", {1, 22}, "300 is not in 0 to 255"},
      {"bar.sync 16;", {1, 10}, "16 is not in 0 to 15"},
      {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", {1, 30}, "an integer literal"},
      {"lop3.or.b32 %r1, %r2, %r3, %r4, 1, %p1;", {1, 13}, "needs two destinations"},
      {"setp.lt.s32 %p1, %r1, 5, %p2;", {1, 26}, "has too many operands"},
      {"setp.lt.and.s32 %p1, %r1, 5;", {1, 1}, "needs more operands"},
      {"setp.lt.s32 %p1|nobody, %r1, 5;", {1, 17}, "`nobody` is not declared"},
      {"setp.lt.s32 %p1|k, %r1, 5;", {1, 17}, "`k` is not a register of one value"},
      {"setp.lt.s32 %r1, %r1, 5;", {1, 13}, "needs a predicate here, not %r1 (.b32)"},
      {"cvt.sat.u32.u32 %r1, %r2;", {1, 1}, "never saturates"},
      {"ld.global.v2.u32 %r1, [%rd1];", {1, 18}, "needs a vector of 2"},
      {"ld.global.v2.u32 {%r1, %rd2}, [%rd1];", {1, 24}, "differ in width"},
      {"ld.global.v2.u32 {_, _}, [%rd1];", {1, 18}, "drops every element"},
      {"ld.global.v4.b128 {%r1, %r2, %r3, %r4}, [%rd1];", {1, 20}, "at least 128 bits"},
      {"mov.b64 %rd1, {%r1, %h2};", {1, 21}, "differ in width"},
      {"mov.b64 %rd1, {%h1, %h2};", {1, 15}, "2 parts of 16 bits do not make 64"},
      {"mov.b64 {_, _}, %rd1;", {1, 9}, "2 parts of 0 bits do not make 64"},
      {"@%p1 {", {1, 6}, "expected an instruction, not `{`"},
      {"@%r1 ret;", {1, 2}, "%r1 is .b32; a guard is a predicate"},
      {"@p1 ret;", {1, 2}, "is not a register of one value"},
      {"add.u32 %r1, %r2, 1", {2, 1}, "expected `;` at the end of an instruction, not `}`"},
      {"add.u32 %r1,, 1;", {1, 13}, "expected an operand, not `,`"},
      {"add.u32 %r1 %r2;", {1, 13}, "expected `;`"},
      {"mov.u32 %r1, (1;", {1, 16}, "expected `)`"},
      {"mov.u32 %r1, 1/0;", {1, 15}, "division by zero"},
      {"mov.u32 %r1, %%;", {1, 14}, "expected an operand, not `%`"},
      {"exit.uni;", {1, 5}, "`.uni` does not belong there"},
  };
  for (const Refused& c : kCases) expectRefused(kernel(c.text), c, kBodyLine);
}

TEST(Refuse, Addresses) {
  constexpr Refused kCases[] = {
      {"ld.global.u32 %r1, %rd1;", {1, 20}, "needs an address, not %rd1 (.b64)"},
      {"ld.global.u32 %r1, [%rd1-4];", {1, 25}, "write +-4 for -4"},
      {"ld.global.u32 %r1, [%f1];", {1, 20}, "%f1 is .f32 and cannot be an address"},
      {"ld.global.u32 %r1, [%r1];", {1, 20}, "%r1 has 32 bits, addresses here 64"},
      {"ld.global.u32 %r1, [16];", {1, 20}, "does not take a constant address"},
      {"ld.global.u32 %r1, [%tid.x];", {1, 21}, "a special register cannot be an address"},
      {"ld.global.u32 %r1, [p0];",
       {1, 20},
       "`p0` is in .param space; name .param in the instruction"},
      {"ld.global.u32 %r1, [%rd1+%r1];", {1, 26}, "expected a number"},
      {"ld.global.u32 %r1, [1.5];", {1, 21}, "an address is an integer"},
      {"ld.global.u32 %r1, [];", {1, 21}, "expected a number"},
      {"ld.global.u32 %r1, [%rd1;", {1, 25}, "expected `]` at the end of an address"},
      {"st.param.u32 [p1], %r1;", {1, 14}, "is a parameter and cannot be written"},
      {"ld.shared.u32 %r1, [k];", {1, 20}, "a function is not memory"},
      {".shared .u32 s; ld.global.u32 %r1, [s];", {1, 36}, "`s` is in .shared space"},
      {".shared .u32 s; mov.u64 %rd1, s[1];", {1, 32}, "array indexing is not supported"},
      {"st.const.u32 [%rd1], %r1;", {1, 3}, "`.const` does not belong there"},
      {"cvta.global.u32 %r1, %r2;", {1, 1}, "not that of this file's addresses"},
  };
  for (const Refused& c : kCases) expectRefused(kernel(c.text), c, kBodyLine);
}

TEST(Refuse, LabelsScopesAndCalls) {
  constexpr Refused kCases[] = {
      {"bra nowhere;", {1, 5}, "no label `nowhere` in this function"},
      {"bra inner; { inner: ret; }", {1, 5}, "no label `inner`"},
      {"bra %r1;", {1, 5}, "`%r1` is not a label"},
      {"L: L: ret;", {1, 4}, "`L` is declared already"},
      {"x: .reg .b32 x;", {1, 14}, "`x` is declared already"},
      {".reg .b32 x; x: ret;", {1, 14}, "`x` is declared already"},
      {".reg .b32 y, y;", {1, 14}, "`y` is declared already"},
      {".reg .b32 %r1; mov.b32 %r1, 1;", {1, 24}, "declared twice, alone and by a range"},
      {".reg .b32 %r<4>;", {1, 11}, "`%r` is declared already"},
      {".reg .b32 z[4];", {1, 12}, "registers cannot form an array"},
      {".reg .b32 %q<1073741825>;", {1, 14}, "too large"},
      {"mov.u64 %rd1, L; L:", {1, 15}, "`L` is not declared"},
      {"L: mov.u64 %rd1, L;", {1, 18}, "`L` is a label, which has no value"},
      {"brx.idx %r1, L; L:", {1, 14}, "`L` is not a list of targets"},
      {"call nobody;", {1, 6}, "`nobody` is not declared"},
      {"call k;", {1, 6}, "call needs a device function (.func)"},
      {"call %rd1;", {1, 6}, "call needs a function, or a register and a table"},
      {".local .u8 l[]; ret;", {1, 12}, "`l` has no size"},
      {".shared .u32 s = 5;", {1, 16}, ".shared variables have no initial value"},
      {".maxntid 5;", {1, 1}, "`.maxntid` is not a directive of a function's body"},
      {"; ret;", {1, 1}, "expected an instruction, a label, a directive or `}`"},
  };
  for (const Refused& c : kCases) expectRefused(kernel(c.text), c, kBodyLine);
}

TEST(Refuse, FileScope) {
  constexpr Refused kCases[] = {
      {".entry k() { ret; } }", {1, 21}, "expected a function, a variable or a directive"},
      {".entry k() { ret;", {1, 18}, "not the end of the file"},
      {".entry k() {} .entry k() {}", {1, 22}, "function `k` is defined twice"},
      {".func f(); .func f(.param .b32 a) { ret; }",
       {1, 18},
       "differs from its earlier declaration"},
      {".global .u32 f; .func f() {}", {1, 23}, "`f` is a variable already"},
      {".global .u32 x; .global .u32 x;", {1, 30}, "`x` is declared already"},
      {".entry k(.param .u32 a, .param .u32 a) {}", {1, 37}, "`a` is declared already"},
      {".entry k(.reg .u32 a) {}", {1, 20}, "a kernel's parameters are in .param space"},
      {".entry k(.param .u32 a[]) {}", {1, 22}, "has no size"},
      {".extern .entry k() { ret; }", {1, 16}, "an .extern function has no body"},
      {".entry k() .maxntid 1,2,3,4 {}", {1, 26}, "expected `;` or a body"},
      {".func f() .maxntid 3 {}", {1, 11}, "`.maxntid` is not a directive of this function"},
      {".reg .b32 r;", {1, 11}, ".reg variables stand inside functions"},
      {".local .b32 r;", {1, 13}, ".local variables stand inside functions"},
      {".global .pred p;", {1, 9}, "predicates live in registers only"},
      {".global .align 3 .u8 x;", {1, 16}, "an alignment is a power of two"},
      {".global .u32 x[0];", {1, 14}, "`x` has no size"},
      {".global .u32 x[2][0];", {1, 19}, "an inner array dimension is zero"},
      {".global .u32 x[99999999999999];", {1, 16}, "too large"},
      {".global .u64 x[1000000][1000000];", {1, 14}, "larger than 2^40 bytes"},
      {".global .u8 x[2] = {1,2,3};", {1, 25}, "more values than `x` has room for"},
      {".global .u8 x[2] = 3;", {1, 20}, "expected `{`"},
      {".global .u8 x = {3};", {1, 17}, "expected a number"},
      {".global .u32 x = 1.5;", {1, 18}, "a .u32 takes integers only"},
      {".global .f32 x = 1;", {1, 18}, "a .f32 takes floats only"},
      {".global .u64 x = y;", {1, 18}, "`y` is not a variable or function"},
      {".global .u8 x = 0xF0(k);", {1, 17}, "a mask operator selects one byte"},
      {".global .u8 x = 0xFF0(k);", {1, 17}, "a mask operator selects one byte"},
      {".global .u8 x = 0(k);", {1, 17}, "a mask operator selects one byte"},
      {".entry k(.param .u64 .ptr .global .shared a) {}", {1, 35}, "expected"},
      {".global .attribute(.unified(1 2)) .u32 x;", {1, 31}, "between two numbers"},
      {".common .shared .u32 x;", {1, 22}, ".common variables are in .global space"},
      {".glbal .u32 x;", {1, 1}, "unknown directive `.glbal`; did you mean `.global`?"},
      {".alias a, b;", {1, 1}, ".alias is not supported"},
      {".file 1 \"a\" .file 1 \"b\"", {1, 19}, "file number 1 is taken"},
      {".pragma \"a\" .entry k() {}", {1, 13}, "expected `;` after a pragma"},
      {".pragma;", {1, 8}, "expected a pragma"},
      {".func k(); .entry k() {}", {1, 19}, "`k` differs from its earlier declaration"},
      {".func (.param .b32 r) f(); .func f() { ret; }", {1, 34}, "differs from its earlier"},
      {".global .b16 x = 1.5;", {1, 18}, "a .b16 takes integers only"},
      {".global .u8 t; .global .u64 x = t+1.5;", {1, 33}, "an offset is an integer"},
      {"#include <x>", {1, 1}, "PTX has no preprocessor"},
      {"// \xC3\xA9", {1, 4}, "not ASCII"},
      {".section .debug_info { .b8 1", {1, 29}, "expected `}` at the end of a section"},
  };
  constexpr std::string_view kHeader = ".version 8.8\n.target sm_90\n.address_size 64\n";
  for (const Refused& c : kCases) {
    expectRefused(std::string(kHeader) + std::string(c.text), c, 4);
  }
}

TEST(Refuse, Headers) {
  constexpr Refused kCases[] = {
      {"", {1, 1}, "expected `.version N.N` at the start of the file, not the end of the file"},
      {".target sm_90", {1, 1}, "expected `.version N.N`"},
      {".version 8 .target sm_90", {1, 10}, "expected a version such as 8.7"},
      {".version 8.x", {1, 12}, "does not belong to the number before it"},
      {".version sm_90", {1, 10}, "expected a version"},
      {".version 8.0\n.entry k() {}", {2, 1}, "expected `.target sm_NN` after .version"},
      {".version 8.0 .target sm", {1, 22}, "unknown target `sm`"},
      {".version 8.0 .target debug", {1, 27}, "expected an architecture"},
      {".version 8.0 .target foo_90", {1, 22}, "unknown target `foo_90`"},
      {".version 8.0 .target sm_90 .address_size 16", {1, 42}, "an address size is 32 or 64"},
      {".version 8.0 .target sm_90 .address_size 64 .address_size 64",
       {1, 45},
       "unknown directive"},
  };
  for (const Refused& c : kCases) expectRefused(std::string(c.text), c, 1);
}

TEST(Refuse, CallsThatDoNotMatch) {
  constexpr std::string_view kFunctions =
      ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry k() { .param .b32 x; .param .b64 y; "
      ".reg .b64 d;\n";
  constexpr Refused kCases[] = {
      {"call f, (x); }", {1, 6}, "`f` has 1 results, not 0"},
      {"call (x), f; }", {1, 12}, "`f` has 1 arguments, not 0"},
      {"call (x), f, (y); }", {1, 15}, "does not match parameter `a` (.param .b32, 4 bytes)"},
      {"call (x), f, (d); }", {1, 15}, "does not match parameter `a`"},
      {"call (5), f, (5); }", {1, 7}, "does not match parameter `r`"},
      {"call (_), f, (x); }", {1, 7}, "does not match parameter `r`"},
      {"call (x), f, (x+4); }", {1, 15}, "does not match parameter `a`"},
      {"call (x), f, (f); }", {1, 15}, "does not match parameter `a`"},
      {"P: .callprototype (.param .b32 _) _ (.param .b32 _); call (x), d, (y), P; }",
       {1, 68},
       "does not match parameter"},
      {"call (x), f, (_); }", {1, 15}, "does not match parameter `a`"},
      {"T: .calltargets f; call (5), d, (x), T; }", {1, 26}, "does not match parameter `r`"},
      {"T: .calltargets f; call (x), d, (y), T; }", {1, 34}, "does not match parameter `a`"},
      {"P: .callprototype (.param .b32 _) _ (.param .b32 _); call (5), d, (x), P; }",
       {1, 60},
       "does not match parameter"},
      {"call (x), f, (x), (x); }", {1, 19}, "expected a list of targets, not `(`"},
  };
  for (const Refused& c : kCases) {
    const std::string text =
        ".version 8.8\n.target sm_90\n" + std::string(kFunctions) + std::string(c.text);
    expectRefused(text, c, 5);
  }
}

TEST(Refuse, TextsThatAreTooLarge) {
  const std::string large = kernel("ret;") + std::string((4u << 20) - kernel("ret;").size(), ' ');
  EXPECT_TRUE(parse(large, "k.ptx"));
  const auto module = parse(large + " ", "k.ptx");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().text(), HasSubstr("k.ptx: error: the PTX is over 4 MiB"));
}

TEST(Refuse, TooManyVariablesAndFunctions) {
  std::string variables = ".version 8.8 .target sm_90 .global .u8 v";
  std::string functions = ".version 8.8 .target sm_90";
  for (int i = 0; i < 70000; ++i) variables += ", v" + std::to_string(i);
  for (int i = 0; i < 5000; ++i) functions += " .func f" + std::to_string(i) + ";";
  EXPECT_THAT(parse(variables + ";", "k.ptx").error().text(),
              HasSubstr("more than 65536 variables"));
  EXPECT_THAT(parse(functions, "k.ptx").error().text(), HasSubstr("more than 4096 functions"));
}

TEST(Refuse, TooMuchNesting) {
  std::string body;
  for (int i = 0; i < 65; ++i) body += "{";
  const auto module = parse(kernel(body), "k.ptx");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().text(), HasSubstr("more than 64 nested scopes"));
}

TEST(Refuse, InitialValuesThatExplode) {
  std::string text = ".version 8.8 .target sm_90\n";
  for (int i = 0; i < 20; ++i) {
    text += ".global .u8 x" + std::to_string(i) + "[2][1000000] = {{1},{1}};\n";
  }
  const auto module = parse(text, "k.ptx");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().text(), HasSubstr("over 16 MiB"));
}

}  // namespace
}  // namespace qgpu::ptx
