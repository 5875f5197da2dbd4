#include "model/launch/stock_layer.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::model {
namespace {

GatedDeltaNetShape shapeOf(std::size_t hidden, std::size_t heads) {
  return {.hidden = hidden,
          .key_heads = heads,
          .value_heads = heads,
          .key_dim = kHeadDim,
          .value_dim = kHeadDim,
          .conv_kernel = kConvTaps};
}

struct HeadOfState {
  const GatedDeltaNetState& state;
  std::size_t head, of_heads;
};

// The head's S, and its channels of q, k and v at each step of the convolution's tail.
void copyHead(const HeadOfState& from, GatedDeltaNetState& to, std::size_t head,
              std::size_t of_heads) {
  constexpr std::size_t kTails = 3 * (kConvTaps - 1), kMemory = kHeadDim * kHeadDim;
  for (std::size_t i = 0; i < kTails; ++i)
    std::copy_n(from.state.conv.data() + (i * from.of_heads + from.head) * kHeadDim, kHeadDim,
                to.conv.data() + (i * of_heads + head) * kHeadDim);
  std::copy_n(from.state.recurrent.data() + from.head * kMemory, kMemory,
              to.recurrent.data() + head * kMemory);
}

}  // namespace

WeightView StockLayer::view(const SparseMatrix& m, Storage storage) {
  if (storage == Storage::Compressed) {
    const SparseMatrix::Compressed stored = m.compressed();
    const CompressedRows rows{stored.starts.data(), stored.column.data(), stored.values.data()};
    return {rows, m.rows(), m.columns()};
  }
  std::vector<bfloat16>& dense = dense_.emplace_back(m.rows() * m.columns());
  for (std::size_t r = 0; r < m.rows(); ++r) {
    const auto columns = m.rowColumns(r);
    for (std::size_t i = 0; i < columns.size(); ++i)
      dense[r * m.columns() + columns[i]] = m.rowValues(r)[i];
  }
  return {dense.data(), m.rows(), m.columns()};
}

StockLayer::StockLayer(const LayerWeights& weights, const Substrate& substrate, Storage storage)
    : hidden_(static_cast<std::size_t>(substrate.hidden)),
      all_heads_(static_cast<std::size_t>(substrate.heads)) {
  if (storage == Storage::Compressed) kept_ = compact(weights, substrate);
  for (std::size_t h = 0; storage == Storage::Dense && h < all_heads_; ++h)
    kept_.heads.push_back(h);
  const LayerWeights& w = storage == Storage::Compressed ? kept_.weights : weights;
  const auto own = [&](const std::vector<bfloat16>& v) {
    return WeightView(std::span<const bfloat16>(dense_.emplace_back(v)));
  };
  layer_.input_layernorm = own(w.input_layernorm);
  layer_.post_attention_layernorm = own(w.post_attention_layernorm);
  layer_.mixer = GatedDeltaNetLayer{.shape = shapeOf(hidden_, kept_.heads.size()),
                                    .weights = {.in_proj_qkv = view(w.in_proj_qkv, storage),
                                                .in_proj_z = view(w.in_proj_z, storage),
                                                .in_proj_b = view(w.in_proj_b, storage),
                                                .in_proj_a = view(w.in_proj_a, storage),
                                                .conv1d = view(w.conv1d, storage),
                                                .dt_bias = own(w.dt_bias),
                                                .a_log = own(w.a_log),
                                                .norm = own(w.norm),
                                                .out_proj = view(w.out_proj, storage)}};
  layer_.mlp = {.gate_proj = view(w.gate_proj, storage),
                .up_proj = view(w.up_proj, storage),
                .down_proj = view(w.down_proj, storage)};
  state_ = layer_.newState();
}

// ---- The state ---------------------------------------------------------------------------------

GatedDeltaNetState StockLayer::blankState(const Substrate& substrate) {
  return GatedDeltaNetState(shapeOf(static_cast<std::size_t>(substrate.hidden),
                                    static_cast<std::size_t>(substrate.heads)));
}

GatedDeltaNetState StockLayer::state() const {
  GatedDeltaNetState all(shapeOf(hidden_, all_heads_));
  for (std::size_t i = 0; i < kept_.heads.size(); ++i)
    copyHead({std::get<GatedDeltaNetState>(state_), i, kept_.heads.size()}, all, kept_.heads[i],
             all_heads_);
  return all;
}

void StockLayer::setState(const GatedDeltaNetState& all) {
  auto& kept = std::get<GatedDeltaNetState>(state_);
  for (std::size_t i = 0; i < kept_.heads.size(); ++i)
    copyHead({all, kept_.heads[i], all_heads_}, kept, i, kept_.heads.size());
  check(state() == all, "a head without weights keeps nothing");
}

std::span<const float> StockLayer::memoryRow(std::size_t head, std::size_t row) const {
  const auto kept = std::ranges::lower_bound(kept_.heads, head);
  if (kept == kept_.heads.end() || *kept != head) return {};
  const auto index = static_cast<std::size_t>(kept - kept_.heads.begin());
  const auto& recurrent = std::get<GatedDeltaNetState>(state_).recurrent;
  return std::span(recurrent).subspan((index * kHeadDim + row) * kHeadDim, kHeadDim);
}

}  // namespace qgpu::model
