#include "tools/api/trace_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "interpreter/base/sha256.h"
#include "interpreter/testing/sanitized.h"
#include "tools/api/trace.h"

namespace qgpu {
namespace {

using protocol::Token;
using ::testing::HasSubstr;

constexpr const char* kName = "t.trace";
constexpr std::size_t kLinesApart = isatest::unlessSanitized(1, 16);

// A launch's two parts with any tokens at all: the file keeps what it is given.
struct Written {
  std::vector<Token> host = {Token::param(3, 5), Token::grid(2), Token::cta(0, 4)};
  EngineRun run;

  explicit Written(std::size_t tokens, Ending ending = Ending::Halted) {
    run.ending = ending;
    run.end_state = sha256("state");
    for (std::size_t i = host.size(); i < tokens; ++i)
      run.written.push_back(
          Token::val(static_cast<int>(1 + i % 15), 0, static_cast<std::uint32_t>(i % 1000)));
  }
  std::string text(const std::string& circuit = {}) const {
    return traceText({"k<<<2, 4>>>", "model", circuit}, host, run);
  }
  std::vector<Token> tokens() const {
    std::vector<Token> all = host;
    all.insert(all.end(), run.written.begin(), run.written.end());
    return all;
  }
};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
std::string textOf(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

// Whether a reader would notice, and the line that it names.
int noticedAt(const std::string& text) {
  const auto trace = readTraceText(text, kName);
  if (!trace) return trace.error().location.line;
  return trace->damage ? trace->damage->location.line : 0;
}

TEST(TraceFileTest, KeepsTokensOriginAndEnding) {
  for (const std::size_t tokens : {4u, 1023u, 1024u, 1025u, 3000u})
    for (const Ending ending : {Ending::Halted, Ending::Trapped, Ending::OutOfTokens}) {
      const Written written(tokens, ending);
      const auto trace = readTraceText(written.text("abc"), kName);
      ASSERT_TRUE(trace.has_value()) << trace.error().text();
      EXPECT_FALSE(trace->damage) << trace->damage->text();
      EXPECT_TRUE(trace->chained);
      EXPECT_EQ(trace->tokens, written.tokens());
      EXPECT_EQ(trace->origin, (TraceOrigin{"k<<<2, 4>>>", "model", "abc"}));
      EXPECT_EQ(trace->ending, ending);
      EXPECT_EQ(trace->end_state, written.run.end_state);
      EXPECT_EQ(trace->launch, sha256("PARAM 3 5\nGRID 2\nCTA 0 4\n"));
    }
}

// The hashes as the header of trace_file.h defines them, from the file's text alone.
TEST(TraceFileTest, TheChainIsTheOneThatIsSpecified) {
  const std::string text = Written(2500).text();
  std::string hash, since;
  int marks = 0;
  for (const std::string& line : linesOf(text)) {
    if (!line.starts_with("# chain") && !line.starts_with("# end")) {
      since += line + '\n';
      continue;
    }
    const std::size_t at = line.size() - 64;
    const std::string expected = sha256(hash + since + line.substr(0, at));
    EXPECT_EQ(line.substr(at), expected) << line;
    hash = expected;
    since.clear();
    ++marks;
  }
  EXPECT_EQ(marks, 3);
  EXPECT_EQ(readTraceText(text, kName)->chain, hash);
}

TEST(TraceFileTest, LinesOfTokens) {
  const Written written(2500);
  const auto lines = linesOf(written.text());
  const auto trace = readTraceText(written.text(), kName);
  for (std::size_t i = 0; i < trace->tokens.size(); ++i) {
    const int line = trace->lineOf(static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(lines[static_cast<std::size_t>(line) - 1], trace->tokens[i].text());
  }
}

// Every line altered, left out, doubled, or put behind the next: noticed, in its own block.
TEST(TraceFileTest, EveryChangeOfALineIsNoticedAtItsBlock) {
  const std::string text = Written(kTraceBlock + 20).text();
  const auto lines = linesOf(text);
  ASSERT_EQ(noticedAt(text), 0);
  const auto chain = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("# chain"); });
  const int block_end = static_cast<int>(chain - lines.begin()) + 1;
  for (std::size_t i = 0; i < lines.size(); i += kLinesApart) {
    std::array<std::vector<std::string>, 4> changed = {lines, lines, lines, lines};
    std::string& altered = changed[0][i];
    altered.back() = altered.back() == '1' ? '0' : '1';
    changed[1].erase(changed[1].begin() + static_cast<std::ptrdiff_t>(i));
    changed[2].insert(changed[2].begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    if (i + 1 < lines.size())
      std::swap(changed[3][i], changed[3][i + 1]);
    else
      changed[3].pop_back();
    for (std::size_t way = 0; way < changed.size(); ++way) {
      if (changed[way] == lines) continue;
      const int at = noticedAt(textOf(changed[way]));
      ASSERT_GT(at, 0) << "line " << i + 1 << ", way " << way;
      // A missing chain line shows one line behind it.
      const int line = static_cast<int>(i) + 1;
      const bool in_its_block =
          line < block_end - 1 ? at <= block_end + 1 : line <= block_end || at > block_end;
      ASSERT_TRUE(in_its_block) << "line " << line << ", way " << way << ": " << at;
    }
  }
}

TEST(TraceFileTest, EveryByteCounts) {
  const std::string text = Written(20).text("abc");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    // Without its first line it is a list of plain tokens, or not even that.
    ASSERT_GT(noticedAt(changed), 0) << i;
    ASSERT_TRUE(!readTraceText(text.substr(0, i), kName) || noticedAt(text.substr(0, i)) > 0) << i;
  }
  EXPECT_GT(noticedAt(text + '\n'), 0);
  EXPECT_GT(noticedAt(text + "HALT\n"), 0);
  EXPECT_GT(noticedAt(text + text), 0);
}

TEST(TraceFileTest, PlainTokensAreATraceWithoutAChain) {
  const auto trace = readTraceText("GRID 1\nCTA 0 3\nHALT\n", kName);
  ASSERT_TRUE(trace.has_value());
  EXPECT_FALSE(trace->chained);
  EXPECT_FALSE(trace->damage);
  EXPECT_EQ(trace->tokens.size(), 3u);
  EXPECT_EQ(trace->lineOf(2), 2);
}

TEST(TraceFileTest, RefusesOtherVersionsAndOtherLines) {
  const auto newer = readTraceText("# qgpu trace 2\nHALT\n", kName);
  ASSERT_FALSE(newer.has_value());
  EXPECT_THAT(newer.error().message, HasSubstr("version"));
  EXPECT_FALSE(readTraceText("# qgpu trace 1\n# colour red\nHALT\n", kName).has_value());
  EXPECT_FALSE(readTraceText("# qgpu trace 1\nHALT\n# remark\n", kName).has_value());
  EXPECT_FALSE(readTraceText("# qgpu trace 1\n", kName).has_value());
  EXPECT_FALSE(readTraceText("", kName).has_value());
  EXPECT_FALSE(readTrace("/no/such/file").has_value());
}

TEST(TraceFileTest, AKernelsNameStaysOnItsLine) {
  Written written(8);
  const std::string text =
      traceText({"k\n# end 0 halted 0 0", "model", ""}, written.host, written.run);
  const auto trace = readTraceText(text, kName);
  ASSERT_TRUE(trace.has_value());
  EXPECT_FALSE(trace->damage);
  EXPECT_EQ(trace->origin.kernel, "k?# end 0 halted 0 0");
}

// Whatever is read, it ends, and nothing but what was written passes for it.
RC_GTEST_PROP(TraceFileTest, NothingElsePassesForIt, ()) {
  const std::string text = Written(40).text();
  const auto lines = linesOf(text);
  auto changed = lines;
  const int edits = *rc::gen::inRange(1, 4);
  for (int e = 0; e < edits && !changed.empty(); ++e) {
    const auto at = static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, changed.size()));
    const auto from = static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, lines.size()));
    switch (*rc::gen::inRange(0, 3)) {
      case 0: changed[at] = lines[from]; break;
      case 1: changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at)); break;
      default: changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), lines[from]);
    }
  }
  const auto trace = readTraceText(textOf(changed), kName);
  const bool passes = trace && trace->chained && !trace->damage;
  RC_ASSERT(passes == (changed == lines));
}

}  // namespace
}  // namespace qgpu
