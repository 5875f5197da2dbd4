// Small launches that cover every instruction, in the dense forms of the stock formulas at full
// width: all 45 layers and lm_head with their zeros, in binary32 and with bfloat16 rounding at
// every point where Hugging Face rounds. The residual stream after every half-layer, the recurrent
// states and the tokens must be those of the lifted layers.
//
// All launches form one sequence, which is prefilled layer by layer: one dense layer is in memory
// at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "conformance/audit/small_launches.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/table.h"
#include "interpreter/testing/sanitized.h"
#include "model/launch/circuit_layer.h"
#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::conformance {
namespace {

using isatest::unlessSanitized;
using model::Activations;
using model::Circuit;
using model::Rounding;
using protocol::Token;

constexpr float kNormEps = 1e-6f;

// The rows of embed_tokens.
Activations embedded(const Circuit& circuit, const std::vector<Token>& tokens) {
  Activations x =
      model::activations(tokens.size(), static_cast<std::size_t>(circuit.substrate.hidden));
  x.setZero();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto row = model::row(x, t);
    for (const model::Entry& e : circuit.embedding.constants) row[e.column] = e.value;
    for (const std::uint16_t dim : circuit.embedding.ones(static_cast<std::size_t>(tokens[t].id())))
      row[dim] = 1.0f;
  }
  return x;
}

// The lifted layers, one layer for all tokens.
class Lifted {
 public:
  Lifted(const Circuit& circuit, const std::vector<Token>& tokens) : circuit_(circuit) {
    for (const Token& token : tokens) {
      residuals_.emplace_back(static_cast<std::size_t>(circuit.substrate.hidden));
      residuals_.back().begin(circuit.embedding.constants,
                              circuit.embedding.ones(static_cast<std::size_t>(token.id())));
    }
  }
  void enter(std::size_t layer) {
    layer_.emplace(circuit_.layers[layer], circuit_.substrate, circuit_.embedding.constants,
                   model::Shortcuts{});
  }
  void addMixer() {
    for (model::Residual& r : residuals_) layer_->addMixer(r);
  }
  void addMlp() {
    for (model::Residual& r : residuals_) layer_->addMlp(r);
  }
  const model::CircuitLayer& layer() const { return *layer_; }
  // The first token whose residual stream is another; all of them if there is none.
  std::size_t firstDifference(const Activations& x) const {
    std::size_t t = 0;
    while (t < residuals_.size() && std::ranges::equal(residuals_[t].x(), model::row(x, t))) ++t;
    return t;
  }

 private:
  const Circuit& circuit_;
  std::optional<model::CircuitLayer> layer_;
  std::vector<model::Residual> residuals_;
};

// lm_head's rows first .. first + count - 1 as a checkpoint would hold them.
std::vector<bfloat16> denseHead(const Circuit& circuit, std::size_t first, std::size_t count) {
  const model::Unembedding& head = circuit.unembedding;
  const auto hidden = static_cast<std::size_t>(circuit.substrate.hidden);
  std::vector<bfloat16> rows(count * hidden);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t i = 0; i < head.dims.size() && head.codes[first + r] >= 0; ++i)
      rows[r * hidden + head.dims[i]] =
          toBfloat16((head.codes[first + r] >> i & 1) != 0 ? head.scale : -head.scale);
  return rows;
}

// The number of the largest logit of each row of `x`, the first of equals.
template <Rounding kRounding>
std::vector<int> largestLogits(const Circuit& circuit, const Activations& x,
                               model::Workers& workers) {
  constexpr std::size_t kRows = 4096;
  Activations normed, logits;
  model::rmsNorm<kRounding>(
      x, model::WeightView(std::span<const bfloat16>(circuit.unembedding.norm)), kNormEps, normed);
  const std::size_t vocabulary = circuit.unembedding.codes.size();
  std::vector<int> best(model::tokenCount(x));
  std::vector<float> most(best.size(), -INFINITY);
  for (std::size_t first = 0; first < vocabulary; first += kRows) {
    const std::size_t count = std::min(kRows, vocabulary - first);
    const auto rows = denseHead(circuit, first, count);
    model::linear<kRounding>({rows.data(), count, model::width(x)}, normed, logits, workers);
    for (std::size_t t = 0; t < best.size(); ++t)
      for (std::size_t r = 0; r < count; ++r)
        if (const float logit = model::row(logits, t)[r]; logit > most[t])
          std::tie(most[t], best[t]) = std::tuple(logit, static_cast<int>(first + r));
  }
  return best;
}

