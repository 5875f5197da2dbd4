#include "model/launch/stock_layer.h"

namespace qgpu::model {
namespace {

GatedDeltaNetShape shapeOf(const Substrate& s) {
  const auto heads = static_cast<std::size_t>(s.heads);
  return {.hidden = static_cast<std::size_t>(s.hidden),
          .key_heads = heads,
          .value_heads = heads,
          .key_dim = kHeadDim,
          .value_dim = kHeadDim,
          .conv_kernel = kConvTaps};
}

WeightView vectorView(const std::vector<bfloat16>& v) {
  return WeightView(std::span<const bfloat16>(v));
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

StockLayer::StockLayer(const LayerWeights& w, const Substrate& substrate, Storage storage) {
  layer_.input_layernorm = vectorView(w.input_layernorm);
  layer_.post_attention_layernorm = vectorView(w.post_attention_layernorm);
  layer_.mixer = GatedDeltaNetLayer{.shape = shapeOf(substrate),
                                    .weights = {.in_proj_qkv = view(w.in_proj_qkv, storage),
                                                .in_proj_z = view(w.in_proj_z, storage),
                                                .in_proj_b = view(w.in_proj_b, storage),
                                                .in_proj_a = view(w.in_proj_a, storage),
                                                .conv1d = view(w.conv1d, storage),
                                                .dt_bias = vectorView(w.dt_bias),
                                                .a_log = vectorView(w.a_log),
                                                .norm = vectorView(w.norm),
                                                .out_proj = view(w.out_proj, storage)}};
  layer_.mlp = {.gate_proj = view(w.gate_proj, storage),
                .up_proj = view(w.up_proj, storage),
                .down_proj = view(w.down_proj, storage)};
  state_ = layer_.newState();
}

}  // namespace qgpu::model
