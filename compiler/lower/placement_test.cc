// Where arrays and variables lie, what does not fit, and pointers whose memory is found by
// following them: the cases that compilers seldom write.
#include "compiler/lower/placement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"
#include "compiler/ptx/ptx.h"

namespace qgpu::lower {
namespace {

using testing::expectFirst;
using ::testing::HasSubstr;
using testing::kernelText;
using testing::lowerPtx;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

// A kernel without arrays of the launch, behind `module`.
std::string textOf(std::string_view body, std::string_view module = "", int arrays = 0) {
  std::string text = kernelText(arrays, 0, body);
  text.insert(text.find(".visible"), std::string(module));
  return text;
}

Expected<Lowered> lowerText(const std::string& ptx, const LaunchShape& shape = {}) {
  const auto module = ptx::parse(ptx, "k.ptx");
  if (!module) return fail(module.error());
  return lowerKernel(*module, "k", shape);
}
std::string refusalOf(const std::string& ptx, const LaunchShape& shape = {}) {
  const auto lowered = lowerText(ptx, shape);
  return lowered ? "accepted" : lowered.error().text();
}

TEST(Placement, SharedVariablesThatAreTooLarge) {
  EXPECT_THAT(refusalOf(textOf(".shared .align 4 .b8 big[2000000000];\nst.shared.u32 [big], 1;")),
              HasSubstr("big has 2000000000 bytes"));
  EXPECT_THAT(refusalOf(textOf("st.shared.u32 [big], 1;", ".shared .align 4 .b8 big[260];\n")),
              HasSubstr("shared memory: 65 words, the limit is 64 (big 65)"));
  EXPECT_THAT(refusalOf(textOf(".local .align 4 .b8 big[2000000000];\nst.local.u32 [big], 1;")),
              HasSubstr("big has 2000000000 bytes"));
}

// Few enough words, but not at the addresses that their alignment asks for.
TEST(Placement, AlignmentThatLeavesNoRoom) {
  LaunchShape shape;
  shape.parameters = {arrayShape("a", 4 * kMachine.global_words, 16)};
  EXPECT_THAT(refusalOf(textOf("", "", 1), shape),
              HasSubstr("global memory has no room for a aligned to 16 bytes"));
  shape.parameters = {arrayShape("a", 4 * kMachine.global_words, 4)};
  EXPECT_EQ(refusalOf(textOf("", "", 1), shape), "accepted");
  std::string module, body;
  for (int n = 0; n < 9; ++n) {
    module += fmt::format(".shared .align 16 .b8 s{}[20];\n", n);
    body += fmt::format("st.shared.u32 [s{}], {};\n", n, n);
  }
  EXPECT_THAT(refusalOf(textOf(body, module)),
              HasSubstr("shared memory has no room for s8 aligned to 16 bytes"));
}

// What the source says of a pointer counts, and so does what the launch says of its array.
TEST(Placement, AlignmentOfPointers) {
  LaunchShape shape;
  shape.parameters = {arrayShape("a", 4, 4), arrayShape("b", 4, 4), arrayShape("c", 4, 16)};
  std::string text = textOf("", "", 3);
  const std::size_t at = text.find(".align", text.find(".align") + 1);
  text.replace(text.find('4', at), 1, "8");
  const auto lowered = lowerText(text, shape);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().text() << text;
  const auto& objects = lowered->placement.objects;
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[1].address % 8, 0u);
  EXPECT_EQ(objects[2].address % 16, 0u);
}

// An array of no words needs no place even where there is none.
TEST(Placement, EmptyArrays) {
  LaunchShape shape;
  shape.parameters = {arrayShape("a", 4 * kMachine.global_rows - 4, 4), arrayShape("b", 0)};
  EXPECT_THAT(refusalOf(textOf("", "", 2), shape), HasSubstr("global memory: 127 words"));
  shape.parameters = {arrayShape("a", 4 * kMachine.global_words, 4), arrayShape("b", 0)};
  EXPECT_EQ(refusalOf(textOf("", "", 2), shape), "accepted");
  const std::string full = ".shared .align 4 .b8 s[256];\n.extern .shared .align 4 .b8 none[];\n";
  const std::string use = "mov.u64 %w1, none;\nst.shared.u64 [s], %w1;";
  EXPECT_EQ(refusalOf(textOf(use, full)), "accepted");
}

// All dynamic shared arrays begin behind the other variables, where the widest of them may.
TEST(Placement, DynamicSharedArraysAreOne) {
  LaunchShape shape;
  shape.dynamic_shared_bytes = 32;
  const std::string text = textOf(
      "mov.u64 %w1, one;\nmov.u64 %w2, two;\nsub.s64 %w3, %w1, %w2;\nst.shared.u64 [own], %w3;\n"
      "st.shared.u32 [one], 1;\nst.shared.u32 [two+4], 1;",
      ".extern .shared .align 4 .b8 one[];\n.extern .shared .align 16 .b8 two[];\n"
      ".shared .align 8 .b8 own[8];\n");
  const auto lowered = lowerText(text, shape);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().text();
  std::vector<std::uint32_t> dynamic;
  for (const Object& o : lowered->placement.objects)
    if (o.name != "own") dynamic.push_back(o.address);
  EXPECT_EQ(dynamic, (std::vector<std::uint32_t>{16, 16}));
  EXPECT_EQ(lowered->report.shared_words, 10);
  shape.dynamic_shared_bytes = 252;
  EXPECT_THAT(refusalOf(text, shape), HasSubstr("shared memory: 65 words, the limit is 64"));
  // Nobody names it, and it has to be there all the same.
  shape.dynamic_shared_bytes = 260;
  EXPECT_THAT(refusalOf(textOf(""), shape), HasSubstr("shared memory: 65 words, the limit is 64"));
}

TEST(Placement, AddressesOfWhatHasNone) {
  const std::string use = "ld.global.u64 %w1, [table];\nst.global.u64 [table], %w1;";
  EXPECT_THAT(refusalOf(textOf(use,
                               ".func helper() { ret; }\n"
                               ".global .align 8 .u64 table[1] = {helper};\n")),
              HasSubstr("table holds the address of something without one"));
}

// Addresses of one byte each, put together again.
TEST(Placement, BytesOfAddresses) {
  const PtxLaunch launch{
      .ptx = textOf("ld.global.u32 %a1, [bytes];\nld.global.u32 %a2, [%a1];\n"
                    "st.global.u32 [%p0], %a2;",
                    ".global .align 4 .u32 one[2] = {70, 71};\n"
                    ".global .align 4 .u8 bytes[4] = {0xff(one), 0xff00(one), 0xff0000(one), "
                    "0xff000000(one)};\n",
                    1),
      .arrays = {Words{9}}};
  PtxLaunch wide = launch;
  wide.ptx.replace(wide.ptx.find("[%a1]"), 5, "[%w1]");
  wide.ptx.insert(wide.ptx.find("ld.global.u32 %a2"), "cvt.u64.u32 %w1, %a1;\n");
  expectFirst(wide, Words{70});
}

TEST(Placement, NoMemoryToSpillInto) {
  std::string body = "st.shared.u32 [s], 1;\n";
  for (int n = 0; n < 18; ++n)
    body += fmt::format("ld.volatile.global.u32 %a{}, [%p0+{}];\n", n, 4 * n);
  body += "bar.sync 0;\n";
  for (int n = 0; n < 18; ++n)
    body += fmt::format("st.volatile.global.u32 [%p0+{}], %a{};\n", 4 * n, 17 - n);
  const PtxLaunch full{.ptx = textOf(body, ".shared .align 4 .b8 s[256];\n", 1),
                       .arrays = {Words(126, 3)},
                       .block = {1, 1, 1}};
  const auto refused = lowerPtx(full);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(),
              HasSubstr("needs 18 registers, the machine has 15; 1 words a thread are spilled and "
                        "no memory is left for more"));
  // A word of global memory for each of the three that are too many.
  PtxLaunch spare = full;
  spare.arrays[0].resize(124);
  const auto lowered = lowerPtx(spare);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().text();
  EXPECT_EQ(lowered->report.spills, 3);
}

