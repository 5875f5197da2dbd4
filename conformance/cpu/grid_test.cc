// Whole launches: arguments, shared memory, and kernels that do what they must not.
#include "conformance/cpu/grid.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/cpu/include/device_variables.h"
#include "conformance/cpu/include/synchronization.h"
#include "conformance/cpu/native.h"
#include "conformance/cpu/shared_memory.h"

namespace qgpu::cpu {
namespace {

launch::Launch launchOf(std::vector<launch::Parameter> parameters, launch::Dim3 block = {1, 1, 1}) {
  launch::Launch launch;
  launch.block = block;
  launch.parameters = std::move(parameters);
  return launch;
}

template <typename... Parameters>
Expected<launch::Arrays> run(void (*kernel)(Parameters...), const launch::Launch& launch,
                             Order order = Order::Forward) {
  Registry registry;
  registry.add("k", kernel);
  return runGrid(*registry.find("k"), launch, order);
}

template <typename... Parameters>
std::string complaint(void (*kernel)(Parameters...), const launch::Launch& launch) {
  const auto arrays = run(kernel, launch);
  return arrays ? "" : arrays.error().message;
}

struct Point {
  short x;
  int y;
};
void mixed(int* out, signed char a, Point p, long long b) {
  out[threadIdx.x] = a + p.x + p.y + static_cast<int>(b >> 32);
}

TEST(Grid, ArgumentsOfEveryKindArrive) {
  launch::Parameter point;
  point.name = std::string("p");
  point.kind = launch::ParameterKind::Struct;
  point.fields = {{"x", launch::ElementType::Int16, 1}, {"y", launch::ElementType::Int, 1}};
  point.bytes = {0xfe, 0xff, 0, 0, 0xe8, 3, 0, 0};
  const auto launch = launchOf(
      {launch::arrayOf("out", {0, 0}), launch::scalarOf("a", -3, launch::ElementType::Int8), point,
       launch::scalarOf("b", 7ll << 32, launch::ElementType::Int64)},
      {2, 1, 1});
  const auto arrays = run(&mixed, launch);
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  EXPECT_EQ(arrays->at("out"), launch::arrayOf("", {1002, 1002}).bytes);
}

void lanes(unsigned* ballot, int* size) {
  ballot[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x != 1);
  size[threadIdx.x] = warpSize;
}

TEST(Grid, WarpsMayHaveAGpusSize) {
  Registry registry;
  registry.add("lanes", &lanes);
  const auto launch = launchOf(
      {launch::arrayOf("ballot", {0, 0, 0, 0, 0}), launch::arrayOf("size", {0, 0, 0, 0, 0})},
      {5, 1, 1});
  const auto ballotsIn = [&](unsigned size) {
    return runGrid(*registry.find("lanes"), launch, Order::Forward, size).value().at("ballot");
  };
  EXPECT_EQ(ballotsIn(32), launch::arrayOf("", {29, 29, 29, 29, 29}).bytes);
  EXPECT_EQ(ballotsIn(4), launch::arrayOf("", {13, 13, 13, 13, 1}).bytes);
}

TEST(Grid, ArgumentsThatDoNotMatchAreRefused) {
  const auto array = launch::arrayOf("out", {0});
  const auto number = launch::scalarOf("n", 1);
  const auto wide = launch::scalarOf("n", 1, launch::ElementType::Int64);
  void (*const kernel)(int*, int) = [](int*, int) {};
  EXPECT_EQ(complaint(kernel, launchOf({array, number})), "");
  EXPECT_EQ(complaint(kernel, launchOf({array})), "1 arguments; the kernel takes 2");
  EXPECT_EQ(complaint(kernel, launchOf({array, wide})),
            "argument 'n' has 8 bytes; the kernel takes 4");
  EXPECT_EQ(complaint(kernel, launchOf({number, number})),
            "argument 'n' is a value where the kernel takes a pointer");
  EXPECT_EQ(complaint(kernel, launchOf({array, array})),
            "argument 'out' is an array where the kernel takes a value");
}

TEST(Grid, WritesBesideAnArrayAreNoticed) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer ends the program at the write";
#endif
  void (*const above)(int*) = [](int* v) { v[2] = 1; };
  void (*const below)(int*) = [](int* v) { v[-1] = 1; };
  EXPECT_EQ(complaint(above, launchOf({launch::arrayOf("v", {0, 0})})),
            "the kernel wrote beside array 'v'");
  EXPECT_EQ(complaint(below, launchOf({launch::arrayOf("v", {0, 0})})),
            "the kernel wrote beside array 'v'");
}

TEST(Grid, SharedMemoryStartsWithAPatternOfTheOrder) {
  ASSERT_GT(sharedMemory().size(), 1000u);
  void (*const kernel)(int*) = [](int* out) { out[0] = static_cast<int>(sharedMemory()[100]); };
  const auto launch = launchOf({launch::arrayOf("out", {0})});
  const auto forward = run(kernel, launch, Order::Forward),
             backward = run(kernel, launch, Order::Backward);
  ASSERT_TRUE(forward && backward);
  EXPECT_NE(*forward, *backward);
}

TEST(Native, UnknownKernelsAndTooMuchSharedMemoryAreRefused) {
  EXPECT_EQ(runNatively("own/none:none", {}, Order::Forward).error().message,
            "no kernel 'own/none:none' was compiled for the CPU");
  launch::Launch launch;
  launch.shared_bytes = kMaxDynamicSharedBytes + 1;
  EXPECT_EQ(runNatively("own/dot:dot", launch, Order::Forward).error().kind, FailureKind::Refusal);
}

TEST(Native, DeviceVariablesStartAfreshEachTime) {
  const auto launch = launchOf({launch::arrayOf("out", {0, 0})}, {3, 1, 1});
  for (int i = 0; i < 2; ++i) {
    const auto arrays = runNatively("own/device_data:count_up", launch, Order::Forward);
    ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
    EXPECT_EQ(arrays->at("out"), launch::arrayOf("", {3, 3}).bytes);
  }
}

TEST(Native, ACrashIsATrapAndHurtsNobody) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer prints a long report first";
#endif
  // Division by zero, which the CPU signals.
  auto launch = launchOf({launch::arrayOf("a", {1}), launch::arrayOf("b", {0}),
                          launch::arrayOf("q", {0}), launch::arrayOf("r", {0})});
  const auto arrays = runNatively("own/division:divide_signed", launch, Order::Forward);
  ASSERT_FALSE(arrays.has_value());
  EXPECT_EQ(arrays.error().kind, FailureKind::Trap);
  EXPECT_EQ(arrays.error().message, "the kernel crashed: Floating point exception");
}

}  // namespace
}  // namespace qgpu::cpu
