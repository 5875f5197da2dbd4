// What the tests of the command share: a kernel, and a fixture that runs the command on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/testing/process.h"

namespace qgpu::testing {

using Json = nlohmann::json;

inline constexpr std::string_view kDot =
    "__global__ void dot(const int* a, const int* b, int* c, int n) {\n"
    "  int i = threadIdx.x;\n"
    "  if (i < n) atomicAdd(c, a[i] * b[i]);\n"
    "}\n";

inline std::set<std::string> keysOf(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

class CommandTest : public ::testing::Test {
 protected:
  // The command on a kernel file, with `options` after it.
  Outcome runOn(std::string_view source, const std::vector<std::string>& options,
                std::string_view name = "k.cu") {
    std::vector<std::string> arguments = {"run", folder_.write(name, source)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return runCommand(arguments);
  }
  Outcome dot(const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"--grid", "1",       "--block", "3",     "--arg", "a=1,2,3",
                                        "--arg",  "b=4,5,6", "--arg",   "c=[1]", "--arg", "n=3"};
    options.insert(options.end(), more.begin(), more.end());
    return runOn(kDot, options);
  }
  // The one object on standard output.
  static Json object(const Outcome& outcome) {
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
    Json parsed = Json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << outcome.out;
    return parsed;
  }

  TemporaryFolder folder_;
};

}  // namespace qgpu::testing