TEST(Placement, KernelsThatAreFarTooLong) {
  std::string body;
  for (int n = 0; n < 60001; ++n) body += "add.u32 %a1, %a1, 1;\n";
  EXPECT_THAT(refusalOf(textOf(body)), HasSubstr("k has 60002 instructions in 2 basic blocks"));
  body.clear();
  for (int n = 0; n < 2001; ++n) body += fmt::format("l{}: bra l{};\n", n, (n + 7) % 2001);
  EXPECT_THAT(refusalOf(textOf(body)), HasSubstr("basic blocks; the machine holds 32 blocks"));
}

TEST(Placement, KernelsWithoutInstructions) {
  const std::string head = ".version 7.8\n.target sm_75\n.address_size 64\n";
  const auto lowered = lowerText(head + ".visible .entry k() { }\n");
  ASSERT_TRUE(lowered.has_value()) << lowered.error().text();
  EXPECT_EQ(lowered->report.blocks, 1);
  EXPECT_EQ(lowered->report.origins[0].terminator.ptx_line, 0);
  EXPECT_THAT(refusalOf(head + ".visible .entry k();\n"), HasSubstr("there is no kernel k"));
}

// ---- Generic pointers. ----

// Word 0 of the first array becomes what the generic load finds; `s` lies in shared memory and is
// where %w6 points.
PtxLaunch generic(std::string_view body) {
  return {.ptx = textOf(".shared .align 8 .b8 s[64];\nst.shared.u32 [s], 40;\n"
                        "st.shared.u32 [s+4], 41;\nmov.u64 %w5, s;\ncvta.shared.u64 %w6, %w5;\n"
                        "ld.global.u32 %a0, [%p0];\nsetp.eq.u32 %q0, %a0, 1;\n" +
                            std::string(body) + "\nld.u32 %a1, [%w7];\nst.global.u32 [%p0], %a1;",
                        "", 2),
          .arrays = {Words{1, 2}, Words{30, 31}}};
}
void expectGeneric(std::string_view body, std::uint32_t result) {
  SCOPED_TRACE(body);
  PtxLaunch launch = generic(body);
  launch.block = {1, 1, 1};
  expectFirst(launch, Words{result, 2});
}

