// Expressions on the machine against plain loops over wide integers.
#include "tools/chat/expression/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interpreter/testing/sanitized.h"
#include "tools/chat/expression/plain_evaluation.h"

namespace qgpu::chat {
namespace {

using isatest::unlessSanitized;
using ::testing::HasSubstr;
using testing::Plain;
using testing::PlainWriter;

Calculator& onInterpreter() {
  static const auto engine = interpreterEngine();
  static Calculator calculator(*engine);
  return calculator;
}
Calculator& inModel() {
  static const auto engine = modelEngine().value();
  static Calculator calculator(*engine);
  return calculator;
}

std::string computed(std::string_view text, Calculator& calculator = onInterpreter()) {
  const auto expression = parseExpression(text);
  if (!expression) return expression.error().text();
  const auto outcome = calculator.evaluate(*expression);
  return outcome ? outcome->value.text() : outcome.error().text();
}

// "" where they agree.
std::string disagreement(const Plain& plain, Calculator& calculator) {
  const auto expression = parseExpression(plain.text);
  if (!expression) return plain.text + ": " + expression.error().text();
  const auto outcome = calculator.evaluate(*expression);
  if (!outcome)
    return plain.traps && outcome.error().kind == FailureKind::Trap
               ? ""
               : plain.text + ": " + outcome.error().text();
  const auto& elements = outcome->value.elements;
  const bool same = !plain.traps &&
                    plain.flat() == std::vector<std::int64_t>(elements.begin(), elements.end()) &&
                    static_cast<int>(outcome->value.shape.rank) == plain.rank &&
                    outcome->value.shape.rows == plain.rows.size();
  return same ? "" : plain.text + " = " + outcome->value.text();
}

TEST(Evaluate, ALine) {
  EXPECT_EQ(computed("[1, 2, 3] @ [4, 5, 6]"), "32");
  EXPECT_EQ(computed("[[1, 2], [3, 4]] @ [[5, 6], [7, 8]]"), "[[19, 22], [43, 50]]");
  EXPECT_EQ(computed("-7 / 2"), "-3");
  EXPECT_EQ(computed("-7 % 2"), "-1");
  EXPECT_EQ(computed("sum([3, 8, 5, 6] % 2 == 0)"), "2");
}

TEST(Evaluate, EachOperationIsALaunchAndALiteralIsNone) {
  const auto launches = [](std::string_view text) {
    return onInterpreter().evaluate(parseExpression(text).value()).value().launches.size();
  };
  EXPECT_EQ(launches("[1, 2]"), 0u);
  EXPECT_EQ(launches("[1, 2] + 3"), 1u);
  EXPECT_EQ(launches("sum(abs(-[1, 2])) * 2"), 4u);
}

TEST(Evaluate, WhatDoesNotFitIsATrapAtTheOperation) {
  EXPECT_EQ(computed("1 + [4] / (2 - 2)"), "expression:1:9: trap: division by zero");
  EXPECT_EQ(computed("5 % [0]"), "expression:1:3: trap: division by zero");
  EXPECT_EQ(computed("2147483647 + 1"), "expression:1:12: trap: the result does not fit 32 bits");
  EXPECT_EQ(computed("-[-2147483648]"), "expression:1:1: trap: the result does not fit 32 bits");
  EXPECT_EQ(computed("abs([-2147483648])"),
            "expression:1:1: trap: the result does not fit 32 bits");
  EXPECT_EQ(computed("[-2147483648] / -1"),
            "expression:1:15: trap: the result does not fit 32 bits");
  EXPECT_EQ(computed("[-2147483648] % -1"), "[0]");
  EXPECT_EQ(computed("sum([2147483647, 1])"),
            "expression:1:1: trap: the total does not fit 32 bits");
  EXPECT_EQ(computed("sum([2147483647, 1, -1])"), "2147483647") << "only the total counts";
  EXPECT_EQ(computed("prod([65536, 65536])"),
            "expression:1:1: trap: the product does not fit 32 bits");
  EXPECT_EQ(computed("scan([2147483647, 1, -1])"),
            "expression:1:1: trap: a running sum does not fit 32 bits");
  EXPECT_EQ(computed("[65536] @ [65536]"), "expression:1:9: trap: a product does not fit 32 bits");
  EXPECT_EQ(computed("[[2147483647, 1]] @ [[1], [1]]"),
            "expression:1:19: trap: an element of the result does not fit 32 bits");
}

TEST(Evaluate, FullSizes) {
  std::string text = "[126";
  std::int64_t total = 126;
  for (int i = 1; i < 126; ++i) text += ", " + std::to_string(126 - i), total += 126 - i;
  text += "]";
  EXPECT_THAT(computed("sort(" + text + ")"), HasSubstr("[1, 2, 3, 4,"));
  EXPECT_THAT(computed("reverse(" + text + ")"), HasSubstr("[1, 2, 3, 4,"));
  EXPECT_THAT(computed("scan(" + text + ")"), HasSubstr(", " + std::to_string(total) + "]"));
  EXPECT_THAT(computed(text + " - 1"), HasSubstr("[125, 124,"));
}

// Many on the interpreter, with the share of traps in bounds that keep the test meaningful.
TEST(Evaluate, RandomExpressionsAgreeWithPlainLoops) {
  unsigned traps = 0, operations = 0;
  constexpr unsigned kCount = unlessSanitized(1500u, 300u);
  for (unsigned seed = 0; seed < kCount; ++seed) {
    const Plain plain = PlainWriter(seed).expression(1 + static_cast<int>(seed % 3));
    EXPECT_EQ(disagreement(plain, onInterpreter()), "") << "seed " << seed;
    traps += plain.traps;
    operations += static_cast<unsigned>(parseExpression(plain.text).value().steps.size());
  }
  EXPECT_GT(traps, kCount / 15);
  EXPECT_LT(traps, kCount * 2 / 3);
  EXPECT_GT(operations, kCount * 5 / 2);
}

RC_GTEST_PROP(Evaluate, AnyExpressionAgreesWithPlainLoops, (unsigned seed)) {
  RC_ASSERT(disagreement(PlainWriter(seed).expression(2), onInterpreter()) == "");
}

TEST(Evaluate, RandomExpressionsInTheWeights) {
  for (unsigned seed = 5000; seed < unlessSanitized(5030u, 5005u); ++seed)
    EXPECT_EQ(disagreement(PlainWriter(seed).expression(2), inModel()), "") << "seed " << seed;
}

}  // namespace
}  // namespace qgpu::chat
