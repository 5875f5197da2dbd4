// What the launch gives must be what the kernel takes and the machine has: parameters and sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/testing/run_kernel.h"
#include "compiler/ptx/ptx.h"

namespace qgpu::lower {
namespace {

using ::testing::HasSubstr;
using testing::kernelText;

LaunchShape shapeOf(std::vector<ParameterShape> parameters) {
  LaunchShape shape;
  shape.block = {4, 1, 1};
  shape.parameters = std::move(parameters);
  return shape;
}
// What lowering says of the kernel `entry`; "accepted" where it takes it.
std::string verdict(const std::string& ptx, const LaunchShape& shape,
                    std::string_view entry = "k") {
  const auto module = ptx::parse(ptx, "k.ptx");
  if (!module) return module.error().text();
  const auto lowered = lowerKernel(*module, entry, shape);
  return lowered ? "accepted" : lowered.error().text();
}

TEST(LaunchShapes, ParametersThatAreNotTheLaunchs) {
  const std::string pointers = kernelText(2, 0, "st.global.u32 [%p0], 1;");
  const std::string word = kernelText(0, 1, "mov.u32 %a0, %n0;");
  const ParameterShape array = arrayShape("a", 16), wide = scalarShape("n", 8);
  EXPECT_EQ(verdict(pointers, shapeOf({array, array})), "accepted");
  EXPECT_THAT(verdict(pointers, shapeOf({array})),
              HasSubstr("k has 2 parameters, the launch gives 1"));
  EXPECT_THAT(verdict(pointers, shapeOf({array, wide})),
              HasSubstr("parameter 2 of k is a pointer, the launch gives n by value"));
  EXPECT_THAT(verdict(word, shapeOf({array})),
              HasSubstr("parameter 1 of k is no pointer, the launch gives the array a"));
  EXPECT_THAT(verdict(word, shapeOf({wide})), HasSubstr("parameter 1 of k has 4 bytes, n has 8"));
  EXPECT_THAT(verdict(word, shapeOf({wide}), "other"), HasSubstr("there is no kernel other"));
}

TEST(LaunchShapes, GeometryThatIsRefused) {
  const auto refusal = [&](launch::Dim3 grid, launch::Dim3 block) {
    LaunchShape shape;
    shape.grid = grid;
    shape.block = block;
    return verdict(kernelText(0, 0, ""), shape);
  };
  EXPECT_EQ(refusal({4, 1, 1}, {32, 1, 1}), "accepted");
  EXPECT_THAT(refusal({1, 1, 1}, {4, 0, 1}), HasSubstr("has a size of 0"));
  EXPECT_THAT(refusal({0, 1, 1}, {4, 1, 1}), HasSubstr("has a size of 0"));
  EXPECT_THAT(refusal({1, 1, 0}, {4, 1, 1}), HasSubstr("has a size of 0"));
  EXPECT_THAT(refusal({1, 1, 1}, {33, 1, 1}), HasSubstr("33"));
  EXPECT_THAT(refusal({5, 1, 1}, {32, 1, 1}), HasSubstr("160"));
  EXPECT_THAT(refusal({300, 1, 1}, {1, 1, 1}), HasSubstr("thread"));
  EXPECT_THAT(refusal({2, 1000, 1}, {1, 1, 1}), HasSubstr("thread"));
  // 2^64 thread blocks.
  EXPECT_THAT(refusal({1u << 22, 1u << 21, 1u << 21}, {1, 1, 1}), HasSubstr("thread blocks"));
}

}  // namespace
}  // namespace qgpu::lower
