#include "tools/api/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qgpu {
namespace {

using launch::ElementType;
using launch::ParameterKind;
using ::testing::HasSubstr;
using Kind = KernelParameter::Kind;

Kernel loaded(std::string text, std::string_view entry = {}) {
  auto kernel = loadKernel({.text = std::move(text), .file_name = "k.cu"}, entry);
  EXPECT_TRUE(kernel.has_value()) << kernel.error().text();
  return kernel ? *kernel : Kernel{};
}

// A kernel that is never compiled, only bound to.
Kernel withParameters(std::vector<KernelParameter> parameters) {
  Kernel kernel;
  kernel.name = "k";
  kernel.parameters = std::move(parameters);
  return kernel;
}
const KernelParameter kArray{"a", "int *", Kind::Array, 8, ElementType::Int, false};
const KernelParameter kBytes{"b", "unsigned char *", Kind::Array, 8, ElementType::Uint8, false};
const KernelParameter kCount{"n", "int", Kind::Scalar, 4, ElementType::Int, false};
const KernelParameter kLong{"m", "long", Kind::Scalar, 8, ElementType::Int64, false};
const KernelParameter kPair{"p", "int2", Kind::Struct, 8, {}, false};
const KernelParameter kPixel{"q", "uchar4", Kind::Struct, 4, {}, false};

TEST(KernelTest, TellsItsParameters) {
  const Kernel kernel = loaded(
      "struct Size { int w; short h; };\n"
      "__global__ void k(const int* a, unsigned char* b, long long c, unsigned short d, Size e) {\n"
      "  if (d == 0) b[0] = a[0] + c + e.w; }\n");
  ASSERT_EQ(kernel.parameters.size(), 5u);
  EXPECT_EQ(kernel.parameters[0].kind, Kind::Array);
  EXPECT_TRUE(kernel.parameters[0].read_only);
  EXPECT_EQ(kernel.parameters[0].element, ElementType::Int);
  EXPECT_EQ(kernel.parameters[1].element, ElementType::Uint8);
  EXPECT_FALSE(kernel.parameters[1].read_only);
  EXPECT_EQ(kernel.parameters[2].kind, Kind::Scalar);
  EXPECT_EQ(kernel.parameters[2].element, ElementType::Int64);
  EXPECT_EQ(kernel.parameters[3].element, ElementType::Uint16);
  EXPECT_EQ(kernel.parameters[4].kind, Kind::Struct);
  EXPECT_EQ(kernel.parameters[4].bytes, 8u);
}

TEST(KernelTest, FindsTemplatesAndQualifiedNames) {
  const std::string text =
      "namespace ns { template <typename T> __global__ void fill(T* a) { a[threadIdx.x] = "
      "sizeof(T); } }\n"
      "template __global__ void ns::fill<int>(int*);\n"
      "template __global__ void ns::fill<short>(short*);\n";
  EXPECT_THAT(loaded(text, "ns::fill<int>").name, HasSubstr("fill<int>"));
  EXPECT_EQ(loaded(text, "ns::fill<short>").parameters[0].element, ElementType::Int16);
  const auto ambiguous = loadKernel({.text = text, .file_name = "k.cu"}, "fill");
  ASSERT_FALSE(ambiguous.has_value());
  EXPECT_THAT(ambiguous.error().text(), HasSubstr("fill<int>"));
}

TEST(KernelTest, PtxDoesNotTellPointersFromLongs) {
  const std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u32 n, .param .align 4 .b8 s[12]) { ret; }\n";
  const auto kernel = loadKernel({text, "k.ptx", Language::Ptx});
  ASSERT_TRUE(kernel.has_value()) << kernel.error().text();
  EXPECT_EQ(kernel->name, "k");
  EXPECT_EQ(kernel->parameters[0].kind, Kind::Unknown);
  EXPECT_EQ(kernel->parameters[1].kind, Kind::Scalar);
  EXPECT_EQ(kernel->parameters[2].kind, Kind::Struct);
  EXPECT_EQ(kernel->parameters[2].bytes, 12u);
}

