// Every shortcut of the model against the stock formulas: the residual stream after every
// half-layer, the recurrent state, and what is written.
#include <gtest/gtest.h>

#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/sanitized.h"
#include "model/launch/decode.h"

namespace qgpu::conformance {
namespace {

using model::Circuit;
using model::Shortcuts;
using protocol::Token;

// A launch's tokens, as the interpreter writes them.
std::vector<Token> traceOf(const protocol::Image& image, std::size_t most) {
  machine::Machine machine;
  std::vector<Token> trace = protocol::hostTokens(image);
  for (const Token& token : trace) EXPECT_TRUE(machine.step(token));
  for (auto next = machine.next(); next && trace.size() < most; next = machine.next()) {
    trace.push_back(*next);
    EXPECT_TRUE(machine.step(*next));
  }
  return trace;
}

// All layers twice: the way of the shortcuts, and stock formulas on compressed weights.
class SideBySide {
 public:
  SideBySide(const Circuit& circuit, const Shortcuts& shortcuts)
      : circuit_(circuit), residual_(static_cast<std::size_t>(circuit.substrate.hidden)) {
    for (const model::LayerWeights& w : circuit.layers) {
      fast_.emplace_back(w, circuit.substrate, circuit.embedding.constants, shortcuts);
      stock_.emplace_back(w, circuit.substrate, model::Storage::Compressed);
    }
  }

  void feed(const Token& token) {
    residual_.begin(circuit_.embedding.constants,
                    circuit_.embedding.ones(static_cast<std::size_t>(token.id())));
    model::Activations x = model::activations(1, residual_.x().size());
    std::ranges::copy(residual_.x(), x.data());
    for (std::size_t i = 0; i < fast_.size(); ++i) {
      fast_[i].addMixer(residual_);
      stock_[i].addMixer<model::Rounding::Float32>(x, workers_);
      ASSERT_TRUE(same(x)) << "layer " << i << "'s mixer at " << token.text();
      fast_[i].addMlp(residual_);
      stock_[i].addMlp<model::Rounding::Float32>(x, workers_);
      ASSERT_TRUE(same(x)) << "layer " << i << "'s MLP at " << token.text();
    }
  }

  void expectSameStates() const {
    for (std::size_t i = 0; i < fast_.size(); ++i)
      EXPECT_EQ(fast_[i].state().recurrent, stock_[i].state().recurrent) << "layer " << i;
  }

 private:
  bool same(const model::Activations& x) const {
    return std::equal(residual_.x().begin(), residual_.x().end(), x.data());
  }

