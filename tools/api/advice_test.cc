#include "tools/api/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The warnings about a kernel k(int* a) in a file of this text, launched as <<<1, 8, shared>>>.
std::vector<std::string> warningsOf(const std::string& text, std::uint32_t shared_bytes = 0) {
  const auto kernel = loadKernel({.text = text, .file_name = "k.cu"});
  EXPECT_TRUE(kernel) << kernel.error().text();
  launch::Launch launch;
  launch.block = {8, 1, 1};
  launch.shared_bytes = shared_bytes;
  launch.parameters = bindArguments(*kernel, {"a=1,2,3,4,5,6,7,8"}).value();
  const auto program = compile(*kernel, launch);
  EXPECT_TRUE(program) << program.error().text();
  return program->warnings;
}

TEST(AdviceTest, NamesTheFarthestShuffleOfAPlace) {
  const auto warnings = warningsOf(
      "__global__ void k(int* a) {\n"
      "  int v = a[threadIdx.x];\n"
      "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
      "  for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor_sync(~0u, v, d);\n"
      "  a[threadIdx.x] = v + __shfl_up_sync(~0u, v, 8) + __shfl_sync(~0u, v, 31);\n"
      "}\n");
  EXPECT_THAT(warnings, ElementsAre(StartsWith("k.cu:3:40: warning: a shuffle reaches 16 lanes far "
                                               "and a warp has 4: "),
                                    StartsWith("k.cu:5:24: warning: a shuffle reaches 8 lanes")));
}

TEST(AdviceTest, SaysNothingOfWarpsOfTheMachine) {
  EXPECT_THAT(
      warningsOf("__global__ void k(int* a) {\n"
                 "  int v = a[threadIdx.x];\n"
                 "  for (int d = warpSize / 2; d; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
                 "  a[threadIdx.x] = v + __shfl_xor_sync(~0u, v, 3);\n"
                 "}\n"),
      IsEmpty());
}

TEST(AdviceTest, AsksForTheSizeOfDynamicMemory) {
  const std::string text =
      "__global__ void k(int* a) {\n"
      "  extern __shared__ int s[];\n"
      "  s[threadIdx.x] = a[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  a[threadIdx.x] = s[7 - threadIdx.x];\n"
      "}\n";
  EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("k.cu: warning: s has no memory: ")));
  EXPECT_THAT(warningsOf(text, 32), IsEmpty());
}

}  // namespace
}  // namespace qgpu
