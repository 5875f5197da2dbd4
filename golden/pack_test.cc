// Which launches are ready to be recorded, and what a pack holds.
#include "golden/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/cases.h"

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

TEST(Pack, TwoLaunchesOfOneNameAreRefused) {
  const auto file = std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases/dot.json";
  const auto pack = makePack({file, file});
  ASSERT_FALSE(pack.has_value());
  EXPECT_THAT(pack.error().text(), HasSubstr("a second launch named 'dot'"));
}

}  // namespace
}  // namespace qgpu::golden
