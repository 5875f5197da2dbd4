// Which launches are ready to be recorded, and what a pack holds.
#include "golden/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/cases.h"
#include "interpreter/base/files.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::golden {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Pack packOf(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names)
    files.push_back(std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases" /
                    (name + ".json"));
  auto pack = makePack(files);
  check(pack.has_value(), "the cases make a pack");
  return std::move(*pack);
}
std::string reasonAgainst(const std::string& name) {
  const Pack pack = packOf({name});
  return pack.omissions.empty() ? "" : pack.omissions[0].reason;
}

TEST(Pack, EveryCaseOfOursIsReadyOrSaysWhyNot) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : conformance::ownCases()) files.push_back(file.path);
  const auto pack = makePack(files);
  ASSERT_TRUE(pack.has_value()) << pack.error().text();
  EXPECT_EQ(pack->launches.size() + pack->omissions.size(), files.size());
  EXPECT_GE(pack->kernels(), 250u);
  EXPECT_LE(pack->omissions.size(), 60u);
  for (const Omission& omission : pack->omissions) EXPECT_NE(omission.reason, "");
}

TEST(Pack, WhatAGpuDoesNotGiveIsNotComparable) {
  EXPECT_EQ(reasonAgainst("dot"), "");
  EXPECT_THAT(reasonAgainst("who"), HasSubstr("__activemask"));
  EXPECT_THAT(reasonAgainst("reject_trap"), HasSubstr("no output to compare"));
  EXPECT_THAT(reasonAgainst("ptx_32bit"), HasSubstr("addresses of 32 bits"));
  EXPECT_THAT(reasonAgainst("lane_and_warp"), StartsWith("it needs warps of 4 lanes"));
}

TEST(Pack, KernelsHaveTheirSymbols) {
  const Pack pack = packOf({"dot", "reduce0_int", "ptx_guards"});
  ASSERT_EQ(pack.launches.size(), 3u);
  EXPECT_EQ(pack.kernels(), 3u);
  EXPECT_THAT(pack.launches[0].symbol, StartsWith("_Z3dot"));
  EXPECT_THAT(pack.launches[1].symbol, StartsWith("_Z7reduce0IiE"));
  EXPECT_EQ(pack.launches[2].symbol, pack.launches[2].test_case.launch.entry);
}

TEST(Pack, TheListHasEverySourceBeforeItsLaunch) {
  const std::string list = launchList(packOf({"dot"}));
  EXPECT_THAT(list, StartsWith("qgpu-launches 1\necho {\"source\":\"dot.cu\""));
  EXPECT_THAT(list, HasSubstr("\nlaunch \"dot\"\nmodule dot.cu\nsymbol _Z3dot"));
  EXPECT_THAT(list, HasSubstr("\narray int exact 00000000 \"c\"\n"));
  EXPECT_THAT(list, HasSubstr("\nrecord {\"name\":\"dot\""));
}

// A case from elsewhere, in a folder of its own.
class CaseFromElsewhere : public ::testing::Test {
 protected:
  std::string complaint(const std::string& file, const std::string& source,
                        const std::string& element = "int", const std::string& needs = "") {
    for (const char* const inner : {"kernels", "cases"})
      std::filesystem::create_directory(folder_.path() / inner);
    const std::string text =
        R"({"name":"k","kernel":"kernels/)" + file + R"(","entry":"k","needs":[)" + needs +
        R"(],"params":[{"name":"x","kind":"array","elem":")" + element + R"(","length":2}]})";
    check(writeFileAtomically(folder_.path() / "kernels" / file, source).has_value() &&
              writeFileAtomically(folder_.path() / "cases/k.json", text).has_value(),
          "files can be written");
    const auto pack = makePack({folder_.path() / "cases/k.json"});
    if (!pack) return pack.error().text();
    return pack->omissions.empty() ? launchList(*pack) : pack->omissions[0].reason;
  }
  model::TemporaryFolder folder_;
};

TEST_F(CaseFromElsewhere, IsTakenWithAllItsArrays) {
  EXPECT_THAT(complaint("k.cu", "__global__ void k(int* x) { x[0] = 1; }"),
              HasSubstr("\nsymbol _Z1kPi\ngrid 1 1 1\nblock 1 1 1\nshared 0\n"
                        "array int exact 0000000000000000 \"x\"\nrecord"));
}

TEST_F(CaseFromElsewhere, IsNotTakenWhereAGpuCannotBeAsked) {
  const std::string good = "__global__ void k(int* x) { x[0] = 1; }";
  EXPECT_THAT(complaint("k.cu", good, "int", "\"width4-only\""), HasSubstr("warps of 4 lanes"));
  EXPECT_THAT(complaint("k.cu", "__global__ void k(float* x) {}", "float"), HasSubstr("floats"));
  EXPECT_THAT(complaint("k.cu", "__global__ void k(int x) {}"),
              HasSubstr("parameter 'x' is not of the kernel's type 'int'"));
  EXPECT_THAT(complaint("k.cu", "__global__ void k(int* x, int n) {}"),
              HasSubstr("the launch has 1 parameters, the kernel 2"));
  EXPECT_THAT(complaint("k.cu", "__global__ void k(int* x) { x[0] = y; }"), HasSubstr("'y'"));
  EXPECT_THAT(complaint("k.ptx", ".version 6.3\n"), HasSubstr("'k' is no kernel's name"));
}

TEST_F(CaseFromElsewhere, IsRefusedWhereItCannotTravel) {
  EXPECT_THAT(complaint("$(k).cu", "__global__ void k(int* x) {}"), HasSubstr("characters"));
  EXPECT_THAT(complaint("k.cu", "__global__ void k(int* x) {}  // \xff"), HasSubstr("UTF-8"));
}

TEST(Pack, TwoLaunchesOfOneNameAreRefused) {
  const auto file = std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases/dot.json";
  const auto pack = makePack({file, file});
  ASSERT_FALSE(pack.has_value());
  EXPECT_THAT(pack.error().text(), HasSubstr("a second launch named 'dot'"));
}

}  // namespace
}  // namespace qgpu::golden