  const Circuit& circuit_;
  std::vector<model::CircuitLayer> fast_;
  std::vector<model::StockLayer> stock_;
  model::Residual residual_;
  model::Workers workers_;
};

Shortcuts without(bool Shortcuts::* one) {
  Shortcuts shortcuts;
  shortcuts.*one = false;
  return shortcuts;
}

TEST(Shortcuts, GiveTheBitsOfTheStockFormulas) {
  SideBySide both(theCircuit(), Shortcuts{});
  const std::size_t tokens = isatest::unlessSanitized(100, 3);
  for (const Token& token : traceOf(isatest::generateCase(1).image(), tokens)) {
    both.feed(token);
    if (HasFatalFailure()) return;
  }
  both.expectSameStates();
}

class EachShortcut : public ::testing::TestWithParam<Shortcuts> {};

// A launch of a few tokens, for what is slow for each.
protocol::Image shortSum() {
  const auto program = isa::assemble(R"(block 0:
    mad r1!, tid, 77, c0
    atom.add _, [global 8 + r0], s1
    exit
  )",
                                     "sum");
  check(program.has_value(), "the sum assembles");
  return {.program = protocol::encode(*program),
          .parameters = {0x12345},
          .memory = {{2, 0xffff0000}},
          .thread_blocks = 1,
          .threads = 4};
}

TEST_P(EachShortcut, OffChangesNothing) {
  if (isatest::kSanitized && !GetParam().lift_mlps) GTEST_SKIP() << "takes minutes";
  const auto host = protocol::hostTokens(shortSum());
  model::MachineModel fast(theCircuit()), plain(theCircuit(), GetParam());
  EXPECT_EQ(model::decode(plain, host, 20).written, model::decode(fast, host, 20).written);
  EXPECT_EQ(plain.residual(), fast.residual());
  for (std::size_t i = 0; i < theCircuit().layers.size(); ++i)
    EXPECT_EQ(plain.layer(i).state().recurrent, fast.layer(i).state().recurrent);
}

// Fed one by one, and as known tokens in batches of 512 and of what is left.
void expectPrefillAsFeed(const Circuit& circuit, const Shortcuts& shortcuts,
                         std::span<const Token> trace) {
  model::MachineModel one(circuit, shortcuts), many(circuit, shortcuts);
  std::vector<Token> written;
  for (const Token& token : trace) {
    one.feed(token);
    written.push_back(*one.next());
  }
  EXPECT_EQ(many.prefill(trace), written);
  EXPECT_EQ(many.residual(), one.residual());
  for (std::size_t i = 0; i < circuit.layers.size(); ++i) {
    EXPECT_EQ(many.layer(i).state().recurrent, one.layer(i).state().recurrent) << "layer " << i;
    EXPECT_EQ(many.layer(i).state().conv, one.layer(i).state().conv) << "layer " << i;
  }
}

TEST(Prefill, GivesTheBitsOfFeedingOneByOne) {
  for (std::uint64_t seed = 1; seed <= isatest::unlessSanitized(3u, 1u); ++seed) {
    const auto trace = traceOf(isatest::generateCase(seed).image(),
                               isatest::unlessSanitized(std::size_t{700}, std::size_t{100}));
    SCOPED_TRACE(trace.size());
    expectPrefillAsFeed(theCircuit(), {}, trace);
  }
}

// Weights that leave other numbers than zeros and ones behind, and some that are no whole numbers:
// batches are taken apart where they have to be.
TEST(Prefill, GivesTheBitsOfAnAlteredCircuit) {
  for (const float factor : {3.0f, 0.5f}) {
    Circuit circuit = theCircuit();
    model::SparseMatrix& down = circuit.layers[30].down_proj;
    std::vector<model::Entry> entries;
    for (std::uint32_t row = 0; row < down.rows(); ++row)
      for (std::size_t i = 0; i < down.rowColumns(row).size(); ++i)
        entries.push_back({row, down.rowColumns(row)[i], factor * toFloat(down.rowValues(row)[i])});
    down = model::SparseMatrix(down.rows(), down.columns(), entries);
    expectPrefillAsFeed(circuit, {}, traceOf(shortSum(), isatest::unlessSanitized(40u, 8u)));
  }
}

// All of it bit by bit: no batch of the machine's own circuit needs to be taken apart.
TEST(Prefill, GoesBitByBit) {
  model::MachineModel model(theCircuit());
  model::Batch batch(theCircuit().substrate);
  for (std::uint64_t seed = 6; seed <= isatest::unlessSanitized(7u, 6u); ++seed) {
    const auto trace = traceOf(isatest::generateCase(seed).image(),
                               isatest::unlessSanitized(std::size_t{1000}, std::size_t{200}));
    model.reset();
    for (std::size_t at = 0; at < trace.size(); at += model::kBatch) {
      const std::size_t size = std::min<std::size_t>(model::kBatch, trace.size() - at);
      model.begin(batch, std::span(trace).subspan(at, size));
      model.run(batch, 0, theCircuit().layers.size());
      EXPECT_EQ(batch.one_by_one, 0);
    }
  }
}

TEST(Prefill, GoesOnWhereTheLastBatchEnded) {
  const auto trace = traceOf(isatest::generateCase(4).image(),
                             isatest::unlessSanitized(std::size_t{400}, std::size_t{70}));
  model::MachineModel whole(theCircuit()), pieces(theCircuit());
  const std::vector<Token> written = whole.prefill(trace);
  std::vector<Token> in_pieces;
  for (std::size_t at = 0, size = 1; at < trace.size(); at += size, size = size * 2 % 61) {
    const auto part = std::span(trace).subspan(at, std::min(size, trace.size() - at));
    const auto next = pieces.prefill(part);
    in_pieces.insert(in_pieces.end(), next.begin(), next.end());
  }
  EXPECT_EQ(in_pieces, written);
  for (std::size_t i = 0; i < theCircuit().layers.size(); ++i) {
    EXPECT_EQ(pieces.layer(i).state().recurrent, whole.layer(i).state().recurrent);
    EXPECT_EQ(pieces.layer(i).state().conv, whole.layer(i).state().conv);
  }
}

TEST_P(EachShortcut, OffChangesNoPrefill) {
  if (isatest::kSanitized && !GetParam().lift_mlps) GTEST_SKIP() << "takes minutes";
  if (isatest::kSanitized && !GetParam().lift_mlps) GTEST_SKIP() << "takes minutes";
  expectPrefillAsFeed(theCircuit(), GetParam(), traceOf(shortSum(), 40));
}

std::vector<Shortcuts> eachOff() {
  std::vector<Shortcuts> each = {Shortcuts::none()};
  for (const model::NamedShortcut& shortcut : model::kShortcuts)
    each.push_back(without(shortcut.which));
  return each;
}
INSTANTIATE_TEST_SUITE_P(All, EachShortcut, ::testing::ValuesIn(eachOff()), [](const auto& test) {
  return test.index == 0 ? "All" : "Number" + std::to_string(test.index);
});

TEST(Shortcuts, AreKnownByName) {
  static_assert(sizeof(Shortcuts) == model::kShortcuts.size());  // a bool each
  const std::vector<std::string> two = {"batch", "lift-mlps"}, wrong = {"lift-everything"};
  const auto without_two = model::shortcutsWithout(two);
  ASSERT_TRUE(without_two);
  EXPECT_TRUE(!without_two->batch && !without_two->lift_mlps && without_two->lift_mixers);
  const auto refused = model::shortcutsWithout(wrong);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("search-rows"), std::string::npos);
}

}  // namespace
}  // namespace qgpu::conformance
