// Text through the circuit's layers: in a wider model, whose first half of dims holds a text
// token's embedding and whose second half is the circuit's, text changes nothing, and nothing that
// it holds changes a launch. Both roundings.
//
// The one thing that text must not do is to come between the three tokens of a CODE word of the
// first slot, whose parts are put together by the convolution. Text values are any finite numbers
// but -0, which the addition of +0 makes +0.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compiler/circuit/machine/circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/sanitized.h"
#include "model/launch/machine_model.h"

namespace qgpu::conformance {
namespace {

using model::Activations;
using model::Circuit;
using model::Rounding;
using protocol::Token;

constexpr std::size_t kTextDims = 2048;

const Circuit& theWideCircuit() {
  static const Circuit kCircuit = [] {
    auto built = circuit::machine::buildCircuit(
        {.hidden = 2 * kTextDims, .first_dim = kTextDims, .dims = kTextDims});
    check(built.has_value(), "the machine fits the wider model");
    return std::move(*built);
  }();
  return kCircuit;
}

// A residual stream and all layers in the stock formulas of one rounding.
template <Rounding kRounding>
class Stock {
 public:
  Stock() : workers_(2) {
    for (const model::LayerWeights& w : theWideCircuit().layers)
      layers_.emplace_back(w, theWideCircuit().substrate, model::Storage::Compressed);
  }

  void run(Activations& x) {
    for (model::StockLayer& layer : layers_) {
      layer.addMixer<kRounding>(x, workers_);
      layer.addMlp<kRounding>(x, workers_);
    }
  }
  std::vector<std::vector<float>> memories() const {
    std::vector<std::vector<float>> all;
    for (const model::StockLayer& layer : layers_) all.push_back(layer.state().recurrent);
    return all;
  }
  bool remembers(const model::MachineModel& lifted) const {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (layers_[i].state().recurrent != lifted.layer(i).state().recurrent) return false;
    return true;
  }

 private:
  std::vector<model::StockLayer> layers_;
  model::Workers workers_;
};

Activations machineTokens(std::span<const Token> tokens) {
  const auto& embedding = theWideCircuit().embedding;
  Activations x = model::activations(tokens.size(), 2 * kTextDims);
  x.setZero();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto row = model::row(x, t);
    for (const model::Entry& e : embedding.constants) row[e.column] = e.value;
    for (const std::uint16_t dim : embedding.ones(static_cast<std::size_t>(tokens[t].id())))
      row[dim] = 1.0f;
  }
  return x;
}

// Embeddings of text: random ones, and ones that are hard on a norm or on sums.
class Text {
 public:
  Activations random(std::size_t tokens) {
    std::normal_distribution<float> value(0, 0.02f);
    return make(tokens, [&](std::size_t, std::size_t) { return value(random_); });
  }
  Activations adversarial() {
    std::uniform_real_distribution<float> exponent(-120, 120);
    const std::size_t hot = random_() % kTextDims;
    return make(6, [&](std::size_t t, std::size_t dim) {
      switch (t) {
        case 0: return dim % 2 == 0 ? 3.0e38f : -3.0e38f;
        case 1: return 1.0e-38f;
        case 2: return model::kBig;
        case 3: return dim == hot ? model::kBig : 0.0f;
        case 4: return 0.0f;
        default: return std::exp2(exponent(random_));
      }
    });
  }

 private:
  template <typename Value>
  Activations make(std::size_t tokens, Value value) {
    Activations x = model::activations(tokens, 2 * kTextDims);
    x.setZero();
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t dim = 0; dim < kTextDims; ++dim)
        model::row(x, t)[dim] = roundToBfloat16(value(t, dim));
    return x;
  }
  std::mt19937 random_{7};
};

