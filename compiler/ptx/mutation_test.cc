// Damaged files: each parses, or is refused with a place. Those that parse must also survive
// printing.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "compiler/ptx/lexer.h"
#include "compiler/ptx/testing.h"
#include "interpreter/base/files.h"

namespace qgpu::ptx {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// Where the tokens of a text begin and end.
std::vector<std::pair<std::size_t, std::size_t>> tokens(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  Lexer lexer(text);
  for (Token t = lexer.next(); t.kind != TokenKind::End && t.kind != TokenKind::Error;
       t = lexer.next()) {
    const auto start = static_cast<std::size_t>(t.text.data() - text.data());
    result.emplace_back(start, start + t.text.size());
  }
  return result;
}

std::string flipBytes(std::string text, Random& random) {
  for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
    text[below(random, text.size())] ^= static_cast<char>(1u << below(random, 8));
  }
  return text;
}

std::string replaceBytes(std::string text, Random& random) {
  constexpr std::string_view kLikely = ".,;:[]{}()|@!%+-*/<>=_$0123456789xrsub \n\"#\\";
  for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
    text[below(random, text.size())] = kLikely[below(random, kLikely.size())];
  }
  return text;
}

std::string swapTokens(const std::string& text, Random& random) {
  const auto all = tokens(text);
  auto a = all[below(random, all.size())];
  auto b = all[below(random, all.size())];
  if (a.first > b.first) std::swap(a, b);
  if (a.second > b.first) return text;
  return text.substr(0, a.first) + text.substr(b.first, b.second - b.first) +
         text.substr(a.second, b.first - a.second) + text.substr(a.first, a.second - a.first) +
         text.substr(b.second);
}

std::string deleteTokens(const std::string& text, Random& random) {
  const auto all = tokens(text);
  const std::size_t first = below(random, all.size());
  const std::size_t last = std::min(all.size() - 1, first + below(random, 3));
  return text.substr(0, all[first].first) + text.substr(all[last].second);
}

std::string duplicateTokens(const std::string& text, Random& random) {
  const auto all = tokens(text);
  const std::size_t first = below(random, all.size());
  const std::size_t last = std::min(all.size() - 1, first + below(random, 12));
  const std::string part = text.substr(all[first].first, all[last].second - all[first].first);
  return text.substr(0, all[last].second) + " " + part + " " + text.substr(all[last].second);
}

std::string moveTokens(const std::string& text, Random& random) {
  const auto all = tokens(text);
  const auto from = all[below(random, all.size())];
  const auto to = all[below(random, all.size())];
  return text.substr(0, to.first) + text.substr(from.first, from.second - from.first) + " " +
         text.substr(to.first);
}

std::string truncate(const std::string& text, Random& random) {
  return text.substr(0, below(random, text.size()));
}

// A word of the text where another was.
std::string crossTokens(const std::string& text, Random& random) {
  const auto all = tokens(text);
  const auto from = all[below(random, all.size())];
  const auto to = all[below(random, all.size())];
  return text.substr(0, to.first) + text.substr(from.first, from.second - from.first) +
         text.substr(to.second);
}

struct Outcome {
  int parsed = 0;
  int refused = 0;
};

void expectSane(const std::string& text, Outcome& outcome) {
  const auto module = parse(text, "mutant.ptx");
  if (!module) {
    ++outcome.refused;
    EXPECT_EQ(module.error().kind, FailureKind::Refusal);
    EXPECT_GE(module.error().location.line, 1) << module.error().text();
    EXPECT_GE(module.error().location.column, 1) << module.error().text();
    EXPECT_FALSE(module.error().message.empty());
    return;
  }
  ++outcome.parsed;
  const auto again = parse(print(*module), "printed.ptx");
  ASSERT_TRUE(again) << again.error().text() << "\n" << text;
  EXPECT_EQ(*again, *module) << text;
}

TEST(Mutation, DamagedFilesAreRefusedOrParse) {
  std::vector<std::filesystem::path> files = ptxFiles(testdataFolder());
  const auto samples = ptxFiles(sharedCasesFolder());
  files.insert(files.end(), samples.begin(), samples.end());
  const std::vector<std::function<std::string(const std::string&, Random&)>> mutations = {
      flipBytes,       replaceBytes, swapTokens, deleteTokens,
      duplicateTokens, moveTokens,   truncate,   crossTokens};
  constexpr int kRounds = 40;  // enough for the shares below with the files of testdata alone
  Random random(7);
  Outcome outcome;
  for (const auto& file : files) {
    const std::string text = readFile(file).value_or("");
    for (int round = 0; round < kRounds; ++round) {
      for (const auto& mutate : mutations) expectSane(mutate(text, random), outcome);
    }
  }
  RecordProperty("parsed", outcome.parsed);
  RecordProperty("refused", outcome.refused);
  // Most damage is fatal, but some must get past the parser to test the rest.
  EXPECT_GE(outcome.refused, 1000);
  EXPECT_GE(outcome.parsed, 100);
}

// Repetition is what breaks recursive or quadratic parsers.
TEST(Mutation, EndlessRepetitionIsRefusedQuickly) {
  for (const char* unit : {"{",
                           "}",
                           "(",
                           "[",
                           "@",
                           "@%p1 ",
                           "a:",
                           "a",
                           ".",
                           ".u32",
                           "-",
                           "~",
                           "\"",
                           "/*",
                           "//",
                           "0",
                           "{}",
                           "{ a: ",
                           "add.u32 ",
                           "%",
                           "%r",
                           "1+",
                           "1?",
                           "[a",
                           ".reg .b32 a;",
                           ".loc 1 1 1 ",
                           ".global .u32 x = {",
                           "call (",
                           "{%r1,",
                           "bra a;",
                           "\\",
                           "\n"}) {
    std::string text;
    while (text.size() < 300000) text += unit;
    Outcome outcome;
    expectSane(text, outcome);
    expectSane(kernel(text), outcome);
    expectSane(".version 8.0 .target sm_90 " + text, outcome);
  }
}

}  // namespace
}  // namespace qgpu::ptx
