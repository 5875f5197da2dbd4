// Modules made at random from the instruction table: printing and parsing them gives the same
// module.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/ptx/samples.h"
#include "compiler/ptx/testing.h"

namespace qgpu::ptx {
namespace {

void expectFixpoint(const std::string& text) {
  const auto module = parse(text, "made.ptx");
  ASSERT_TRUE(module) << module.error().text() << "\n" << text;
  const std::string printed = print(*module);
  const auto again = parse(printed, "printed.ptx");
  ASSERT_TRUE(again) << again.error().text() << "\n" << printed;
  EXPECT_EQ(*again, *module) << printed;
  EXPECT_EQ(print(*again), printed);
}

std::string printedDeclarations(std::string_view body) {
  const std::string text =
      print(parse(".version 8.8\n.target sm_90\n.entry k() { " + std::string(body) + " }", "k.ptx")
                .value());
  std::string lines;
  for (std::size_t at = text.find(".reg"); at != text.npos; at = text.find(".reg", at + 1))
    lines += text.substr(at, text.find('\n', at) - at) + "\n";
  return lines;
}

// Only a name that its number alone gives back belongs to a range.
TEST(RoundTrip, RegistersOfOneTypeAreDeclaredAsARange) {
  EXPECT_EQ(printedDeclarations(".reg .b32 %r<3>; mov.b32 %r0, %r2;"), ".reg .b32 %r<3>;\n");
  EXPECT_EQ(printedDeclarations(".reg .b32 %r00; mov.b32 %r00, 1;"), ".reg .b32 %r00;\n");
  EXPECT_EQ(printedDeclarations(".reg .b32 %r01; mov.b32 %r01, 1;"), ".reg .b32 %r01;\n");
  EXPECT_EQ(printedDeclarations(".reg .b32 r; mov.b32 r, 1;"), ".reg .b32 r;\n");
}

std::vector<std::string> parsable(const std::vector<std::string>& statements) {
  std::vector<std::string> result;
  for (const std::string& s : statements) {
    if (parse(sampleKernel({s}, "sm_100"), "sample.ptx")) result.push_back(s);
  }
  return result;
}

const std::vector<std::string>& statements() {
  static const std::vector<std::string> kStatements = parsable(legalSamples());
  return kStatements;
}

TEST(RoundTrip, EveryFormOfTheTable) {
  const auto module = parse(sampleKernel(statements(), "sm_100"), "all.ptx");
  ASSERT_TRUE(module) << module.error().text();
  std::set<std::uint16_t> seen;
  for (const Instruction& i : module->functions[0].body) seen.insert(i.form);
  // All rows but call's.
  EXPECT_EQ(seen.size(), forms().size() - formsOf(Opcode::Call).size());
  expectFixpoint(sampleKernel(statements(), "sm_100"));
}

// A statement, perhaps guarded, labelled, or in a scope that hides some registers.
std::string decorated(const std::string& statement, int choice, int number) {
  switch (choice) {
    case 0: return "@%pred_3 " + statement;
    case 1: return "@!%pred_1 " + statement;
    case 2: return fmt::format("label_{}: {} bra label_{};", number, statement, number);
    case 3: return fmt::format("{{ .reg .u32 %u32_<3>; .reg .b32 %b32_1; {} }}", statement);
    case 4:
      return fmt::format("{{ .pragma \"p{}\"; L: .shared .align 16 .u32 sh[16]; {} bra L; }}",
                         number, statement);
    default: return statement;
  }
}

RC_GTEST_PROP(RoundTrip, RandomBodies, ()) {
  const auto count = static_cast<int>(statements().size());
  const auto picks = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, count), rc::gen::inRange(0, 8)));
  std::vector<std::string> body;
  for (const auto& [index, choice] : picks) {
    body.push_back(decorated(statements()[static_cast<std::size_t>(index)], choice,
                             static_cast<int>(body.size())));
  }
  RC_CLASSIFY(body.size() >= 10, "ten or more statements");
  expectFixpoint(sampleKernel(body, "sm_100"));
}

// A literal in all its spellings keeps its value and kind.
RC_GTEST_PROP(RoundTrip, Literals, (std::int64_t value, bool hexadecimal, bool is_unsigned)) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::string digits = hexadecimal ? fmt::format("{:#x}", bits) : fmt::format("{}", bits);
  const std::string text = fmt::format("mov.u64 %rd1, {}{};", digits, is_unsigned ? "U" : "");
  const auto body = instructionsOf(text);
  RC_ASSERT(body.size() == 1u);
  const auto literal = std::get<Immediate>(body[0].operands[1].value);
  RC_ASSERT(literal.bits == bits);
  RC_ASSERT((literal.kind == Immediate::Kind::Unsigned) == (is_unsigned || value < 0));
  expectFixpoint(kernel(text));
  expectFixpoint(kernel(
      fmt::format("mov.u64 %rd1, (.s64){}; ld.global.u32 %r1, [%rd1+(.s64){}];", digits, digits)));
}

std::string element(const std::string& type, std::int64_t value) {
  if (type == "f32") return fmt::format("0f{:08X}", static_cast<std::uint32_t>(value));
  if (type == "f64") return fmt::format("0d{:016X}", static_cast<std::uint64_t>(value));
  return fmt::format("{}", value);
}

RC_GTEST_PROP(RoundTrip, InitialValues, ()) {
  const auto type = *rc::gen::elementOf(
      std::vector<std::string>{"b8", "u8", "s16", "u32", "b32", "s64", "f32", "f64"});
  const auto rows = *rc::gen::container<std::vector<std::vector<std::int64_t>>>(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::arbitrary<std::int64_t>()));
  std::size_t width = 1;
  for (const auto& row : rows) width = std::max(width, row.size());
  std::string values;
  for (const auto& row : rows) {
    std::string inner;
    for (const std::int64_t value : row)
      inner += (inner.empty() ? "" : ", ") + element(type, value);
    values += (values.empty() ? "{" : ", {") + inner + "}";
  }
  expectFixpoint(fmt::format(".version 8.0 .target sm_90 .global .align 16 .{} x[{}][{}] = {{{}}};",
                             type, rows.size() + 1, width, values));
}

RC_GTEST_PROP(RoundTrip, FunctionsAndCalls, ()) {
  const auto count = *rc::gen::inRange(1, 8);
  const auto calls = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, count), rc::gen::inRange(0, count)));
  std::string text = ".version 8.0 .target sm_90\n";
  for (int f = 0; f < count; ++f) {
    text += fmt::format(".func (.reg .b32 r) f{}(.reg .b32 a, .param .b32 b);\n", f);
  }
  for (int f = 0; f < count; ++f) {
    text += fmt::format(
        ".func (.reg .b32 r) f{}(.reg .b32 a, .param .b32 b) {{ .reg .b32 x<3>; .param .b32 p; "
        "mov.b32 x1, a;\n",
        f);
    for (const auto& [from, to] : calls) {
      if (from == f) text += fmt::format("call (x2), f{}, (x1, p);\n", to);
    }
    text += "mov.b32 r, x1; ret; }\n";
  }
  expectFixpoint(text);
}

}  // namespace
}  // namespace qgpu::ptx
