// Hostile case files: thousands of damaged texts, each of which gives a Case or a Refusal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/launch/case_file.h"

namespace qgpu::launch {
namespace {

constexpr std::string_view kSeed = R"({
  "name": "mixed", "kernel": "kernels/mixed.cu", "entry": "mixed", "family": "mixed",
  "grid": [2, 1, 1], "block": [4, 2, 1], "shared_bytes": 96, "needs": ["a", "b"],
  "params": [
    {"name": "x", "kind": "array", "elem": "int", "length": 4, "data": [1, -2, 3, 2147483647]},
    {"name": "b", "kind": "array", "elem": "uint8", "length": 3, "data": [0, 255, 7]},
    {"name": "f", "kind": "array", "elem": "float", "length": 2, "data": [1.5, -2e10]},
    {"name": "n", "kind": "scalar", "type": "int64", "value": -9223372036854775808},
    {"name": "s", "kind": "struct", "fields": [{"name": "w", "type": "int8"}, {"name": "v", "type": "int16", "length": 2}],
     "value": {"w": -1, "v": [1, 2]}}],
  "expect": "pass", "expected": {"x": [9, 8, 7, 6], "b": [1, 2, 3]}, "compare": {"x": "multiset"},
  "reject": {"stage": "run", "reason": "none"}
})";

// Words that meet the reader's own vocabulary, and numbers at the edges.
const std::vector<std::string> kWords = {"null",
                                         "true",
                                         "-1",
                                         "0",
                                         "1e400",
                                         "4294967296",
                                         "18446744073709551616",
                                         "\"int\"",
                                         "\"struct\"",
                                         "\"scalar\"",
                                         "[]",
                                         "{}",
                                         "[[[]]]",
                                         "\"\\u0000\"",
                                         "\"\\ud800\"",
                                         "\xff",
                                         "\"",
                                         "2147483648",
                                         "[1,2,3,4,5]",
                                         "1.5",
                                         "\"x\"",
                                         "\"length\": 1048577",
                                         "\"length\": -1",
                                         "{\"name\": \"x\"}"};

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t changes = 1 + below(2);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  // The span of one JSON token at or after a random place.
  std::pair<std::size_t, std::size_t> token(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \n,:", below(text.size()));
    if (first == std::string::npos) return {0, 1};
    const std::size_t last = text.find_first_of(" \n,:]}", first + 1);
    return {first, (last == std::string::npos ? text.size() : last) - first};
  }

  void change(std::string& text) {
    if (text.size() < 2) return;
    const std::size_t at = below(text.size());
    switch (below(12)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, 1 + below(20)); break;
      case 2: text.insert(at, text.substr(below(text.size()), 1 + below(60))); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, kWords[below(kWords.size())]); break;
      default: {
        const auto [first, length] = token(text);
        text.replace(first, length, kWords[below(kWords.size())]);
      }
    }
  }

  std::mt19937 random_;
};

TEST(CaseMutation, EveryDamagedCaseIsReadOrRefused) {
  ASSERT_TRUE(parseCase(kSeed, "seed").has_value()) << parseCase(kSeed, "seed").error().text();
  int accepted = 0;
  int syntax = 0;
  int semantic = 0;
  for (std::uint32_t seed = 0; seed < 10000; ++seed) {
    const std::string text = Mutator(seed).mutate(std::string(kSeed));
    const auto parsed = parseCase(text, "mutant");
    if (!parsed) {
      ASSERT_EQ(parsed.error().kind, FailureKind::Refusal) << text;
      ASSERT_FALSE(parsed.error().message.empty()) << text;
      ++(parsed.error().message.starts_with("not valid JSON") ? syntax : semantic);
      continue;
    }
    ++accepted;
    // What was accepted is sound and can be written and read again.
    ASSERT_TRUE(validate(parsed->launch).has_value()) << text;
    const auto again = parseCase(formatCase(*parsed), "again");
    ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << text;
    ASSERT_EQ(*again, *parsed) << text;
  }
  // The damage must reach every part of the reader.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(syntax, 1000);
  EXPECT_GT(semantic, 500);
}

TEST(CaseMutation, HugeShallowTextsTakeNoTimeToSpeakOf) {
  std::string keys = "{";
  for (int i = 0; i < 200000; ++i) keys += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_FALSE(parseCase(keys + "\"z\":0}", "keys").has_value());
  const std::string list(3000000, ' ');
  EXPECT_FALSE(parseCase("{\"kernel\": [" + list + "1]}", "spaces").has_value());
  EXPECT_FALSE(parseCase(std::string(kMaxCaseBytes + 1, ' '), "large").has_value());
}

}  // namespace
}  // namespace qgpu::launch
