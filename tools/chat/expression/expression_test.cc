// Syntax, shapes and sizes, and what is said where they are wrong.
#include "tools/chat/expression/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace qgpu::chat {
namespace {

using ::testing::HasSubstr;

// The expression with every operation as a call: "(+ 1 (* 2 3))".
std::string prefixForm(const Expression& expression, std::size_t index) {
  const Step& step = expression.steps[index];
  if (step.operation == Operation::Literal) return step.literal.text();
  std::string text = "(" + std::string(spelling(step.operation));
  for (const std::size_t operand : step.operands) text += ' ' + prefixForm(expression, operand);
  return text + ')';
}
std::string parsed(std::string_view text) {
  const auto expression = parseExpression(text);
  if (!expression) return expression.error().text();
  return prefixForm(*expression, expression->steps.size() - 1);
}

TEST(Expression, PrecedenceIsThatOfPython) {
  EXPECT_EQ(parsed("1 + 2 * 3"), "(+ 1 (* 2 3))");
  EXPECT_EQ(parsed("1 - 2 - 3"), "(- (- 1 2) 3)");
  EXPECT_EQ(parsed("8 / 2 * 3 % 5"), "(% (* (/ 8 2) 3) 5)");
  EXPECT_EQ(parsed("(1 + 2) * 3"), "(* (+ 1 2) 3)");
  EXPECT_EQ(parsed("1 + 1 == 2 * 1"), "(== (+ 1 1) (* 2 1))");
  EXPECT_EQ(parsed("-[1, 2] * 3"), "(* (- [1, 2]) 3)");
  EXPECT_EQ(parsed("2-3"), "(- 2 3)");
  EXPECT_EQ(parsed("2 * -3"), "(* 2 -3)");
  EXPECT_EQ(parsed("--3"), "(- -3)");
  EXPECT_EQ(parsed("-(3)"), "(- 3)");
  EXPECT_EQ(parsed("[1, 2] @ [3, 4] + 1"), "(+ (matmul [1, 2] [3, 4]) 1)");
}

TEST(Expression, WhiteSpaceDoesNotCount) {
  EXPECT_EQ(parsed(" [ 1,2 ,\n3 ]\t+sum( [4] ) "), "(+ [1, 2, 3] (sum [4]))");
}

TEST(Expression, FunctionsTakeOneOrMore) {
  EXPECT_EQ(parsed("max([1, 2])"), "(max [1, 2])");
  EXPECT_EQ(parsed("max(1, 2, 3)"), "(max (max 1 2) 3)");
  EXPECT_EQ(parsed("min([1, 2], 3)"), "(min [1, 2] 3)");
  EXPECT_EQ(parsed("len([1]) + product([2])"), "(+ (count [1]) (prod [2]))");
}

TEST(Expression, NumbersReachFromEndToEnd) {
  EXPECT_EQ(parsed("[-2147483648, 2147483647]"), "[-2147483648, 2147483647]");
  EXPECT_THAT(parsed("2147483648"), HasSubstr("does not fit 32 bits"));
  EXPECT_THAT(parsed("-2147483649"), HasSubstr("does not fit 32 bits"));
  EXPECT_THAT(parsed("- 2147483648"), HasSubstr("does not fit 32 bits"));
  EXPECT_THAT(parsed(std::string(4000, '9')), HasSubstr("does not fit 32 bits"));
}

Shape shape(std::string_view text) {
  const auto expression = parseExpression(text);
  EXPECT_TRUE(expression) << text;
  return expression ? expression->result().shape : Shape{};
}

TEST(Expression, ShapesFollowTheOperands) {
  EXPECT_EQ(shape("[1, 2] * 3"), Shape::list(2));
  EXPECT_EQ(shape("3 - [[1, 2, 3]]"), Shape::matrix(1, 3));
  EXPECT_EQ(shape("[1, 2] @ [3, 4]"), Shape::scalar());
  EXPECT_EQ(shape("[[1, 2], [3, 4], [5, 6]] @ [[1, 2, 3, 4], [5, 6, 7, 8]]"), Shape::matrix(3, 4));
  EXPECT_EQ(shape("[[1, 2], [3, 4], [5, 6]] @ [1, 2]"), Shape::list(3));
  EXPECT_EQ(shape("[1, 2] @ [[1, 2, 3], [4, 5, 6]]"), Shape::list(3));
  EXPECT_EQ(shape("transpose([[1, 2, 3], [4, 5, 6]])"), Shape::matrix(3, 2));
  EXPECT_EQ(shape("sum([[1, 2], [3, 4]])"), Shape::scalar());
  EXPECT_EQ(shape("scan([1, 2, 3])"), Shape::list(3));
}

std::string ones(std::size_t n) {
  std::string text = "[1";
  for (std::size_t i = 1; i < n; ++i) text += ",1";
  return text + ']';
}

TEST(Expression, ListsMustFitTheMachine) {
  EXPECT_TRUE(parseExpression(ones(126)));
  EXPECT_THAT(parsed(ones(127)), HasSubstr("more than 126 numbers"));
  EXPECT_TRUE(parseExpression(ones(126) + "+1"));
  EXPECT_TRUE(parseExpression(ones(63) + '+' + ones(63)));
  EXPECT_THAT(parsed(ones(64) + '+' + ones(64)), HasSubstr("needs 128 words of memory"));
  EXPECT_TRUE(parseExpression(ones(62) + '@' + ones(62)));
  EXPECT_THAT(parsed(ones(63) + '@' + ones(63)), HasSubstr("needs 128 words of memory"));
  EXPECT_TRUE(parseExpression("sum(" + ones(124) + ')'));
  EXPECT_FALSE(parseExpression("sum(" + ones(125) + ')'));
  EXPECT_TRUE(parseExpression("transpose([" + ones(63) + "])"));
  EXPECT_FALSE(parseExpression("transpose([" + ones(64) + "])"));
}

struct Wrong {
  const char* text;
  const char* where;  // line and column
  const char* message;
};
const Wrong kWrong[] = {
    {"", "1:1", "there is no expression"},
    {"  ", "1:3", "there is no expression"},
    {"1 +", "1:4", "ends where a value should stand"},
    {"1 2", "1:3", "'2' where an operator should stand"},
    {"[1, 2", "1:6", "ends where ',' or ']' should stand"},
    {"[1, ]", "1:5", "']' where a number should stand"},
    {"[]", "1:3", "an empty list"},
    {"[[]]", "1:4", "an empty list"},
    {"[[1, 2], [3]]", "1:11", "row 2 is not as long as the first, which has 2"},
    {"[[1], 2]", "1:7", "'2' where another row should stand"},
    {"[1, [2]]", "1:5", "a list where a number should stand"},
    {"[[[1]]]", "1:3", "a list where a number should stand"},
    {"1.5", "1:2", "a fraction"},
    {"1e5", "1:2", "a letter in a number"},
    {"0x10", "1:2", "a letter in a number"},
    {"2 ** 3", "1:3", "there is no **"},
    {"7 // 2", "1:3", "there is no //"},
    {"x + 1", "1:1", "there is no 'x'"},
    {"mean([1, 2])", "1:1", "there is no 'mean'"},
    {"sum", "1:4", "ends where '(' should stand"},
    {"sum()", "1:5", "')' where a value should stand"},
    {"sum([1], [2])", "1:1", "sum takes one argument"},
    {"dot([1])", "1:1", "dot takes 2 arguments"},
    {"max(1,2,3,4,5,6,7,8,9)", "1:1", "max takes 1 to 8 arguments"},
    {"sum(3)", "1:1", "sum of a number"},
    {"sort([[1]])", "1:1", "sort of a matrix of 1 by 1"},
    {"transpose([1])", "1:1", "transpose of a list of 1"},
    {"[1, 2] + [1, 2, 3]", "1:8", "+ of a list of 2 and a list of 3"},
    {"[1, 2] @ 3", "1:8", "use * to multiply by a number"},
    {"[1, 2] @ [1, 2, 3]", "1:8", "2 elements do not meet 3"},
    {"dot([[1]], [1])", "1:1", "dot takes two lists"},
    {"1 < 2 < 3", "1:7", "two comparisons in a row"},
    {"(1", "1:3", "ends where ')' should stand"},
    {"1)", "1:2", "')' where an operator should stand"},
    {"1\n+\n$", "3:1", "'$' where a value should stand"},
    {"3 \xc3\x97 4", "1:3", "a character that is not of the language"},
    {"\xff", "1:1", "a character that is not of the language"},
    {"1 = 1", "1:3", "'=' where an operator should stand"},
};

TEST(Expression, WhatIsWrongIsSaidWithItsPlace) {
  for (const Wrong& wrong : kWrong) {
    const auto expression = parseExpression(wrong.text);
    ASSERT_FALSE(expression) << wrong.text;
    EXPECT_EQ(expression.error().kind, FailureKind::Refusal);
    EXPECT_EQ(expression.error().location.text(), std::string("expression:") + wrong.where)
        << wrong.text << ": " << expression.error().text();
    EXPECT_THAT(expression.error().text(), HasSubstr(wrong.message)) << wrong.text;
  }
}

TEST(Expression, HostileTextIsRefusedAtOnce) {
  EXPECT_THAT(parsed(std::string(2000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(parsed(std::string(2000, '-') + "[1]"), HasSubstr("nested too deeply"));
  EXPECT_THAT(parsed(std::string(1000000, '1')), HasSubstr("1000000 characters"));
  std::string long_sum = "1", calls;
  for (int i = 0; i < 100; ++i) long_sum += "+1", calls += "abs(";
  EXPECT_THAT(parsed(long_sum), HasSubstr("more than 32 operations"));
  EXPECT_THAT(parsed(calls), HasSubstr("nested too deeply"));
}

// Any bytes: an expression or a refusal that points into the text, nothing else.
RC_GTEST_PROP(Expression, AnyTextIsReadOrRefused, (std::vector<unsigned char> picks)) {
  constexpr std::string_view kAlphabet = "[](),0129-+*/%@<>=! sumaxdot\n\xff\xc3";
  std::string text;
  for (const unsigned char pick : picks) text += kAlphabet[pick % kAlphabet.size()];
  const auto expression = parseExpression(text);
  if (expression) {
    RC_ASSERT(!expression->steps.empty());
  } else {
    RC_ASSERT(expression.error().kind == FailureKind::Refusal);
    RC_ASSERT(expression.error().location.line >= 1);
  }
}

}  // namespace
}  // namespace qgpu::chat
