// The questions that come with the program: their answers from plain C++, and from their references
// on the machine.
#include "tools/chat/evaluation/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "tools/chat/tool/tool.h"

namespace qgpu::chat {
namespace {

using List = std::vector<std::int64_t>;
using ::testing::HasSubstr;

std::int64_t sum(const List& a) { return std::accumulate(a.begin(), a.end(), std::int64_t{0}); }
List each(List a, const std::function<std::int64_t(std::int64_t)>& f) {
  std::ranges::transform(a, a.begin(), f);
  return a;
}
List pairs(List a, const List& b,
           const std::function<std::int64_t(std::int64_t, std::int64_t)>& f) {
  std::ranges::transform(a, b, a.begin(), f);
  return a;
}
std::int64_t inner(const List& a, const List& b) { return sum(pairs(a, b, std::multiplies<>())); }
std::int64_t isPrime(std::int64_t n) {
  int divisors = 0;
  for (std::int64_t d = 1; d <= n; ++d) divisors += n % d == 0;
  return divisors == 2;
}
std::int64_t collatzSteps(std::int64_t n) {
  std::int64_t steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

// Worked out from the words of each question, by its id.
const std::map<std::string, List> kAnswers = {
    {"dot", {1 * 4 + 2 * 5 + 3 * 6}},
    {"parcels", {12 + 7 + 31 + 4 + 19}},
    {"invoice", {3 * 10 + 5 * 4 + 12 * 2}},
    {"vector-sum", {4 + 1, -2 + 8, 9 - 5}},
    {"dozens", {7 * 12, 11 * 12, 13 * 12}},
    {"matrix-product", {1 * 5 + 2 * 7, 1 * 6 + 2 * 8, 3 * 5 + 4 * 7, 3 * 6 + 4 * 8}},
    {"matrix-vector", {2 * 4 + 0 * 5 + 1 * 6, 1 * 4 + 3 * 5 - 1 * 6}},
    {"transpose", {1, 4, 2, 5, 3, 6}},
    {"warmest", {std::ranges::max(List{17, 21, 19, 26, 24, 18, 20})}},
    {"lowest-score", {std::ranges::min(List{88, 73, 95, 61, 79, 84})}},
    {"spread", {212 - 87}},
    {"order", {-7, 0, 3, 19, 25, 42, 88}},
    {"balance", {120, 120 - 45, 120 - 45 + 60, 120 - 45 + 60 - 30, 120 - 45 + 60 - 30 + 200}},
    {"product", {2 * 3 * 5 * 7 * 11 * 13}},
    {"even", {sum(each({13, 8, 22, 7, 40, 31, 6, 9}, [](auto v) { return v % 2 == 0; }))}},
    {"passed", {sum(each({35, 62, 50, 48, 91, 77, 50, 12}, [](auto v) { return v > 50; }))}},
    {"squares", {sum(each({3, 7, 12, 20, 25}, [](auto v) { return v * v; }))}},
    {"taxi", {(3 + 2) + (6 + 4) + (10 - 7)}},
    {"minutes", each({135, 200, 59, 121}, [](auto v) { return v % 60; })},
    {"boxes", each({100, 37, 250}, [](auto v) { return v / 12; })},
    {"backwards", {7, 14, 2, 9, 5}},
    {"better-half",
     pairs({12, 30, 7, 25}, {18, 22, 9, 25}, [](auto a, auto b) { return std::max(a, b); })},
    {"polynomial", {3 * 17 * 17 - 4 * 17 + 5}},
    {"large-product", {inner({12345}, {6789})}},
    {"primes", each({2, 9, 11, 15, 17, 21, 23, 25, 29, 1}, isPrime)},
    {"collatz", each({6, 7, 9, 12, 19}, collatzSteps)},
    {"divisors", pairs({48, 81, 17, 100, 270}, {36, 54, 51, 75, 192},
                       [](auto a, auto b) { return std::gcd(a, b); })},
    {"histogram", each({0, 1, 2, 3, 4},
                       [](auto k) {
                         const List all{3, 1, 4, 1, 0, 2, 3, 3, 0, 4, 2, 2, 3, 1, 0, 3};
                         return std::ranges::count(all, k);
                       })},
    {"smoothing",
     {1 + 2 * 4 + 2, 4 + 2 * 2 + 8, 2 + 2 * 8 + 5, 8 + 2 * 5 + 7, 5 + 2 * 7 + 3, 7 + 2 * 3 + 6}},
};

TEST(OwnQuestions, AreTwentyFourAndFive) {
  int normal = 0, advanced = 0;
  for (const Question& question : ownQuestions())
    ++(question.mode == Mode::Normal ? normal : advanced);
  EXPECT_EQ(normal, 24);
  EXPECT_EQ(advanced, 5);
}

TEST(OwnQuestions, HaveTheAnswersThatPlainCodeGives) {
  for (const Question& question : ownQuestions()) {
    ASSERT_TRUE(kAnswers.contains(question.id)) << question.id;
    EXPECT_EQ(question.answer, kAnswers.at(question.id)) << question.id;
  }
}

TEST(OwnQuestions, HaveReferencesThatTheMachineComputes) {
  const auto engine = interpreterEngine();
  const auto calculator = calculatorTool(*engine), kernels = kernelTool(*engine);
  for (const Question& question : ownQuestions()) {
    ASSERT_TRUE(question.reference) << question.id;
    Tool& tool = question.mode == Mode::Normal ? *calculator : *kernels;
    const ToolResult result = tool.run(*question.reference);
    EXPECT_TRUE(result.good) << question.id << ": " << result.response;
    EXPECT_GE(result.launches.size(), 1u) << question.id;
    EXPECT_TRUE(std::ranges::any_of(
        result.values, [&](const auto& value) { return value.second == question.answer; }))
        << question.id << ": " << result.response;
  }
}

// What a model may write: the grammar takes every reference.
TEST(OwnQuestions, HaveReferencesInsideTheGrammar) {
  const auto engine = interpreterEngine();
  for (const Question& question : ownQuestions()) {
    const auto tool = question.mode == Mode::Normal ? calculatorTool(*engine) : kernelTool(*engine);
    std::string body = "\n<function=" + question.reference->name + ">\n";
    for (const auto& [key, value] : question.reference->arguments) {
      const std::string text = value;
      body += "<parameter=" + key + ">\n" + text + (text.ends_with('\n') ? "" : "\n") +
              "</parameter>\n";
    }
    body += "</function>\n";
    Recogniser at(tool->grammar());
    EXPECT_TRUE(at.accept(body) && at.complete()) << body;
  }
}

struct Bad {
  const char* json;
  const char* message;
};

TEST(Questions, FilesThatAreWrongAreRefused) {
  const Bad bad[] = {
      {"", "q.json:1"},
      {"[]", "not a JSON object"},
      {"{}", "no questions"},
      {R"({"normal": []})", "no questions"},
      {R"({"normal": 3})", "normal"},
      {R"({"normal": [3]})", "normal[0]"},
      {R"({"normal": [{"question": "?", "answer": [1]}]})", "id"},
      {R"({"normal": [{"id": "a", "question": "?"}]})", "answer"},
      {R"({"normal": [{"id": "a", "question": "?", "answer": []}]})", "at least one integer"},
      {R"({"normal": [{"id": "a", "question": "?", "answer": ["1"]}]})", "integers"},
      {R"({"normal": [{"id": "a", "question": "?", "answer": [1]}],
           "advanced": [{"id": "a", "question": "?", "answer": [1]}]})",
       "twice"},
      {R"({"advanced": [{"id": "a", "question": "?", "answer": [1], "reference": {}}]})", "kernel"},
  };
  for (const Bad& b : bad) {
    const auto questions = parseQuestions(b.json, "q.json");
    ASSERT_FALSE(questions) << b.json;
    EXPECT_EQ(questions.error().kind, FailureKind::Refusal);
    EXPECT_THAT(questions.error().text(), HasSubstr(b.message));
  }
  EXPECT_TRUE(parseQuestions(R"({"normal": [{"id": "a", "question": "?", "answer": [1]}]})", "q"));
}

}  // namespace
}  // namespace qgpu::chat