TEST(KernelTest, RefusesWhatHasNoKernel) {
  const auto none =
      loadKernel({".version 7.0\n.target sm_75\n.address_size 64\n", "k.ptx", Language::Ptx});
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().text(), HasSubstr("no kernel"));
  EXPECT_FALSE(loadKernel({"int x;", "k.cu"}).has_value());
}

// ---- Arguments ---------------------------------------------------------------------------------

TEST(BindArgumentsTest, TypesComeFromTheKernel) {
  const auto bound = bindArguments(withParameters({kBytes, kLong}), {"b=1,200", "m=-1"});
  ASSERT_TRUE(bound.has_value()) << bound.error().text();
  EXPECT_EQ((*bound)[0].type, ElementType::Uint8);
  EXPECT_EQ((*bound)[0].bytes, (std::vector<std::uint8_t>{1, 200}));
  EXPECT_EQ((*bound)[1].bytes, std::vector<std::uint8_t>(8, 0xff));
}

TEST(BindArgumentsTest, AWrittenTypeWins) {
  const auto bound = bindArguments(withParameters({kBytes}), {"b:int=1"});
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ((*bound)[0].kind, ParameterKind::Array);
  EXPECT_EQ((*bound)[0].bytes, (std::vector<std::uint8_t>{1, 0, 0, 0}));
}

TEST(BindArgumentsTest, StructsOfEqualFieldsNeedNoType) {
  const auto bound = bindArguments(withParameters({kPair, kPixel}), {"p={3,-4}", "q={1,2,3,255}"});
  ASSERT_TRUE(bound.has_value()) << bound.error().text();
  EXPECT_EQ((*bound)[0].bytes, (std::vector<std::uint8_t>{3, 0, 0, 0, 0xfc, 0xff, 0xff, 0xff}));
  EXPECT_EQ((*bound)[1].bytes, (std::vector<std::uint8_t>{1, 2, 3, 255}));
}

TEST(BindArgumentsTest, OtherNamesStandInOrder) {
  const auto bound = bindArguments(withParameters({kArray, kCount}), {"x=5", "n=7"});
  ASSERT_TRUE(bound.has_value()) << bound.error().text();
  EXPECT_EQ((*bound)[0].kind, ParameterKind::Array);
  EXPECT_EQ((*bound)[0].name, "x");
  EXPECT_EQ((*bound)[1].name, "n");
}

// Otherwise a slip in one name gives every parameter another's values.
TEST(BindArgumentsTest, ANameThatIsAnotherParametersIsRefused) {
  const auto bound = bindArguments(withParameters({kArray, kCount}), {"x=5", "a=7"});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(
      bound.error().text(),
      "error: 'x' is no parameter of k(int *a, int n); use the kernel's names for all of them, "
      "or its order");
}

// As a C compiler lays them out; every value is another's neighbour in memory.
TEST(BindArgumentsTest, StructsOfAnyMembers) {
  KernelParameter p{"p", "P", Kind::Struct, 24, {}, false};
  p.members = {{"c", ElementType::Uint8, 0},
               {"in.s", ElementType::Int16, 2},
               {"in.w[0]", ElementType::Int, 4},
               {"q", ElementType::Uint64, 16}};
  const auto bound = bindArguments(withParameters({p}), {"p={200,{-2,7},258}"});
  ASSERT_TRUE(bound.has_value()) << bound.error().text();
  EXPECT_EQ((*bound)[0].bytes,
            (std::vector<std::uint8_t>{200, 0, 0xfe, 0xff, 7, 0, 0, 0, 0, 0, 0, 0,
                                       0,   0, 0,    0,    2, 1, 0, 0, 0, 0, 0, 0}));
  launch::Launch launch;
  launch.parameters = *bound;
  EXPECT_TRUE(bindLaunch(withParameters({p}), launch).has_value());
  EXPECT_EQ(bindArguments(withParameters({p}), {"p={1,2}"}).error().text(),
            "error: the struct P p has 4 values, 2 are given; write --arg 'p={c,in.s,in.w[0],q}'");
  EXPECT_EQ(bindArguments(withParameters({p}), {"p={256,1,1,1}"}).error().text(),
            "error: argument 'p.c': uint8 does not hold 256; use 0 to 255");
}

