// Random PTX on both executors; what the second one refuses; and faults put there to be found.
#include "fuzz/ptx/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "compiler/cuda/testing.h"
#include "compiler/launch/case_file.h"
#include "compiler/ptx/ptx.h"
#include "fuzz/ptx/executor.h"
#include "fuzz/testing/findings.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::fuzz {
namespace {

using isatest::unlessSanitized;
using ptxlevel::Feature;
using ptxlevel::generatePtx;
using ptxlevel::Order;
using ptxlevel::PtxKernel;
using ::testing::HasSubstr;

constexpr int kKernels = 1000;

TEST(PtxGenerate, EveryFeatureHasItsShare) {
  std::array<int, ptxlevel::kFeatures> count{};
  for (std::uint64_t number = 0; number < kKernels; ++number) {
    const PtxKernel kernel = generatePtx(number);
    EXPECT_EQ(kernel.text(), generatePtx(number).text());
    for (int f = 0; f < ptxlevel::kFeatures; ++f)
      count[static_cast<std::size_t>(f)] += kernel.has(static_cast<Feature>(f)) ? 1 : 0;
  }
  for (int f = 0; f < ptxlevel::kFeatures; ++f) {
    const auto feature = static_cast<Feature>(f);
    const bool is_rare = feature == Feature::Vote || feature == Feature::WideDivision;
    const int least = is_rare ? 4 : feature == Feature::Carry ? 10 : 15;
    EXPECT_GE(100 * count[static_cast<std::size_t>(f)] / kKernels, least) << name(feature);
    EXPECT_LE(100 * count[static_cast<std::size_t>(f)] / kKernels, 95) << name(feature);
  }
}

TEST(PtxGenerate, PtxasTakesThem) {
  if (!cuda::havePtxas()) GTEST_SKIP() << "no ptxas on the PATH";
  for (std::uint64_t number = 0; number < 12; ++number)
    EXPECT_EQ(cuda::ptxasComplaint(generatePtx(number).text()), "") << generatePtx(number).text();
}

// ---- The second executor -----------------------------------------------------------------------

// With one array `out` of four words, whose address is in %a, and the thread's number in %r0.
Expected<launch::Arrays> executed(const std::string& body, Order order = Order::Forward) {
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[16];\n.reg .b32 %r<8>;\n"
      ".reg .b64 %a, %b;\n.reg .pred %p;\nld.param.u64 %a, [out];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %b, %r0, 4;\nadd.s64 %b, %a, %b;\n" +
      body + "\nret;\n}\n";
  launch::Launch launch;
  launch.entry = "k";
  launch.block = {4, 1, 1};
  launch.parameters = {launch::arrayOf("out", {0, 0, 0, 0})};
  const auto module = ptx::parse(text, "k.ptx");
  if (!module) return fail(module.error());
  return execute(*module, "k", launch, order);
}

std::string whyNot(const std::string& body) {
  const auto arrays = executed(body);
  return arrays ? "" : arrays.error().message;
}

TEST(PtxExecutor, RunsThreadsBarriersAndLanes) {
  const auto arrays = executed(
      "mov.u32 %r1, s;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\n"
      "xor.b32 %r3, %r0, 3;\nmad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r4, [%r2];\n"
      "shfl.sync.up.b32 %r5, %r4, 1, 7168, -1;\nmad.lo.u32 %r5, %r4, 10, %r5;\n"
      "st.global.u32 [%b], %r5;");
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  EXPECT_EQ(arrays->at("out"), launch::arrayOf("", {33, 23, 12, 1}).bytes);
}

TEST(PtxExecutor, RefusesWhatPtxLeavesUndefined) {
  EXPECT_THAT(whyNot("st.global.u32 [%b], %r1;"), HasSubstr("register"));
  EXPECT_THAT(whyNot("st.global.u32 [%b+16], %r0;"), HasSubstr("nowhere"));
  EXPECT_THAT(whyNot("ld.global.u32 %r1, [%a+2];"), HasSubstr("nowhere"));
  EXPECT_THAT(whyNot("div.u32 %r1, 7, %r0;"), HasSubstr("zero"));
  EXPECT_THAT(whyNot("L: bra L;"), HasSubstr("does not end"));
  EXPECT_THAT(whyNot("setp.eq.u32 %p, %r0, 1;\n@%p bra L;\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\n"
                     "bra E;\nL: shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nE:"),
              HasSubstr("different places"));
}

TEST(PtxExecutor, ARaceGivesItselfAway) {
  EXPECT_NE(executed("st.global.u32 [%a], %r0;").value(),
            executed("st.global.u32 [%a], %r0;", Order::Backward).value());
}

// ---- The level ---------------------------------------------------------------------------------

TEST(PtxLevel, BothExecutorsAgree) {
  const auto level = ptxLevel(Oracle::Interpreter, nullptr);
  const auto batch = testing::numbers(1, static_cast<std::uint64_t>(unlessSanitized(500, 50)));
  const std::vector<Outcome> outcomes = level->runAll(batch);
  int refused = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(outcomes[i].difference, "") << generatePtx(batch[i]).text();
    refused += outcomes[i].refusal.empty() ? 0 : 1;
  }
  EXPECT_LE(100 * refused, 15 * static_cast<int>(batch.size())) << "too many do not fit";
}

TEST(PtxLevel, WhatAgreesStaysWhole) {
  const Finding finding = ptxLevel(Oracle::Interpreter, nullptr)->minimal(5);
  EXPECT_EQ(finding.difference, "");
  EXPECT_EQ(finding.files.at(0).text, generatePtx(5).text());
}

TEST(PtxLevel, AWrongLoweringIsFoundAndTheKernelMadeSmall) {
  const auto level = ptxLevel(Oracle::Interpreter, nullptr, [](std::string text) {
    for (std::size_t at = 0; (at = text.find("min.s32", at)) != std::string::npos;)
      text.replace(at, 7, "max.s32");
    return text;
  });
  const Finding finding = testing::firstFinding(*level, testing::numbers(1, 60));
  EXPECT_THAT(finding.difference, HasSubstr("expected"));
  ASSERT_EQ(finding.files.size(), 2u);
  EXPECT_THAT(finding.files[0].text, HasSubstr("min.s32"));
  // The start and the end of every kernel have 54 lines.
  EXPECT_LE(std::ranges::count(finding.files[0].text, '\n'), 54 + 8) << finding.files[0].text;
  const auto as_case = launch::parseCase(finding.files[1].text, "finding.json");
  ASSERT_TRUE(as_case.has_value()) << as_case.error().text();
  EXPECT_TRUE(as_case->expected.contains("out"));
}

}  // namespace
}  // namespace qgpu::fuzz