// The rows of `x` after which the model writes, and what it must write.
struct Writing {
  std::vector<std::size_t> positions;
  std::vector<int> tokens;
};
Writing writingOf(const std::vector<SmallLaunch>& launches) {
  Writing writing;
  std::size_t at = 0;
  for (const SmallLaunch& launch : launches) {
    at += launch.host.size();
    for (const Token& token : launch.written) {
      writing.positions.push_back(at++ - 1);
      writing.tokens.push_back(token.id());
    }
  }
  return writing;
}

template <Rounding kRounding>
void expectTokens(const Circuit& circuit, const Activations& x, const Writing& writing,
                  model::Workers& workers) {
  Activations last = model::activations(writing.positions.size(), model::width(x));
  for (std::size_t i = 0; i < writing.positions.size(); ++i)
    std::ranges::copy(model::row(x, writing.positions[i]), model::row(last, i).begin());
  EXPECT_EQ(largestLogits<kRounding>(circuit, last, workers), writing.tokens);
}

TEST(SmallLaunches, CoverEveryInstruction) {
  const auto launches = smallLaunches();
  EXPECT_GE(launches.size(), 40u);
  std::bitset<isa::kOpcodes> committed;
  for (const SmallLaunch& launch : launches) committed |= launch.committed;
  for (int op = 0; op < isa::kOpcodes; ++op)
    EXPECT_TRUE(committed.test(static_cast<std::size_t>(op)))
        << isa::row(static_cast<isa::Opcode>(op)).name;
}

// With sanitizers, a few tokens in the first layers, and no lm_head.
TEST(Dense, FullWidthGivesTheBitsOfTheLiftedLayers) {
  const Circuit& circuit = theCircuit();
  const auto launches = smallLaunches();
  auto tokens = sequenceOf(launches);
  tokens.resize(unlessSanitized(tokens.size(), std::size_t{4}));
  model::Workers workers(2);
  Lifted lifted(circuit, tokens);
  Activations fp32 = embedded(circuit, tokens), bf16 = fp32;
  const auto expectSame = [&](std::size_t layer, const char* half) {
    ASSERT_EQ(lifted.firstDifference(fp32), tokens.size()) << "fp32, layer " << layer << half;
    ASSERT_EQ(lifted.firstDifference(bf16), tokens.size()) << "bf16, layer " << layer << half;
  };
  for (std::size_t i = 0; i < unlessSanitized(circuit.layers.size(), std::size_t{3}); ++i) {
    model::StockLayer dense(circuit.layers[i], circuit.substrate, model::Storage::Dense);
    lifted.enter(i);
    lifted.addMixer();
    const model::GatedDeltaNetState expected = lifted.layer().state();
    dense.addMixer<Rounding::Float32>(fp32, workers);
    ASSERT_EQ(dense.state().recurrent, expected.recurrent) << "fp32, layer " << i;
    dense.reset();
    dense.addMixer<Rounding::Bfloat16>(bf16, workers);
    ASSERT_EQ(dense.state().recurrent, expected.recurrent) << "bf16, layer " << i;
    expectSame(i, "'s mixer");
    lifted.addMlp();
    dense.addMlp<Rounding::Float32>(fp32, workers);
    dense.addMlp<Rounding::Bfloat16>(bf16, workers);
    expectSame(i, "'s MLP");
    ASSERT_TRUE(lifted.layer().isLifted()) << "layer " << i;
    if (HasFatalFailure()) return;
  }
  if (isatest::kSanitized) return;
  const Writing writing = writingOf(launches);
  expectTokens<Rounding::Float32>(circuit, fp32, writing, workers);
  expectTokens<Rounding::Bfloat16>(circuit, bf16, writing, workers);
}

}  // namespace
}  // namespace qgpu::conformance
