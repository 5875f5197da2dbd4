// The machine net against the interpreter: every token, and after every EXEC what each stage
// computed.
#include "compiler/circuit/machine/machine.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "compiler/circuit/emit.h"
#include "compiler/circuit/evaluator.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::circuit::machine {
namespace {

using isatest::unlessSanitized;
using protocol::Token;
using protocol::TokenKind;

const MachineNet& theMachine() {
  static const MachineNet kMachineNet = buildMachine();
  return kMachineNet;
}

// Launches one after another on one interpreter and one case of the evaluator; state carries over
// from launch to launch in both.
class Lockstep {
 public:
  void begin(const protocol::Image& image) {
    host_ = protocol::hostTokens(image);
    at_ = 0;
  }
  bool finished() const { return at_ >= host_.size() && !reference_.next(); }

  // The next token, which the interpreter takes too.
  Token advance() {
    const Token token = at_ < host_.size() ? host_[at_++] : *reference_.next();
    const auto ok = reference_.step(token);
    EXPECT_TRUE(ok) << ok.error().text();
    return token;
  }
  const qgpu::machine::Machine& reference() const { return reference_; }

 private:
  qgpu::machine::Machine reference_;
  std::vector<Token> host_;
  std::size_t at_ = 0;
};

void expectSame(const Evaluator& evaluator, int which, const Lockstep& run, const Token& token) {
  const MachineNet& m = theMachine();
  if (const auto next = run.reference().next()) {
    EXPECT_EQ(evaluator.get(m.code, which), outputCode(*next).value())
        << "after " << token.text() << " comes " << next->text();
  }
  if (token.kind != TokenKind::Exec) return;
  for (int s = 0; s < kMachine.slots; ++s)
    for (int l = 0; l < kMachine.lanes; ++l) {
      const auto& stage = run.reference().lastBlock().stages[s];
      const StageWires& wires = m.results.stages[s];
      const bool takes = (stage.p >> l & 1) != 0;
      EXPECT_EQ(evaluator.get(wires.result[l], which), stage.r[l])
          << "slot " << s + 1 << " lane " << l;
      EXPECT_EQ(evaluator.get(wires.predicate[l], which), takes)
          << "slot " << s + 1 << " lane " << l;
    }
}

// Runs images of `next` until it has no more, sixteen side by side.
template <typename Next>
std::int64_t runAll(Next next) {
  const MachineNet& m = theMachine();
  Evaluator evaluator(m.net);
  std::vector<Wire> inputs;
  for (std::uint32_t id = 0; id < m.net.wires().size(); ++id)
    if (m.net.wires()[id].is_input) inputs.push_back({id});
  std::array<Lockstep, Evaluator::kCases> runs;
  std::int64_t positions = 0;
  for (;;) {
    std::vector<std::pair<int, Token>> fed;
    for (int k = 0; k < Evaluator::kCases; ++k) {
      for (const Wire w : inputs) evaluator.set(w, k, 0);
      if (runs[k].finished()) {
        const std::optional<protocol::Image> image = next();
        if (!image) continue;
        runs[k].begin(*image);
      }
      fed.emplace_back(k, runs[k].advance());
      for (const Wire w : embed(m.inputs, fed.back().second)) evaluator.set(w, k, 1);
    }
    if (fed.empty()) return positions;
    evaluator.pass();
    positions += static_cast<std::int64_t>(fed.size());
    for (const auto& [k, token] : fed) expectSame(evaluator, k, runs[k], token);
    EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
    if (::testing::Test::HasFailure()) return positions;
  }
}

protocol::Image imageOf(std::string_view assembly, int threads, int thread_blocks) {
  const auto program = isa::assemble(assembly, "test");
  EXPECT_TRUE(program) << program.error().text();
  protocol::Image image{.program = protocol::encode(*program),
                        .parameters = {3, 0xdeadbeef, 20, 7},
                        .memory = {},
                        .thread_blocks = thread_blocks,
                        .threads = threads};
  for (int i = 1; i < 100; ++i)
    image.memory.push_back({i, static_cast<std::uint32_t>(i < 50 ? i : -i * 100'003)});
  return image;
}

TEST(MachineCircuit, FitsTheModel) {
  const MachineNet& m = theMachine();
  const auto sound = m.net.verify();
  ASSERT_TRUE(sound) << sound.error().text();
  EXPECT_EQ(m.net.steps(), 2 * kLayers);
  const auto compiled = compile(m.net, Substrate{});
  ASSERT_TRUE(compiled) << compiled.error().text();
  EXPECT_EQ(compiled->layers.size(), static_cast<std::size_t>(kLayers));
}

TEST(MachineCircuit, CodesTellTokensApart) {
  std::vector<std::uint32_t> codes;
  for (int id = 0; id < protocol::vocabulary(); ++id)
    if (const auto code = outputCode(*Token::fromId(id))) codes.push_back(*code);
  std::ranges::sort(codes);
  EXPECT_EQ(std::ranges::adjacent_find(codes), codes.end());
  EXPECT_LT(codes.back(), 1u << kCodeWidth);
}

TEST(MachineCircuit, DotProductInOneBlock) {
  const protocol::Image image = imageOf(R"(block 0:
    setp.lt p0, gtid, c0
    @s1 mov _, [global 4 + gtid*4]
    @s1 mad _, s2, [global 16 + gtid*4], r0
    @s1 atom.add _, [global 28 + r0], s3
    exit
  )",
                                        4, 1);
  std::optional<protocol::Image> once = image;
  EXPECT_GT(runAll([&] { return std::exchange(once, std::nullopt); }), 30);
}

TEST(MachineCircuit, DividesInOnePass) {
  const protocol::Image image = imageOf(R"(block 0:
    div tid, -3
    nop
    quo r3!
    rem r4!
    jump 1
  block 1:
    mov r1!, [global 4 + tid*4]
    mov r2!, [global 160 + tid*4]
    jump 2
  block 2:
    div r2, r1
    nop
    quo r3!
    rem r4!
    jump 3
  block 3:
    divu r2, r0
    nop
    quo r5!
    rem r6!
    exit
  )",
                                        unlessSanitized(32, 4), unlessSanitized(2, 1));
  std::optional<protocol::Image> once = image;
  EXPECT_GT(runAll([&] { return std::exchange(once, std::nullopt); }), unlessSanitized(300, 250));
}

// Whether a launch ends well within a few tokens, the host's included.
bool isShort(const protocol::Image& image) {
  qgpu::machine::Machine machine;
  const auto host = protocol::hostTokens(image);
  return host.size() < 150 && qgpu::machine::launch(machine, host, 80).has_value();
}

// With sanitizers, as many short ones as the evaluator runs at once.
TEST(MachineCircuit, RandomLaunches) {
  std::uint64_t seed = 1;
  const char* wanted = std::getenv("QGPU_MACHINE_CASES");
  const std::uint64_t cases =
      wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : unlessSanitized(24, 100);
  const std::int64_t positions = runAll([&]() -> std::optional<protocol::Image> {
    while (seed <= cases) {
      const protocol::Image image = isatest::generateCase(seed++).image();
      if (!isatest::kSanitized || isShort(image)) return image;
    }
    return std::nullopt;
  });
  EXPECT_GT(positions,
            unlessSanitized(static_cast<std::int64_t>(100 * cases), std::int64_t{1'000}));
  RecordProperty("positions", static_cast<int>(positions));
}

}  // namespace
}  // namespace qgpu::circuit::machine
