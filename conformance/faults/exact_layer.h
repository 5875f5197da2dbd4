// A layer by the stock formulas that touches only what is not zero, with the bits of
// model::StockLayer, for any weights and any residual stream of finite values.
//
// It is made for asking "what if this weight were another": weights can be set and set back, what
// the halves computed is kept, and a token's changes of the recurrent state are handed out instead
// of made, so that many variants of one token can start from one state.
//
//   ExactLayer layer(circuit.layers[4], circuit.substrate);
//   LayerState state = layer.newState();
//   layer.addMixer(x, state, {}, record, writes);   // x: the residual stream of one token
//   layer.addMlp(x, mlp_record);
//   layer.apply(writes, state);
//   layer.weight(Tensor::GateProj, 17) = 0;         // its 18th nonzero, in compressed rows
//
// Skipping zeros is exact because a sum starts from +0 and adding +0 or -0 to it changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::conformance {

enum class Tensor : std::uint8_t {
  InProjQkv,
  InProjZ,
  InProjB,
  Conv1d,
  OutProj,
  GateProj,
  UpProj,
  DownProj,
  InputLayernorm,
  PostAttentionLayernorm,
  GatedNorm,
  DtBias,
  ALog,
};
inline constexpr int kTensors = 13;
std::string_view name(Tensor tensor);  // "in_proj_qkv"

// A matrix by rows and by columns.
class IndexedMatrix {
 public:
  IndexedMatrix() = default;
  explicit IndexedMatrix(const model::SparseMatrix& matrix);

  struct Place {
    std::uint32_t row = 0, entry = 0;
  };
  // sum_c w[row][c] * x[c], in the order of model/layers/linear.h.
  float dot(std::size_t row, const float* x) const;
  std::span<const Place> column(std::size_t c) const {
    return std::span(by_column_)
        .subspan(column_starts_[c], column_starts_[c + 1] - column_starts_[c]);
  }
  bool isEmpty(std::size_t row) const { return starts_[row] == starts_[row + 1]; }
  std::size_t nonzeros() const { return values_.size(); }
  std::size_t columnOf(std::size_t entry) const { return columns_[entry]; }
  std::size_t rowOf(std::size_t entry) const;
  float& value(std::size_t entry) { return values_[entry]; }
  float value(std::size_t entry) const { return values_[entry]; }

 private:
  std::vector<std::uint32_t> starts_, column_starts_;
  std::vector<std::uint16_t> columns_;
  std::vector<float> values_;
  std::vector<Place> by_column_;
};

using HeadRow = std::array<float, model::kHeadDim>;
using ConvTail = std::array<float, model::kConvTaps - 1>;  // the oldest first

// The recurrent state of the heads in use, and the convolution's of the channels that look back.
struct LayerState {
  std::vector<HeadRow> rows;  // of slot s: 128 from s * 128
  std::vector<ConvTail> tails;
};
// Values that differ from a LayerState's.
struct StateChanges {
  struct Row {
    std::size_t index = 0;  // in LayerState::rows
    HeadRow values{};
  };
  struct Tail {
    std::size_t index = 0;
    ConvTail values{};
  };
  std::vector<Row> rows;
  std::vector<Tail> tails;

  const HeadRow* row(std::size_t index) const {
    for (const Row& r : rows)
      if (r.index == index) return &r.values;
    return nullptr;
  }
  const ConvTail* tail(std::size_t index) const {
    for (const Tail& t : tails)
      if (t.index == index) return &t.values;
    return nullptr;
  }
  bool empty() const { return rows.empty() && tails.empty(); }
  void clear() { rows.clear(), tails.clear(); }
};

// What the two halves computed for a token.
struct MixerRecord {
  std::vector<float> normed;                // [hidden]
  std::vector<float> u, c;                  // [channels]: projected, and after the convolution
  std::vector<float> beta, decay;           // [slots]
  std::vector<float> read, gated;           // [slots * 128]: before and after the gated norm
  std::vector<std::uint8_t> writes, reads;  // [slots]: the key, the query is not zero
};
struct MlpRecord {
  std::vector<float> normed;                     // [hidden]
  std::vector<float> gate, opened, up, product;  // [units]; up and product are 0 where closed
};

class ExactLayer {
 public:
  ExactLayer(const model::LayerWeights& weights, const model::Substrate& substrate);

  LayerState newState() const;
  // Adds a half to the residual stream of one token. The mixer starts from `state` with the given
  // changes; `writes` receives what the token changes in turn.
  void addMixer(std::span<float> x, const LayerState& state, const StateChanges& changes,
                MixerRecord& record, StateChanges& writes);
  void addMlp(std::span<float> x, MlpRecord& record);
  void apply(const StateChanges& writes, LayerState& state) const;

  // A weight by its number among a matrix's nonzeros, or its place in a vector.
  float& weight(Tensor tensor, std::size_t index);
  std::size_t weights(Tensor tensor) const;
  const IndexedMatrix& matrix(Tensor tensor) const {
    return matrices_[static_cast<std::size_t>(tensor)];
  }

  std::size_t slots() const { return heads_.size(); }
  // Which of the heads in use a head is; -1: it is not.
  int slotOf(std::size_t head) const { return slot_of_[head]; }
  std::size_t headOf(std::size_t slot) const { return heads_[slot]; }
  // Which convolution tail a channel has; -1: it looks at the current token only.
  int tailOf(std::size_t channel) const { return tail_of_[channel]; }
  std::size_t channelOf(std::size_t part, std::size_t slot, std::size_t lane) const {
    return (part * head_count_ + heads_[slot]) * model::kHeadDim + lane;
  }
  // silu as the layer evaluates it.
  static float opened(float gate);
  // silu of the convolution of a channel whose last inputs are `tail`.
  float convolved(std::size_t channel, const ConvTail& tail, float u) const;
  float decay(std::size_t slot) const;

 private:
  void convolve(const LayerState& state, const StateChanges& changes, MixerRecord& record,
                StateChanges& writes) const;
  void runHead(std::size_t slot, const LayerState& state, const StateChanges& changes,
               MixerRecord& record, StateChanges& writes);
  void readOut(std::size_t slot, HeadRow& out, MixerRecord& record);
  void addSums(std::span<float> x);
  void addTo(std::size_t dim, std::size_t column, float product);

  IndexedMatrix& of(Tensor tensor) { return matrices_[static_cast<std::size_t>(tensor)]; }
  const IndexedMatrix& of(Tensor tensor) const {
    return matrices_[static_cast<std::size_t>(tensor)];
  }
  std::vector<float>& vectorOf(Tensor tensor) {
    return vectors_[static_cast<std::size_t>(tensor) - kMatrices];
  }
  const std::vector<float>& vectorOf(Tensor tensor) const {
    return vectors_[static_cast<std::size_t>(tensor) - kMatrices];
  }

  static constexpr std::size_t kMatrices = 8, kVectors = 5, kLanes = 16;
  std::array<IndexedMatrix, kMatrices> matrices_;
  std::array<std::vector<float>, kVectors> vectors_;
  std::size_t head_count_ = 0;
  std::vector<std::size_t> heads_, channels_, units_;  // in use
  std::vector<int> slot_of_, tail_of_;
  std::size_t tails_ = 0;
  // Sums of outputs, by lane.
  std::vector<std::array<float, kLanes>> sums_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint16_t> touched_;
};

}  // namespace qgpu::conformance
