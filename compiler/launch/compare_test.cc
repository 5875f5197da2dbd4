#include "compiler/launch/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace qgpu::launch {
namespace {

Case caseOf(const std::vector<std::int64_t>& expected, ElementType type = ElementType::Int) {
  Case test_case;
  test_case.launch.entry = "k";
  test_case.launch.parameters = {arrayOf("c", std::vector<std::int64_t>(expected.size(), 0), type)};
  test_case.expected["c"] = arrayOf("c", expected, type).bytes;
  return test_case;
}

Arrays arraysWith(const std::vector<std::int64_t>& values, ElementType type = ElementType::Int) {
  return {{"c", arrayOf("c", values, type).bytes}};
}

TEST(Compare, EqualArraysAgree) {
  const Comparison result = compare(caseOf({32, -1}), arraysWith({32, -1}));
  EXPECT_TRUE(result.agrees());
  EXPECT_EQ(result.compared, 2u);
  EXPECT_EQ(result.text(), "");
}

TEST(Compare, EachDifferenceIsNamed) {
  const Comparison result = compare(caseOf({32, -1, 5}), arraysWith({31, -1, -5}));
  EXPECT_EQ(result.text(), "c[0]: expected 32, got 31\nc[2]: expected 5, got -5\n");
  EXPECT_EQ(result.text(1), "c[0]: expected 32, got 31\nand 1 more\n");
  EXPECT_EQ(result.text(2), result.text());
}

TEST(Compare, AMissingOrShortArrayDiffers) {
  EXPECT_EQ(compare(caseOf({1, 2}), {}).text(),
            "c[0]: expected 1, got nothing\nc[1]: expected 2, got nothing\n");
  EXPECT_EQ(compare(caseOf({1, 2}), arraysWith({1})).text(), "c[1]: expected 2, got nothing\n");
  EXPECT_EQ(compare(caseOf({1}), arraysWith({1, 2})).text(), "c[1]: expected nothing, got 2\n");
}

TEST(Compare, ArraysThatTheCaseLeavesOutMayHoldAnything) {
  Case test_case = caseOf({1});
  test_case.expected.clear();
  EXPECT_TRUE(compare(test_case, arraysWith({9})).agrees());
}

TEST(Compare, AMultisetIgnoresTheOrderAndNothingElse) {
  Case test_case = caseOf({-3, 7, 7});
  test_case.compare["c"] = CompareMode::Multiset;
  EXPECT_TRUE(compare(test_case, arraysWith({7, -3, 7})).agrees());
  EXPECT_EQ(compare(test_case, arraysWith({7, -3, -3})).text(), "c[1]: expected 7, got -3\n");
  EXPECT_FALSE(compare(caseOf({-3, 7, 7}), arraysWith({7, -3, 7})).agrees());
}

TEST(Compare, AMultisetIsNumberedFromItsSmallestElement) {
  const auto differences = [](std::vector<std::int64_t> expected, std::vector<std::int64_t> got,
                              ElementType type) {
    Case test_case = caseOf(expected, type);
    test_case.compare["c"] = CompareMode::Multiset;
    return compare(test_case, arraysWith(got, type)).text();
  };
  EXPECT_EQ(differences({5, -1}, {6, -1}, ElementType::Int), "c[1]: expected 5, got 6\n");
  EXPECT_EQ(differences({0x40000000, 0}, {1, 0x40000000}, ElementType::Int),
            "c[0]: expected 0, got 1\n");
  EXPECT_EQ(differences({200, 3}, {4, 200}, ElementType::Uint8), "c[0]: expected 3, got 4\n");
  EXPECT_EQ(differences({-100, 3}, {4, -100}, ElementType::Int8), "c[1]: expected 3, got 4\n");
}

RC_GTEST_PROP(Compare, AnyPermutationIsTheSameMultiset, (std::vector<std::int16_t> values)) {
  std::vector<std::int64_t> expected(values.begin(), values.end());
  std::vector<std::int64_t> shuffled = expected;
  std::reverse(shuffled.begin(), shuffled.end());
  if (shuffled.size() > 2) std::rotate(shuffled.begin(), shuffled.begin() + 1, shuffled.end());
  Case test_case = caseOf(expected, ElementType::Int16);
  test_case.compare["c"] = CompareMode::Multiset;
  RC_ASSERT(compare(test_case, arraysWith(shuffled, ElementType::Int16)).agrees());
  if (shuffled.empty()) return;
  shuffled[0] ^= 1;
  RC_ASSERT(!compare(test_case, arraysWith(shuffled, ElementType::Int16)).agrees());
}

}  // namespace
}  // namespace qgpu::launch
