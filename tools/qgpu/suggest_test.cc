#include "tools/qgpu/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace qgpu::cli {
namespace {

TEST(SuggestTest, FindsTheNearestWord) {
  const std::vector<std::string> words = {"run", "compile", "disasm", "trace"};
  EXPECT_EQ(nearest("rnu", words), "run");
  EXPECT_EQ(nearest("compiel", words), "compile");
  EXPECT_EQ(nearest("dissasm", words), "disasm");
  EXPECT_EQ(nearest("trcae", words), "trace");
}

TEST(SuggestTest, SaysNothingWhereNothingIsNear) {
  const std::vector<std::string> words = {"run", "compile"};
  EXPECT_EQ(nearest("benchmark", words), "");
  EXPECT_EQ(nearest(std::string(1000, 'x'), words), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace qgpu::cli
