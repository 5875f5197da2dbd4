// The recognisers against the parsers behind them: what is accepted is read there, and every text
// can be ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "interpreter/base/json.h"
#include "interpreter/testing/sanitized.h"
#include "model/text/chat.h"
#include "model/text/utf8.h"
#include "tools/chat/expression/expression.h"
#include "tools/chat/expression/plain_evaluation.h"
#include "tools/chat/grammar/call_grammar.h"

namespace qgpu::chat {
namespace {

using isatest::unlessSanitized;

const CallGrammar kExpression = CallGrammar::expression("calculate", "expression");
const CallGrammar kKernel = CallGrammar::kernel("cuda");

constexpr std::string_view kHead = "\n<function=calculate>\n<parameter=expression>\n";
constexpr std::string_view kTail = "\n</parameter>\n</function>\n";

bool accepts(std::string_view expression) {
  Recogniser at(kExpression);
  return at.accept(kHead) && at.accept(expression) && at.accept(kTail) && at.complete();
}

TEST(Recogniser, TakesWhatAModelWrites) {
  for (const char* text :
       {"[1, 2, 3] @ [4, 5, 6]", "[[1, 2], [3, 4]] @ [[5], [6]]", "sum([1,2,3])*-2",
        "(1 + 2) * max([3], 4, 5) - -6", "sum([3, 8, 5] % 2 == 0)", "0", "-2147483648",
        "sort(reverse([2147483647]))", "1<=2", "(1 < 2) < 3", "max(1 < 2, 2 > 3)", "dot([1],[2])",
        "-sum([1])", "-(1)", "-[1]"})
    EXPECT_TRUE(accepts(text)) << text;
}

TEST(Recogniser, TakesNothingElse) {
  for (const char* text : {"",
                           " 1",
                           "1 ",
                           "1  + 2",
                           "1 +  2",
                           "01",
                           "2147483648",
                           "-2147483649",
                           "- 1",
                           "--1",
                           "[]",
                           "[[]]",
                           "[1 ,2]",
                           "[1,]",
                           "[[1, 2], [3]]",
                           "[[1], [2, 3]]",
                           "[[1], 2]",
                           "[1, [2]]",
                           "[[[1]]]",
                           "1.5",
                           "x",
                           "su([1])",
                           "sumx([1])",
                           "sum [1]",
                           "sum()",
                           "dot([1])",
                           "sum([1],[2])",
                           "1 = 1",
                           "1 < 2 < 3",
                           "1 == 2 != 3",
                           "1 ** 2",
                           "1 // 2",
                           "(1",
                           "1)",
                           "((((((((1))))))))",
                           "\xc3\x97"})
    EXPECT_FALSE(accepts(text)) << text;
}

// Texts of random expressions, at their own widths of space: the recogniser is no narrower than a
// model needs. Parentheses and calls nest as deep as it goes.
TEST(Recogniser, TakesRandomExpressions) {
  int taken = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const std::string text = testing::PlainWriter(seed).expression(2).text;
    taken += accepts(text);
    EXPECT_TRUE(accepts(text)) << text;
  }
  EXPECT_GT(taken, 490);
}

// Reads what stands between the tags as the chat does.
model::ToolCall callIn(const std::string& body) {
  const auto message = model::parseAnswer("<tool_call>" + body + "</tool_call>");
  EXPECT_TRUE(message) << body;
  return message ? message->tool_calls.at(0) : model::ToolCall{};
}

void expectReadable(const CallGrammar& grammar, const std::string& body) {
  const model::ToolCall call = callIn(body);
  if (&grammar == &kExpression) {
    ASSERT_EQ(call.arguments.size(), 1u) << body;
    const auto read = parseSyntax(call.arguments[0].second.get<std::string>());
    EXPECT_TRUE(read) << body << "\n" << read.error().text();
    return;
  }
  ASSERT_EQ(call.arguments.size(), 4u) << body;
  EXPECT_EQ(model::findInvalidUtf8(body), std::string_view::npos);
  const auto arguments =
      nlohmann::json::parse(call.arguments[3].second.get<std::string>(), nullptr, false);
  EXPECT_TRUE(arguments.is_object()) << body;
}

struct Walk {
  std::string body;
  std::size_t longest_end = 0;
};

// Bytes at random, mostly such as occur in calls, kept where they can stand; ended after `steps`.
Walk walk(const CallGrammar& grammar, unsigned seed, int steps) {
  std::mt19937 random(seed);
  constexpr std::string_view kLikely = "0123456789[[]],,, ()-+*/%@<>=!\"{}:\nabsumaxdotresrtcn</>";
  Walk result;
  Recogniser at(grammar);
  for (int i = 0; i < steps && !at.complete(); ++i) {
    const std::string end = at.end();
    result.longest_end = std::max(result.longest_end, end.size());
    // Each byte of the end leaves the rest of it.
    Recogniser closing = at;
    EXPECT_TRUE(!end.empty() && closing.accept(end[0])) << result.body << "|" << end;
    EXPECT_EQ(closing.end(), end.substr(1)) << result.body;
    const bool any = random() % 8 == 0;
    const char byte = any                  ? static_cast<char>(random() % 256)
                      : random() % 16 == 0 ? end[0]
                                           : kLikely[random() % kLikely.size()];
    if (at.accept(byte)) result.body += byte;
  }
  result.body += at.end();
  EXPECT_TRUE(at.accept(at.end()));
  EXPECT_TRUE(at.complete());
  return result;
}

TEST(Recogniser, EveryTextCanBeEndedAndIsReadable) {
  std::size_t longest = 0;
  int operations = 0;
  constexpr unsigned kWalks = unlessSanitized(400u, 60u);
  for (unsigned seed = 0; seed < kWalks; ++seed) {
    for (const CallGrammar* grammar : {&kExpression, &kKernel}) {
      const Walk result =
          walk(*grammar, seed, seed % 4 == 0 ? 20000 : 400 + static_cast<int>(seed));
      expectReadable(*grammar, result.body);
      longest = std::max(longest, result.longest_end);
      if (grammar == &kExpression) {
        const std::string text = callIn(result.body).arguments[0].second;
        const auto read = parseSyntax(text);
        operations += read ? static_cast<int>(read->steps.size()) : 0;
      }
    }
  }
  EXPECT_LT(longest, 1000u);
  EXPECT_GT(operations, static_cast<int>(5 * kWalks)) << "the texts are not trivial";
}

// Long walks reach the limits: length, operations, nesting, numbers in a list.
TEST(Recogniser, StaysWithinTheParsersLimits) {
  Recogniser at(kExpression);
  ASSERT_TRUE(at.accept(kHead));
  ASSERT_TRUE(at.accept("[0"));
  int numbers = 1;
  while (at.accept(",0")) ++numbers;
  EXPECT_EQ(numbers, 126);

  const auto count = [](std::string_view first, std::string_view more) {
    Recogniser point(kExpression);
    EXPECT_TRUE(point.accept(kHead) && point.accept(first));
    int n = 0;
    for (Recogniser next = point; next.accept(more); ++n) point = next;
    std::string body(kHead);
    EXPECT_TRUE(point.accept(point.end()));
    return n;
  };
  EXPECT_EQ(count("1", "+1"), 32);
  EXPECT_EQ(count("1 ", "+ 1 "), 31) << "a space promises an operation";
  EXPECT_EQ(count("", "("), 7);
  EXPECT_EQ(count("", "sum("), 7);
  EXPECT_EQ(count("[[1, 2, 3]", ", [1, 2, 3]"), 41);
  Recogniser full(kExpression);
  ASSERT_TRUE(full.accept(kHead) && full.accept("[[1, 2, 3]"));
  for (int row = 1; row < 42; ++row) ASSERT_TRUE(full.accept(",[1,2,3]"));
  EXPECT_FALSE(full.accept(',')) << "126 numbers";
  EXPECT_LT(count("[-2147483648]",
                  "+[-2147483648, -2147483648, -2147483648, -2147483648, "
                  "-2147483648, -2147483648, -2147483648, -2147483648, "
                  "-2147483648, -2147483648, -2147483648, -2147483648]"),
            27)
      << "4096 bytes";
}

TEST(Recogniser, ArgumentsAreLimitedInNumberAndLength) {
  ArgumentsRecogniser at;
  const auto accept = [&](std::string_view text) {
    return std::ranges::all_of(text, [&](char byte) { return at.accept(byte); });
  };
  ASSERT_TRUE(accept("{\"a0\": 1"));
  for (std::size_t i = 1; i < ArgumentsRecogniser::kMostArguments; ++i)
    ASSERT_TRUE(accept(", \"a\": [1]")) << i;
  EXPECT_FALSE(at.accept(','));
  EXPECT_TRUE(at.accept('}') && at.complete());
  at = {};
  ASSERT_TRUE(accept("{\"" + std::string(ArgumentsRecogniser::kLongestName, 'x')));
  EXPECT_FALSE(at.accept('x'));
  EXPECT_TRUE(accept("\": -2147483648, \"_\":4294967295"));
  EXPECT_FALSE(at.accept('0'));
}

TEST(Recogniser, AFalseByteChangesNothing) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::string body = walk(seed % 2 ? kKernel : kExpression, seed, 300).body;
    Recogniser at(seed % 2 ? kKernel : kExpression);
    for (const char byte : body) {
      for (int other = 0; other < 256; ++other) {
        Recogniser probe = at;
        if (!probe.accept(static_cast<char>(other))) {
          ASSERT_EQ(probe.end(), at.end()) << body;
          ASSERT_TRUE(probe.accept(byte));
        }
        if (seed > 4) break;
      }
      ASSERT_TRUE(at.accept(byte));
    }
  }
}

