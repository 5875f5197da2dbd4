#include "compiler/launch/launch.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace qgpu::launch {
namespace {

Launch soundLaunch() {
  Launch launch;
  launch.entry = std::string("k");
  launch.parameters = {arrayOf("a", {1, -2}), scalarOf("n", 2)};
  return launch;
}

std::string complaint(const Launch& launch) {
  const auto sound = validate(launch);
  return sound ? "" : sound.error().text();
}

TEST(Launch, ASoundOneIsAccepted) { EXPECT_EQ(complaint(soundLaunch()), ""); }

TEST(Launch, ParametersHoldLittleEndianBytes) {
  const Parameter a = arrayOf("a", {1, -2}, ElementType::Int16);
  EXPECT_EQ(a.bytes, (std::vector<std::uint8_t>{1, 0, 0xfe, 0xff}));
  EXPECT_EQ(a.length, 2u);
  EXPECT_EQ(scalarOf("n", -1, ElementType::Int64).bytes, std::vector<std::uint8_t>(8, 0xff));
}

TEST(Launch, StructsAreLaidOutAsTheCompilerDoes) {
  struct Mixed {
    signed char a;
    int b;
    short c[3];
    long long d;
    unsigned char e;
  };
  const StructLayout layout = layoutOf({{"a", ElementType::Int8, 1},
                                        {"b", ElementType::Int, 1},
                                        {"c", ElementType::Int16, 3},
                                        {"d", ElementType::Int64, 1},
                                        {"e", ElementType::Uint8, 1}});
  EXPECT_EQ(layout.offsets,
            (std::vector<std::size_t>{offsetof(Mixed, a), offsetof(Mixed, b), offsetof(Mixed, c),
                                      offsetof(Mixed, d), offsetof(Mixed, e)}));
  EXPECT_EQ(layout.size, sizeof(Mixed));
  EXPECT_EQ(layout.alignment, alignof(Mixed));
}

TEST(Launch, ShapesCudaDoesNotHaveAreRefused) {
  Launch launch = soundLaunch();
  launch.grid = {0, 1, 1};
  EXPECT_EQ(complaint(launch), "error: grid.x is 0; use 1 to 2147483647, as CUDA does");
  launch = soundLaunch();
  launch.block = {1, 1, 65};
  EXPECT_EQ(complaint(launch), "error: block.z is 65; use 1 to 64, as CUDA does");
  launch.block = {32, 33, 1};
  EXPECT_EQ(complaint(launch),
            "error: block [32, 33, 1] has 1056 threads; use at most 1024, as CUDA does");
}

TEST(Launch, BadParametersAreRefused) {
  Launch launch = soundLaunch();
  launch.parameters[1].name = "a";
  EXPECT_EQ(complaint(launch), "error: two parameters are named 'a'; rename one");
  launch = soundLaunch();
  launch.parameters[0].bytes.pop_back();
  EXPECT_EQ(complaint(launch), "error: parameter 'a' has 7 bytes and its type takes 8");
  launch = soundLaunch();
  launch.parameters[0].name.clear();
  EXPECT_EQ(complaint(launch), "error: a parameter has no name; name every parameter");
  launch = soundLaunch();
  launch.parameters.resize(kMaxParameters + 1, scalarOf("x", 1));
  EXPECT_EQ(complaint(launch), "error: 257 parameters; use at most 256");
  launch = soundLaunch();
  launch.entry.clear();
  EXPECT_EQ(complaint(launch), "error: no kernel is named; give the entry's name");
}

TEST(Launch, ArraysAreFoundByName) {
  EXPECT_EQ(arraysOf(soundLaunch()), (Arrays{{"a", {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}}}));
}

}  // namespace
}  // namespace qgpu::launch