struct Launch {
  std::vector<Token> host, written;
};
Launch aLaunch() {
  const auto program = isa::assemble(R"(
    block 0:
      setp.lt p0!, tid, 2
      mov r1!, [global 4 + tid*4]
      branch s1, 1, 2
    block 1:
      atom.max r2!, [global 16 + r0*4], r1
      jump 2
    block 2:
      mad r3!, r1, c0, r2
      exit)",
                                     "text");
  check(program.has_value(), "the program assembles");
  Launch launch{.host = protocol::hostTokens({.program = protocol::encode(*program),
                                              .parameters = {0x10001},
                                              .memory = {{1, 7}, {2, 300}, {3, 0xfffffffe}},
                                              .threads = 3}),
                .written = {}};
  machine::Machine machine;
  launch.written = machine::launch(machine, launch.host, 200)->written;
  return launch;
}

// What the signs of the code's dims spell.
int tokenOf(std::span<const float> residual) {
  const model::Unembedding& head = theWideCircuit().unembedding;
  std::int32_t code = 0;
  for (std::size_t i = 0; i < head.dims.size(); ++i) {
    EXPECT_EQ(std::fabs(residual[head.dims[i]]), 1.0f);
    if (residual[head.dims[i]] > 0) code |= 1 << i;
  }
  return static_cast<int>(std::ranges::find(head.codes, code) - head.codes.begin());
}

// One launch in parts, with text before, between and after them.
template <Rounding kRounding>
class TextAndMachine {
 public:
  TextAndMachine() : lifted_(theWideCircuit()) {}

  void text() {
    for (Activations x : {text_.random(5), text_.adversarial()}) {
      const Activations before = x;
      const auto memories = stock_.memories();
      stock_.run(x);
      ASSERT_EQ(std::memcmp(x.data(), before.data(), sizeof(float) * before.size()), 0);
      ASSERT_EQ(stock_.memories(), memories);
    }
  }

  // The lifted layers see the machine's tokens only.
  void machine(std::span<const Token> tokens) {
    Activations x = machineTokens(tokens);
    stock_.run(x);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      lifted_.feed(tokens[t]);
      ASSERT_TRUE(std::ranges::equal(lifted_.residual(), model::row(x, t))) << tokens[t].text();
    }
    next_ = tokenOf(model::row(x, tokens.size() - 1));
    ASSERT_TRUE(stock_.remembers(lifted_));
  }

  void run(const Launch& launch) {
    text();
    const std::span<const Token> host = launch.host;
    for (const auto part : inWords(host)) {
      machine(part);
      text();
      if (::testing::Test::HasFatalFailure()) return;
      if (isatest::kSanitized) return;  // a part is what there is time for
    }
    std::size_t written = 0;
    for (const Token& token : launch.written) {
      ASSERT_EQ(next_, token.id()) << "after " << written << " tokens";
      machine({&token, 1});
      if (++written % 3 == 1) text();
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (std::size_t i = 0; i < theWideCircuit().layers.size(); ++i)
      EXPECT_TRUE(lifted_.layer(i).isLifted()) << "layer " << i;
  }

 private:
  // Some words at a time.
  std::vector<std::span<const Token>> inWords(std::span<const Token> host) const {
    std::vector<std::span<const Token>> parts;
    std::size_t first = 0;
    for (std::size_t i = 1; i <= host.size(); ++i) {
      const bool extends = i < host.size() && (host[i].kind == protocol::TokenKind::Ext1 ||
                                               host[i].kind == protocol::TokenKind::Ext2);
      if (extends || (i < host.size() && i - first < 8)) continue;
      parts.push_back(host.subspan(first, i - first));
      first = i;
    }
    return parts;
  }

  Stock<kRounding> stock_;
  model::MachineModel lifted_;
  Text text_;
  int next_ = -1;
};

TEST(TextPath, LeavesNoTraceInFloat32) { TextAndMachine<Rounding::Float32>().run(aLaunch()); }
TEST(TextPath, LeavesNoTraceInBfloat16) { TextAndMachine<Rounding::Bfloat16>().run(aLaunch()); }

}  // namespace
}  // namespace qgpu::conformance
