// The protocol: what a machine takes, what it refuses, and that a refusal changes nothing.
#include "interpreter/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/random.h"

namespace qgpu::machine {
namespace {

using isatest::Random;
using protocol::Image;
using protocol::Token;
using protocol::TokenKind;
using ::testing::HasSubstr;

// a[tid] = big + tid, with a live value and a predicate in front.
constexpr std::string_view kProgram =
    "block 0:\n  mov r1!, c0\n  setp.lt p1!, tid, 2\n  jump 1\n"
    "block 1:\n  add _, r1, tid\n  st [global 4 + tid*4], s1\n  exit\n";

Image imageOf(std::string_view text, int threads = 4, int thread_blocks = 1) {
  const auto program = isa::assemble(text, "t");
  check(program.has_value(), program ? "" : program.error().text());
  return {.program = protocol::encode(*program),
          .parameters = {0x12345678},
          .memory = {{100, 7}},
          .thread_blocks = thread_blocks,
          .threads = threads};
}

void feed(Machine& machine, const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    const auto ok = machine.step(token);
    ASSERT_TRUE(ok) << token.text() << ": " << ok.error().text();
  }
}

std::vector<std::string> written(Machine& machine) {
  std::vector<std::string> out;
  while (const auto token = machine.next()) {
    out.push_back(token->text());
    if (!machine.step(*token)) break;
  }
  return out;
}

TEST(Machine, WritesTheTokensOfALaunch) {
  Machine machine;
  EXPECT_EQ(machine.phase(), Phase::Host);
  EXPECT_FALSE(machine.next());
  feed(machine, protocol::hostTokens(imageOf(kProgram)));
  EXPECT_EQ(machine.phase(), Phase::Model);
  // 0x12345678 in ten, thirteen and nine bits; in nine, thirteen and ten.
  EXPECT_THAT(
      written(machine),
      ::testing::ElementsAre("EXEC 0 0 1111", "VAL 1 U -392", "EXT1 3349", "EXT2 36", "PRED 1 0011",
                             "EXEC 1 0 1111", "MEM 1 120", "EXT1 6699", "EXT2 72", "MEM 2 121",
                             "EXT1 6699", "EXT2 72", "MEM 3 122", "EXT1 6699", "EXT2 72",
                             "MEM 4 123", "EXT1 6699", "EXT2 72", "HALT"));
  EXPECT_EQ(machine.phase(), Phase::Halted);
  const State& state = machine.state();
  EXPECT_EQ(state.global[1], 0x12345678u);
  EXPECT_EQ(state.global[4], 0x1234567bu);
  EXPECT_EQ(state.global[100], 7u);
  EXPECT_EQ(state.warps[0].reg(1), (LaneWords{0x12345678, 0x12345678, 0x12345678, 0x12345678}));
  EXPECT_EQ(state.warps[0].predicates[1], 0b0011);
}

// A receiver sees each prefix of a word, sign-extended.
TEST(Machine, WordsGrowPartByPart) {
  Machine machine;
  feed(machine, protocol::hostTokens(imageOf(kProgram)));
  const auto step = [&] { ASSERT_TRUE(machine.step(*machine.next())); };
  step();  // EXEC
  EXPECT_EQ(machine.state().warps[0].reg(1)[0], 0u);
  step();  // VAL -392
  EXPECT_EQ(machine.state().warps[0].reg(1)[0], static_cast<std::uint32_t>(-392));
  step();  // EXT1: 23 bits, 0x345678, of which the top one is 0
  EXPECT_EQ(machine.state().warps[0].reg(1)[0], 0x345678u);
  step();
  EXPECT_EQ(machine.state().warps[0].reg(1)[3], 0x12345678u);
}

TEST(Machine, TheHostsTokensAreTheState) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const isatest::MachineCase launch = isatest::generateCase(seed);
    const Image image = launch.image();
    Machine machine;
    feed(machine, protocol::hostTokens(image));
    const State& state = machine.state();
    for (std::size_t i = 0; i < image.program.size(); ++i)
      ASSERT_EQ(state.program[i], image.program[i]);
    for (std::size_t i = 0; i < image.parameters.size(); ++i)
      ASSERT_EQ(state.parameters[i], image.parameters[i]);
    for (const protocol::MemoryWord& m : image.memory)
      ASSERT_EQ(m.address < 128 ? state.global[m.address] : state.shared[m.address - 128], m.value);
    ASSERT_EQ(state.nctaid, image.thread_blocks);
    ASSERT_EQ(state.ntid, image.threads);
  }
}

// ---- Refusals. ----

