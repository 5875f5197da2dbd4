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
  launch.grid = {1, 65536, 1};
  EXPECT_EQ(complaint(launch), "error: grid.y is 65536; use 1 to 65535, as CUDA does");
  launch.grid = {1, 1, 65536};
  EXPECT_EQ(complaint(launch), "error: grid.z is 65536; use 1 to 65535, as CUDA does");
  launch = soundLaunch();
  launch.block = {1025, 1, 1};
  EXPECT_EQ(complaint(launch), "error: block.x is 1025; use 1 to 1024, as CUDA does");
  launch.block = {1, 1025, 1};
  EXPECT_EQ(complaint(launch), "error: block.y is 1025; use 1 to 1024, as CUDA does");
  launch.block = {1, 1, 65};
  EXPECT_EQ(complaint(launch), "error: block.z is 65; use 1 to 64, as CUDA does");
  launch.block = {41, 25, 1};
  EXPECT_EQ(complaint(launch),
            "error: block [41, 25, 1] has 1025 threads; use at most 1024, as CUDA does");
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
  launch = soundLaunch();
  launch.parameters[1].length = 2;
  EXPECT_EQ(complaint(launch),
            "error: scalar 'n' has 2 values; give it one value, or make it an array");
}

Parameter structOf(std::size_t fields) {
  Parameter parameter;
  parameter.name = "s";
  parameter.kind = ParameterKind::Struct;
  for (std::size_t i = 0; i < fields; ++i)
    parameter.fields.push_back({"f" + std::to_string(i), ElementType::Uint8, 1});
  parameter.bytes.resize(fields);
  return parameter;
}

TEST(Launch, SizesHaveLimits) {
  Launch launch = soundLaunch();
  launch.grid = {2147483647, 65535, 65535};
  launch.block = {16, 1, 64};
  launch.shared_bytes = kMaxSharedBytes;
  launch.parameters.clear();
  for (std::size_t i = 0; i < kMaxParameters; ++i)
    launch.parameters.push_back(scalarOf("x" + std::to_string(i), 1, ElementType::Int64));
  launch.parameters[0] = arrayOf("a", std::vector<std::int64_t>(kMaxArrayLength, 0));
  launch.parameters[1] = structOf(kMaxFields);
  EXPECT_EQ(complaint(launch), "");
}

TEST(Launch, WhatIsBeyondALimitIsRefused) {
  Launch launch = soundLaunch();
  launch.shared_bytes = kMaxSharedBytes + 1;
  EXPECT_EQ(complaint(launch), "error: shared_bytes is 232449; use at most 232448, as CUDA does");
  launch = soundLaunch();
  launch.parameters = {arrayOf("a", std::vector<std::int64_t>(kMaxArrayLength + 1, 0))};
  EXPECT_EQ(complaint(launch), "error: array 'a' has 1048577 elements; use at most 1048576");
  launch.parameters = {structOf(0)};
  EXPECT_EQ(complaint(launch), "error: struct 's' has 0 fields; use 1 to 256");
  launch.parameters = {structOf(257)};
  EXPECT_EQ(complaint(launch), "error: struct 's' has 257 fields; use 1 to 256");
}

TEST(Launch, ParametersTakeAtMostTheirBytes) {
  Launch launch = soundLaunch();
  Parameter large = structOf(1);
  large.fields[0].length = kMaxParameterBytes - 8;
  large.bytes.resize(kMaxParameterBytes - 8);
  launch.parameters = {large, arrayOf("a", std::vector<std::int64_t>(9, 0))};
  EXPECT_EQ(complaint(launch), "");
  launch.parameters.push_back(scalarOf("c", 1, ElementType::Int8));
  EXPECT_EQ(complaint(launch),
            "error: the parameters take 4097 bytes; use at most 4096; pass arrays by pointer");
}

TEST(Launch, ArraysAreFoundByName) {
  const Launch launch = soundLaunch();
  EXPECT_EQ(arraysOf(launch), (Arrays{{"a", {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}}}));
  EXPECT_EQ(findArray(launch, "a"), &launch.parameters[0]);
  EXPECT_EQ(findArray(launch, "n"), nullptr);
  EXPECT_EQ(findArray(launch, "b"), nullptr);
}

}  // namespace
}  // namespace qgpu::launch