TEST(Placement, PointersThatAreFollowed) {
  expectGeneric(
      "and.b32 %a2, %a0, 8;\nmul.wide.u32 %w8, %a2, 4;\nadd.s64 %w7, %w6, %w8;\n"
      "or.b64 %w7, %w7, 4;",
      41);
  expectGeneric("add.s64 %w7, %w6, 4;", 41);
  expectGeneric("mov.u64 %w7, %w6;", 40);
  expectGeneric("@%q0 bra on;\nmov.u64 %w7, %p1;\nbra end;\non:\nadd.s64 %w7, %p1, 4;\nend:", 31);
  expectGeneric("mov.u64 %w7, %w6;\n@%q0 add.s64 %w7, %w6, 4;", 41);
  // Round a loop: the pointer comes from itself.
  expectGeneric(
      "mov.u64 %w7, %p1;\nmov.u32 %a2, 1;\nagain:\nadd.s64 %w7, %w7, 4;\n"
      "sub.u32 %a2, %a2, 1;\nsetp.ne.u32 %q1, %a2, 0;\n@%q1 bra again;",
      31);
  // A difference of pointers onto a third; a product is no pointer.
  expectGeneric("add.s64 %w8, %p1, 4;\nsub.s64 %w8, %w8, %p1;\nadd.s64 %w7, %w6, %w8;", 41);
  expectGeneric("mul.wide.u32 %w8, %a0, 4;\nadd.s64 %w7, %w8, %w6;", 41);
  // On one way no pointer was ever set.
  expectGeneric("@!%q0 bra end;\nmov.u64 %w7, %p1;\nend:", 30);
  expectGeneric("@%q0 mov.u64 %w7, %p1;", 30);
}

TEST(Placement, PointersThatCannotBeFollowed) {
  const auto refusal = [](std::string_view body) {
    return refusalOf(generic(body).ptx, [] {
      LaunchShape shape;
      shape.parameters = {arrayShape("a", 8), arrayShape("b", 8)};
      return shape;
    }());
  };
  const auto both = HasSubstr("a pointer that may mean global or shared memory");
  const auto unknown = HasSubstr("a pointer whose memory does not follow from the text");
  EXPECT_THAT(refusal("mov.u64 %w7, %p1;\n@%q0 mov.u64 %w7, %w6;"), both);
  EXPECT_THAT(refusal("@%q0 bra on;\nmov.u64 %w7, %p1;\nbra end;\non:\nmov.u64 %w7, %w6;\nend:"),
              both);
  EXPECT_THAT(refusal("add.s64 %w7, %w6, %p1;"), unknown);
  EXPECT_THAT(refusal("ld.global.u64 %w7, [%p1];"), unknown);
  EXPECT_THAT(refusal("not.b64 %w7, %w6;"), unknown);
  EXPECT_THAT(refusal("mov.u64 %w7, 8;"), unknown);
  EXPECT_THAT(refusal("mov.u64 %w8, p0;\nadd.s64 %w7, %w8, %w9;"), unknown);
  EXPECT_THAT(refusal("ld.global.u64 %w7, [%p1];\n@%q0 mov.u64 %w7, %w6;"), unknown);
}

}  // namespace
}  // namespace qgpu::lower