void expectRefused(Machine& machine, const Token& token) {
  const State before = machine.state();
  const auto next = machine.next();
  const Phase phase = machine.phase();
  const auto taken = machine.step(token);
  ASSERT_FALSE(taken) << token.text();
  ASSERT_EQ(taken.error().kind, FailureKind::Refusal);
  ASSERT_TRUE(machine.state() == before) << token.text();
  ASSERT_EQ(machine.next(), next);
  ASSERT_EQ(machine.phase(), phase);
}

// At three points of a launch the whole vocabulary but one token, at the others a sample of it.
TEST(Machine, RefusesEveryOtherTokenInTheModelsTurn) {
  Machine machine;
  feed(machine, protocol::hostTokens(imageOf(kProgram, 6, 2)));
  Random random(1);
  for (int position = 0; machine.next(); ++position) {
    const Token next = *machine.next();
    const bool whole = position == 0 || position == 2 || position == 4;
    for (int id = 0; id < protocol::vocabulary(); id += whole ? 1 : 1 + random.below(400)) {
      if (id == next.id()) continue;
      const Token other = *Token::fromId(id);
      // Comparing whole states at each would take minutes; a sample does.
      if (random.below(200) == 0)
        ASSERT_NO_FATAL_FAILURE(expectRefused(machine, other));
      else
        ASSERT_FALSE(machine.step(other)) << other.text();
    }
    ASSERT_EQ(machine.next(), next);
    ASSERT_TRUE(machine.step(next));
  }
  EXPECT_EQ(machine.phase(), Phase::Halted);
}

// The whole vocabulary in the host's turn: what is taken is said here a second time.
TEST(Machine, TakesWhatTheHostMayWrite) {
  Random random(2);
  const auto allowed = [](const Token& t, int open_parts, bool grid) {
    switch (t.kind) {
      case TokenKind::Code: return t.field[1] < 4 || t.field[2] == 0;
      case TokenKind::Param:
      case TokenKind::Mem:
      case TokenKind::Grid: return true;
      case TokenKind::Cta: return grid && t.field[0] == 0;
      case TokenKind::Ext1: return open_parts == 1;
      case TokenKind::Ext2: return open_parts == 2 && t.field[0] < 1024;  // ten bits after a MEM
      default: return false;
    }
  };
  const std::vector<std::vector<Token>> prefixes = {
      {},
      {Token::grid(2)},
      {Token::grid(2), Token::mem(3, 9)},
      {Token::grid(2), Token::mem(3, 9), Token::ext(1, 8)},
      {Token::grid(2), Token::mem(3, 9), Token::ext(1, 8), Token::ext(2, 7)},
      {Token::mem(3, 9), Token::grid(2)}};
  const std::array<int, 6> open = {0, 0, 1, 2, 3, 0};
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    Machine before;
    feed(before, prefixes[i]);
    for (int id = 0; id < protocol::vocabulary(); id += i < 2 ? 1 : 1 + random.below(30)) {
      const Token token = *Token::fromId(id);
      const bool expected = allowed(token, open[i], i > 0);
      if (!expected) {
        // One machine for all refusals: none of them may change it.
        ASSERT_FALSE(before.step(token)) << token.text();
      } else if (id % 50 == 0) {
        Machine copy = before;
        ASSERT_TRUE(copy.step(token)) << token.text();
      }
    }
    Machine again;
    feed(again, prefixes[i]);
    EXPECT_TRUE(before.state() == again.state());
  }
}

TEST(Machine, RefusesFieldsOutOfRange) {
  Machine machine;
  for (const Token& token : {Token{TokenKind::Code, {32, 0, 0, 0}}, Token{TokenKind::Mem, {192, 0}},
                             Token{TokenKind::Param, {32, 0}}, Token{TokenKind::Grid, {0}},
                             Token{TokenKind::Grid, {257}}})
    expectRefused(machine, token);
  feed(machine, {Token::grid(1)});
  expectRefused(machine, {TokenKind::Cta, {0, 0}});
  expectRefused(machine, {TokenKind::Cta, {0, 33}});
}

// The word that the model wrote last is closed when the launch is over.
TEST(Machine, NoWordStaysOpenAcrossTheEnd) {
  Machine machine;
  Image image = imageOf("block 0:\nst [global 4 + r0], tid\nexit", 1);
  feed(machine, protocol::hostTokens(image));
  EXPECT_THAT(written(machine), ::testing::ElementsAre("EXEC 0 0 0001", "MEM 1 0", "HALT"));
  expectRefused(machine, Token::ext(1, 1));
  expectRefused(machine, Token::ext(2, 1));
}