TEST(BindArgumentsTest, WhatHasNoTypeInCommonWantsOne) {
  KernelParameter mixed{"a", "KV *", Kind::Array, 8, {}, false};
  mixed.is_mixed = true;
  EXPECT_EQ(
      bindArguments(withParameters({mixed}), {"a=1,2"}).error().text(),
      "error: the members of what is behind KV *a have no type in common; name one for all of "
      "its bytes, as in --arg a:uint8=1,2,3,4");
  EXPECT_TRUE(bindArguments(withParameters({mixed}), {"a:uint16=1,2"}).has_value());
}

TEST(BindArgumentsTest, ATypeOfAnotherWidthIsASlip) {
  EXPECT_EQ(
      bindArguments(withParameters({kArray}), {"a:int64=1,2"}).error().text(),
      "error: argument 'a': int64 has 64 bits, an element of int *a has 32; leave out the type: "
      "the kernel says it");
  EXPECT_TRUE(bindArguments(withParameters({kArray}), {"a:unsigned=1,2"}).has_value());
}

// ---- Launches ----------------------------------------------------------------------------------

Expected<launch::Launch> bindScalar(const KernelParameter& parameter, std::int64_t value,
                                    ElementType type) {
  launch::Launch launch;
  launch.parameters = {launch::scalarOf("v", value, type)};
  return bindLaunch(withParameters({parameter}), launch);
}

TEST(BindLaunchTest, ScalarsTakeTheKernelsWidthByValue) {
  const auto wide = bindScalar(kLong, -3, ElementType::Int);
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(wide->parameters[0].bytes,
            (std::vector<std::uint8_t>{0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  const auto unsigned_wide = bindScalar(kLong, 0xfffffffd, ElementType::Unsigned);
  ASSERT_TRUE(unsigned_wide.has_value());
  EXPECT_EQ(unsigned_wide->parameters[0].bytes,
            (std::vector<std::uint8_t>{0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 0}));
  const auto narrow = bindScalar(kCount, -7, ElementType::Int64);
  ASSERT_TRUE(narrow.has_value());
  EXPECT_EQ(narrow->parameters[0].bytes, (std::vector<std::uint8_t>{0xf9, 0xff, 0xff, 0xff}));
  const auto large = bindScalar(kCount, 0xffffffff, ElementType::Int64);
  ASSERT_TRUE(large.has_value()) << "an unsigned in 64 bits";
  EXPECT_FALSE(bindScalar(kCount, std::int64_t{1} << 32, ElementType::Int64).has_value());
  EXPECT_FALSE(bindScalar(kCount, -(std::int64_t{1} << 31) - 1, ElementType::Int64).has_value());
}

TEST(BindLaunchTest, RefusesWhatDoesNotFitTheKernel) {
  const Kernel kernel = withParameters({kArray, kCount});
  launch::Launch launch;
  launch.parameters = {launch::arrayOf("a", {1})};
  auto bound = bindLaunch(kernel, launch);
  ASSERT_FALSE(bound.has_value());
  EXPECT_THAT(bound.error().text(),
              HasSubstr("k(int *a, int n) takes 2 parameters, 1 is given: missing int n"));

  launch.parameters = {launch::scalarOf("a", 1), launch::scalarOf("n", 1)};
  bound = bindLaunch(kernel, launch);
  ASSERT_FALSE(bound.has_value());
  EXPECT_THAT(bound.error().text(), HasSubstr("a scalar 'a' to the parameter int *a"));

  launch.parameters = {launch::arrayOf("a", {1}), launch::arrayOf("n", {1})};
  EXPECT_FALSE(bindLaunch(kernel, launch).has_value());
}

TEST(SignatureTest, ReadsLikeADeclaration) {
  EXPECT_EQ(withParameters({kArray, kCount, kPair}).signature(), "k(int *a, int n, int2 p)");
}

}  // namespace
}  // namespace qgpu