TEST(Recogniser, KernelTextEndsWhereTheReaderEndsIt) {
  const std::string body =
      "\n<function=cuda>\n<parameter=kernel>\n__global__ void k(int *a) { a[0] = 1 < 2; }  // "
      "caf\xc3\xa9\n"
      "</parameter>\n<parameter=grid>\n1\n</parameter>\n<parameter=block>\n32\n</parameter>\n"
      "<parameter=arguments>\n{\"a\": [0, -1, 4294967295], \"n\": 3}\n</parameter>\n</function>\n";
  Recogniser at(kKernel);
  EXPECT_TRUE(at.accept(body));
  EXPECT_TRUE(at.complete());
  EXPECT_EQ(callIn(body).arguments[1].second, "1");
  const auto refused = [](std::string_view text) {
    Recogniser point(kKernel);
    EXPECT_TRUE(point.accept("\n<function=cuda>\n<parameter=kernel>\n"));
    return !point.accept(text);
  };
  EXPECT_TRUE(refused("\xff"));
  EXPECT_TRUE(refused("\xc3("));
  EXPECT_TRUE(refused(std::string_view("\0", 1)));
  EXPECT_TRUE(refused(std::string(8193, 'x')));
  EXPECT_FALSE(refused(std::string(8192, 'x')));
  EXPECT_TRUE(refused("</parameter>x"));
}

}  // namespace
}  // namespace qgpu::chat