TEST(Machine, TheHostWritesAgainAfterTheEnd) {
  Machine machine;
  feed(machine, protocol::hostTokens(imageOf(kProgram)));
  written(machine);
  expectRefused(machine, Token::halt());
  expectRefused(machine, Token::exec(0, 0, 1));
  // Registers, predicates and memory survive; a second launch reads them.
  feed(machine,
       protocol::hostTokens(imageOf("block 0:\n@p1 mov _, r1\nst [global 40 + tid*4], s1\nexit")));
  written(machine);
  EXPECT_EQ(machine.state().global[10], 0x12345678u);
  EXPECT_EQ(machine.state().global[12], 0u);
  EXPECT_EQ(machine.state().global[2], 0x12345679u);
}

TEST(Machine, TheHostWritesAgainAfterATrap) {
  Machine machine;
  feed(machine,
       protocol::hostTokens(imageOf("block 0:\nmov r1!, 3\nst [global 0 + tid*4], 0\nexit")));
  EXPECT_THAT(written(machine), ::testing::ElementsAre("EXEC 0 0 1111", "TRAP"));
  EXPECT_EQ(machine.phase(), Phase::Trapped);
  EXPECT_THAT(machine.trapReason().message, HasSubstr("global byte 0, thread 0 of thread block 0"));
  // A block that faults writes nothing.
  EXPECT_EQ(machine.state().warps[0].reg(1), LaneWords{});
  feed(machine, protocol::hostTokens(imageOf(kProgram)));
  written(machine);
  EXPECT_EQ(machine.phase(), Phase::Halted);
}

TEST(MachineDeathTest, NoReasonWithoutATrap) {
  Machine machine;
  EXPECT_DEATH((void)machine.trapReason(), "trapped");
}

// A block that does not decode or breaks a rule is refused when it should run, not before.
TEST(Machine, RefusesToRunABrokenBlock) {
  const auto refusal = [](auto change) {
    Image image = imageOf(kProgram);
    change(image.program[0]);
    Machine machine;
    feed(machine, protocol::hostTokens(image));
    expectRefused(machine, Token::exec(0, 0, 15));
    return machine.step(Token::exec(0, 0, 15)).error().message;
  };
  EXPECT_THAT(refusal([](isa::BlockWords& w) { w[0] |= 63; }),
              HasSubstr("block 0: no instruction"));
  EXPECT_THAT(refusal([](isa::BlockWords& w) { w[8] |= 1u << 30; }), HasSubstr("spare bits"));
  EXPECT_THAT(refusal([](isa::BlockWords& w) { w[3] |= 1u << 9; }), HasSubstr("block 0, slot 2"));
  EXPECT_THAT(refusal([](isa::BlockWords& w) { w[8] = 0; }),
              HasSubstr("block 0 is never a target"));
}

// A block is decoded once; a CODE token makes the machine look again.
TEST(Machine, SeesCodeThatChanges) {
  Machine machine;
  feed(machine, protocol::hostTokens(imageOf("block 0:\nst [global 4 + tid*4], 4\nexit")));
  written(machine);
  EXPECT_EQ(machine.state().global[3], 4u);
  feed(machine, protocol::hostTokens(imageOf("block 0:\nst [global 8 + tid*4], 8\nexit")));
  written(machine);
  EXPECT_EQ(machine.state().global[1], 4u);
  EXPECT_EQ(machine.state().global[2], 8u);
  EXPECT_EQ(machine.state().global[5], 8u);
}

// ---- Whole launches. ----

TEST(Launch, CountsItsTokens) {
  Machine machine;
  const auto host = protocol::hostTokens(imageOf(kProgram));
  const auto result = launch(machine, host, 100);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->written.size(), 19u);
  EXPECT_EQ(result->host_tokens, static_cast<std::int64_t>(host.size()));
}

TEST(Launch, TheBudgetIsATrap) {
  const auto host = protocol::hostTokens(imageOf(kProgram));
  for (const std::int64_t budget : {0, 1, 18}) {
    Machine machine;
    const auto result = launch(machine, host, budget);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::Trap);
    EXPECT_THAT(result.error().message, HasSubstr("did not end within"));
  }
  Machine enough;
  EXPECT_TRUE(launch(enough, host, 19));
  Machine endless;
  const auto loop = protocol::hostTokens(imageOf("block 0:\njump 1\nblock 1:\njump 1"));
  EXPECT_EQ(launch(endless, loop, 1000).error().kind, FailureKind::Trap);
}

TEST(Launch, RefusesAPromptThatStartsNothing) {
  Machine machine;
  const std::vector<Token> host = {Token::mem(1, 1)};
  EXPECT_THAT(launch(machine, host, 10).error().message, HasSubstr("start no launch"));
  const std::vector<Token> wrong = {Token::halt()};
  EXPECT_THAT(launch(machine, wrong, 10).error().message, HasSubstr("not the host's"));
}

}  // namespace
}  // namespace qgpu::machine
