// A short campaign of weight faults, and what it stands on: layers with the bits of the stock
// formulas, and verdicts that a real audit confirms.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "conformance/audit/audit.h"
#include "conformance/audit/the_circuit.h"
#include "conformance/faults/campaign.h"
#include "conformance/faults/launches.h"
#include "interpreter/testing/sanitized.h"
#include "model/launch/stock_layer.h"

namespace qgpu::conformance {
namespace {

using isatest::unlessSanitized;
using protocol::Token;

// A launch's tokens; with sanitizers, the first of them.
const std::vector<Token>& theTokens() {
  static const std::vector<Token> kTokens = [] {
    std::vector<Token> tokens = launchTokens(0);
    tokens.resize(unlessSanitized(tokens.size(), std::size_t{100}));
    return tokens;
  }();
  return kTokens;
}

TEST(Damages, AreOfTheStoredValue) {
  EXPECT_EQ(damaged(128, Damage::Zero), 0.0f);
  EXPECT_EQ(damaged(128, Damage::Negate), -128.0f);
  EXPECT_EQ(damaged(128, Damage::StepUp), 129.0f);
  EXPECT_EQ(damaged(128, Damage::StepDown), 127.5f);
  EXPECT_EQ(damaged(-3, Damage::StepUp), -3.015625f);
  EXPECT_EQ(damaged(-3, Damage::Double), -6.0f);
}

TEST(Faults, AreOfAllTensorsAndLayers) {
  std::map<Tensor, int> tensors;
  std::map<std::size_t, int> layers;
  for (const Fault& fault : drawFaults(theCircuit(), 1, 5000)) {
    ++tensors[fault.tensor];
    ++layers[fault.layer];
    EXPECT_NE(fault.before, fault.after) << fault.text(theCircuit());
  }
  EXPECT_EQ(tensors.size(), static_cast<std::size_t>(kTensors));
  EXPECT_EQ(layers.size(), theCircuit().layers.size());
}

// A layer with a fault, run by ExactLayer and by the stock formulas on weights that have it.
class TwoLayers {
 public:
  explicit TwoLayers(const Fault& fault)
      : weights_(faultyLayer(theCircuit(), fault)),
        stock_(weights_, theCircuit().substrate, model::Storage::Compressed),
        exact_(theCircuit().layers[fault.layer], theCircuit().substrate),
        state_(exact_.newState()) {
    exact_.weight(fault.tensor, fault.index) = fault.after;
  }

  // The records are another layer's from before.
  void run(const std::vector<float>& input, MixerRecord& mixer, MlpRecord& mlp) {
    std::vector<float> x = input;
    model::Activations block = model::activations(1, x.size());
    std::ranges::copy(x, block.data());
    exact_.addMixer(x, state_, {}, mixer, writes_);
    exact_.apply(writes_, state_);
    stock_.addMixer<model::Rounding::Float32>(block, workers_);
    ASSERT_TRUE(std::ranges::equal(x, model::row(block, 0)));
    exact_.addMlp(x, mlp);
    stock_.addMlp<model::Rounding::Float32>(block, workers_);
    ASSERT_TRUE(std::ranges::equal(x, model::row(block, 0)));
  }

  void expectSameState() const {
    const model::GatedDeltaNetState stock = stock_.state();
    for (std::size_t slot = 0; slot < exact_.slots(); ++slot)
      for (std::size_t row = 0; row < model::kHeadDim; ++row) {
        const auto first = stock.recurrent.begin() +
                           static_cast<std::ptrdiff_t>(
                               (exact_.headOf(slot) * model::kHeadDim + row) * model::kHeadDim);
        ASSERT_TRUE(std::equal(first, first + model::kHeadDim,
                               state_.rows[slot * model::kHeadDim + row].begin()));
      }
  }

 private:
  model::LayerWeights weights_;
  model::StockLayer stock_;
  ExactLayer exact_;
  LayerState state_;
  StateChanges writes_;
  model::Workers workers_;
};

// Inputs that are whole numbers, as in a circuit, and some that are not.
TEST(ExactLayer, HasTheBitsOfTheStockFormulasWithAnyFault) {
  std::mt19937 random(5);
  MixerRecord mixer;
  MlpRecord mlp;
  for (const Fault& fault : drawFaults(theCircuit(), 2, unlessSanitized(60, 6))) {
    TwoLayers layers(fault);
    for (int token = 0; token < 12; ++token) {
      std::vector<float> x(static_cast<std::size_t>(theCircuit().substrate.hidden));
      for (float& value : x)
        value = random() % 4 == 0 ? static_cast<float>(random() % 3) - 1.0f : 0.0f;
      if (token % 4 == 3)
        for (float& value : x) value *= 1.0078125f;
      for (const model::Entry& e : theCircuit().embedding.constants) x[e.column] = e.value;
      layers.run(x, mixer, mlp);
      if (HasFatalFailure()) FAIL() << fault.text(theCircuit());
    }
    layers.expectSameState();
  }
}

TEST(Campaign, RunsTheIntactWeightsAsTheModelDoes) {
  Campaign campaign(theCircuit(), theTokens());
  model::MachineModel model(theCircuit());
  for (const Token& token : theTokens()) {
    model.feed(token);
    ASSERT_TRUE(campaign.step());
    ASSERT_EQ(campaign.residual(), model.residual()) << "position " << campaign.position();
  }
  EXPECT_FALSE(campaign.step());
}

// The first position at which an audit of a model with the fault in it finds a mismatch; 0: none up
// to `last`.
std::int64_t auditedMismatch(const Fault& fault, std::int64_t last) {
  model::Circuit faulty = theCircuit();
  faulty.layers[fault.layer] = faultyLayer(theCircuit(), fault);
  model::MachineModel model(faulty);
  Auditor auditor(model);
  while (auditor.positions() < last && auditor.mismatches() == 0) {
    const Token& token = theTokens()[static_cast<std::size_t>(auditor.positions())];
    model.feed(token);
    auditor.follow(token);
  }
  return auditor.mismatches() > 0 ? auditor.positions() : 0;
}

TEST(Campaign, NoticesWhatAnAuditNoticesAndWhereItDoes) {
  constexpr int kFaults = unlessSanitized(300, 60);
  Campaign campaign(theCircuit(), theTokens());
  campaign.add(drawFaults(theCircuit(), 3, kFaults));
  while (campaign.step()) {
  }
  const std::vector<Finding> findings = campaign.findings();
  const auto noticed =
      std::ranges::count_if(findings, [](const Finding& f) { return isNoticed(f.verdict); });
  EXPECT_GT(noticed, kFaults / 15);
  EXPECT_LT(noticed, kFaults);
  // Some of either, confirmed by the model itself.
  constexpr std::int64_t kSoon = 80;
  constexpr int kConfirmed = unlessSanitized(12, 2), kQuiet = unlessSanitized(8, 1);
  int confirmed = 0, quiet = 0;
  for (const Finding& f : findings) {
    if (isNoticed(f.verdict) && f.position <= kSoon && confirmed < kConfirmed) {
      EXPECT_EQ(auditedMismatch(f.fault, kSoon), f.position) << f.fault.text(theCircuit());
      ++confirmed;
    } else if (!isNoticed(f.verdict) && quiet < kQuiet) {
      EXPECT_EQ(auditedMismatch(f.fault, kSoon), 0) << f.fault.text(theCircuit());
      ++quiet;
    }
  }
  EXPECT_EQ(confirmed, kConfirmed);
  EXPECT_EQ(quiet, kQuiet);
}

}  // namespace
}  // namespace qgpu::conformance
