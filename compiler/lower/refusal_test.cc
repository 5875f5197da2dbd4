// Instructions that the machine cannot do, each with what the message says of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using ::testing::HasSubstr;
using testing::kernelText;
using testing::lowerPtx;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

struct Row {
  std::string_view body;  // its result is in %a9, %w9 or memory
  std::string_view message;
  std::string_view module = "";
};

constexpr Row kRows[] = {
    {"cvt.pack.sat.s16.s32 %a9, %a0, %a1;", "cvt.pack"},
    {"add.f32 %a9, %a0, %a1;", "floating point (add.f32)"},
    {"cvt.rn.f32.s32 %a9, %a0;", "floating point (cvt.f32.s32)"},
    {"setp.lt.f32 %q0, %a0, %a1;\nselp.u32 %a9, 1, 0, %q0;", "floating point (setp.f32)"},
    {"fns.b32 %a9, %a0, %a1, 1;", "fns.b32 is not available"},
    {"shfl.sync.idx.b32 %a9, %a0, 0, %a1, -1;", "a shuffle whose width is not constant"},
    {".reg .b16 %h<3>;\natom.global.cas.b16 %h0, [%p0], %h1, %h2;",
     "16-bit atomic operations (atom.cas.b16)"},
    {"mov.u32 %a9, %clock;", "a special register that the machine does not have"},
    {"barrier.cta.arrive.aligned 0, 32;", "barrier with arrive"},
    {"bar.sync 0, 2;", "a barrier for a part of the thread block"},
    {"call helper;", "a call of helper", ".func helper() { ret; }\n"},
    {".reg .b64 %f;\nmov.u64 %f, helper;\nst.global.u64 [%p0], %f;",
     "the address of a function or of something without one", ".func helper() { ret; }\n"},
    {"mov.v4.u32 {%a9, %a10, %a11, %a12}, %tid;", "a special register as a vector"},
    {"st.param.u32 [%w1], 1;", "a store to .param"},
    {"setp.lt.f32 %q0|%q1, %a0, %a1;\nselp.u32 %a9, 1, 0, %q1;", "floating point (setp.f32)"},
    {"call vprintf;", "a call of printf", ".extern .func vprintf();\n"},
    {".param .b64 format;\nst.param.b64 [format], %w1;\n.param .b32 result;\n"
     "call (result), vprintf, (format);\nld.param.b32 %a9, [result];",
     "a call of printf", ".extern .func (.param .b32 r) vprintf(.param .b64 f);\n"},
    {"mov.u64 %w5, p0;\nmul.wide.u32 %w6, %a0, 4;\nadd.s64 %w5, %w5, %w6;\n"
     "ld.param.u32 %a9, [%w5];",
     "a kernel parameter indexed by a variable"},
    {"ld.param.u32 %a9, [p0+2];", "a load beside the kernel's parameters"},
    {".reg .b128 %d<2>;\nmov.b128 %d0, {%w1, %w1};\nmov.b128 {%w9, %w8}, %d0;", "128-bit values"},
    {".reg .b128 %d<2>;\nld.global.b128 %d0, [%p0];\nmov.b128 {%w9, %w8}, %d0;", "128-bit values"},
    {"min.s16x2 %a9, %a0, %a1;", "two 16-bit numbers in a word"},
    {"min.u16x2 %a9, %a0, %a1;", "two 16-bit numbers in a word"},
    {"slct.f32.f32 %a9, %a0, %a1, %a2;", "floating point (slct.f32.f32)"},
    {"ld.param.u64 %w9, [p0+4];", "a load beside the kernel's parameters"},
    {".reg .b128 %d<2>;\nmov.b128 %d1, %d0;\nmov.b128 {%w9, %w8}, %d1;", "128-bit values"},
    {".reg .b128 %d<2>;\nst.global.b128 [%p0], %d0;", "a store to .global"},
    {"mov.u64 %w5, p0;\nisspacep.global %q0, %w5;\nselp.u32 %a9, 1, 0, %q0;",
     "isspacep on a pointer that may mean any memory"},
    {"call (%a9), helper, (%a0);", "a call of helper",
     ".func (.reg .b32 r) helper(.reg .b32 x) { mov.u32 r, x; ret; }\n"},
    {"bar.sync 0, %a0;", "a barrier for a part of the thread block"},
    // What reads a result that is not there, and where only some lanes ask for it.
    {"mov.u32 %a8, %clock;\nadd.u32 %a9, %a8, %a0;",
     "a special register that the machine does not have"},
    {"mov.u32 %a8, %clock;\nsetp.lt.u32 %q0, %a0, %a1;\nselp.u32 %a9, %a8, %a0, %q0;",
     "a special register that the machine does not have"},
    {"mov.u32 %a9, 0;\nsetp.lt.u32 %q0, %a0, %a1;\n@%q0 bra on;\nmov.u32 %a9, %clock;\non:",
     "a special register that the machine does not have"},
};

PtxLaunch launchOf(const Row& row) {
  PtxLaunch launch{
      .ptx = kernelText(1, 0,
                        "ld.global.u32 %a0, [%p0];\nld.global.u32 %a1, [%p0+4];\n"
                        "ld.global.u64 %w1, [%p0+8];\n" +
                            std::string(row.body) +
                            "\nst.global.u32 [%p0], %a9;\nst.global.u64 [%p0+8], %w9;"),
      .arrays = {Words(8, 3)}};
  launch.ptx.insert(launch.ptx.find(".visible"), std::string(row.module));
  return launch;
}

TEST(Refusals, SayWhatAndWhere) {
  for (const Row& row : kRows) {
    const auto lowered = lowerPtx(launchOf(row));
    ASSERT_FALSE(lowered.has_value()) << row.body;
    EXPECT_EQ(lowered.error().kind, FailureKind::Refusal) << row.body;
    EXPECT_THAT(lowered.error().text(), HasSubstr(std::string(row.message))) << row.body;
    EXPECT_THAT(lowered.error().text(), HasSubstr("k.ptx:"));
  }
}

// What only refused instructions are for may be left out: the thread never gets there.
TEST(Refusals, OnlyWhereTheKernelGetsThere) {
  for (const Row& row : kRows) {
    if (row.body.find("call") != std::string_view::npos) continue;
    PtxLaunch launch{.ptx = kernelText(1, 0,
                                       "mov.u32 %a0, 1;\nmov.u32 %a1, 2;\nmov.u64 %w1, 3;\n"
                                       "setp.eq.u32 %q9, 1, 1;\n@%q9 bra over;\n" +
                                           std::string(row.body) +
                                           "\nst.global.u32 [%p0], %a9;\nover:\n"
                                           "st.global.u32 [%p0+4], 99;"),
                     .arrays = {Words(8, 3)}};
    launch.ptx.insert(launch.ptx.find(".visible"), std::string(row.module));
    const auto arrays = runPtx(launch);
    ASSERT_TRUE(arrays.has_value()) << row.body << "\n" << arrays.error().text();
    EXPECT_EQ(arrays->front()[1], 99u);
  }
}

// A barrier for all threads, however the text says so.
TEST(Refusals, BarriersForAll) {
  for (const std::string_view barrier :
       {"bar.sync 0;", "bar.sync 0, 4;", "bar.sync 1, 32;", "barrier.sync.aligned 0;"}) {
    const PtxLaunch launch{
        .ptx = kernelText(1, 0, std::string(barrier) + "\nst.global.u32 [%p0], 5;"),
        .arrays = {Words{1}}};
    const auto arrays = runPtx(launch);
    ASSERT_TRUE(arrays.has_value()) << barrier << arrays.error().text();
    EXPECT_EQ(arrays->front(), Words{5});
  }
}

}  // namespace
}  // namespace qgpu::lower
