#include "conformance/faults/exact_layer.h"

#include <algorithm>
#include <cmath>

#include "model/layers/elementwise.h"
#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::conformance {
namespace {

using model::kHeadDim;
constexpr float kEps = 1e-6f;
constexpr std::size_t kDim = kHeadDim;

// Lanes folded in halves, as in model/layers/linear.h.
template <std::size_t kLanes>
float folded(std::array<float, kLanes>& lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

void norm(std::span<const float> x, const std::vector<float>& weight, std::vector<float>& out) {
  out.resize(x.size());
  model::rmsNorm<model::Rounding::Float32>(x, model::WeightView(std::span<const float>(weight)),
                                           kEps, out);
}

std::vector<float> widened(const std::vector<bfloat16>& v) {
  std::vector<float> out;
  for (const bfloat16 w : v) out.push_back(toFloat(w));
  return out;
}

}  // namespace

std::string_view name(Tensor tensor) {
  static constexpr std::array<std::string_view, kTensors> kNames = {
      "in_proj_qkv", "in_proj_z", "in_proj_b", "conv1d",          "out_proj",
      "gate_proj",   "up_proj",   "down_proj", "input_layernorm", "post_attention_layernorm",
      "norm",        "dt_bias",   "A_log"};
  return kNames[static_cast<std::size_t>(tensor)];
}

// ---- Matrices ----------------------------------------------------------------------------------

IndexedMatrix::IndexedMatrix(const model::SparseMatrix& matrix) {
  const auto stored = matrix.compressed();
  starts_.assign(stored.starts.begin(), stored.starts.end());
  columns_.assign(stored.column.begin(), stored.column.end());
  for (const bfloat16 v : stored.values) values_.push_back(toFloat(v));
  column_starts_.resize(matrix.columns() + 1);
  for (const std::uint16_t c : columns_) ++column_starts_[c + 1u];
  for (std::size_t c = 0; c < matrix.columns(); ++c) column_starts_[c + 1] += column_starts_[c];
  std::vector<std::uint32_t> at(column_starts_.begin(), column_starts_.end() - 1);
  by_column_.resize(values_.size());
  for (std::uint32_t r = 0; r < matrix.rows(); ++r)
    for (std::uint32_t i = starts_[r]; i < starts_[r + 1]; ++i)
      by_column_[at[columns_[i]]++] = {r, i};
}

float IndexedMatrix::dot(std::size_t row, const float* x) const {
  std::array<float, 16> lanes{};
  for (std::uint32_t i = starts_[row]; i < starts_[row + 1]; ++i)
    lanes[columns_[i] % 16] += values_[i] * x[columns_[i]];
  return folded(lanes);
}

std::size_t IndexedMatrix::rowOf(std::size_t entry) const {
  const auto after = std::ranges::upper_bound(starts_, static_cast<std::uint32_t>(entry));
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

// ---- The layer ---------------------------------------------------------------------------------

ExactLayer::ExactLayer(const model::LayerWeights& w, const model::Substrate& substrate)
    : matrices_{IndexedMatrix(w.in_proj_qkv), IndexedMatrix(w.in_proj_z),
                IndexedMatrix(w.in_proj_b),   IndexedMatrix(w.conv1d),
                IndexedMatrix(w.out_proj),    IndexedMatrix(w.gate_proj),
                IndexedMatrix(w.up_proj),     IndexedMatrix(w.down_proj)},
      vectors_{widened(w.input_layernorm), widened(w.post_attention_layernorm), widened(w.norm),
               widened(w.dt_bias), widened(w.a_log)},
      head_count_(static_cast<std::size_t>(substrate.heads)),
      slot_of_(head_count_, -1),
      tail_of_(3 * head_count_ * kDim, -1),
      sums_(static_cast<std::size_t>(substrate.hidden)),
      is_touched_(sums_.size()) {
  check(w.in_proj_a.nonzeros() == 0, "no head of a circuit decays by its input");
  for (std::size_t c = 0; c < tail_of_.size(); ++c) {
    if (of(Tensor::InProjQkv).isEmpty(c)) continue;
    channels_.push_back(c);
    slot_of_[c / kDim % head_count_] = 0;
    const auto taps = w.conv1d.rowColumns(c);
    if (!taps.empty() && taps[0] + 1 < model::kConvTaps) tail_of_[c] = static_cast<int>(tails_++);
  }
  for (std::size_t h = 0; h < head_count_; ++h) {
    if (slot_of_[h] < 0) continue;
    slot_of_[h] = static_cast<int>(heads_.size());
    heads_.push_back(h);
  }
  for (std::size_t u = 0; u < w.gate_proj.rows(); ++u)
    if (!of(Tensor::GateProj).isEmpty(u)) units_.push_back(u);
}

LayerState ExactLayer::newState() const {
  return {std::vector<HeadRow>(heads_.size() * kDim), std::vector<ConvTail>(tails_)};
}

float& ExactLayer::weight(Tensor tensor, std::size_t index) {
  if (static_cast<std::size_t>(tensor) < kMatrices) return of(tensor).value(index);
  return vectorOf(tensor)[index];
}

std::size_t ExactLayer::weights(Tensor tensor) const {
  if (static_cast<std::size_t>(tensor) < kMatrices) return of(tensor).nonzeros();
  return vectorOf(tensor).size();
}

void ExactLayer::apply(const StateChanges& writes, LayerState& state) const {
  for (const auto& [index, values] : writes.rows) state.rows[index] = values;
  for (const auto& [index, values] : writes.tails) state.tails[index] = values;
}

// ---- Gated DeltaNet ----------------------------------------------------------------------------

float ExactLayer::convolved(std::size_t channel, const ConvTail& tail, float u) const {
  std::array<float, model::kConvTaps> inputs;
  std::ranges::copy(tail, inputs.begin());
  inputs.back() = u;
  const IndexedMatrix& taps = of(Tensor::Conv1d);
  // At most one product of a circuit's channel is not zero, so that any order of the sum will do.
  return opened(taps.dot(channel, inputs.data()));
}

float ExactLayer::decay(std::size_t slot) const {
  const std::size_t h = heads_[slot];
  return std::exp(-std::exp(vectorOf(Tensor::ALog)[h]) *
                  model::softplus(0.0f + vectorOf(Tensor::DtBias)[h]));
}

void ExactLayer::convolve(const LayerState& state, const StateChanges& changes, MixerRecord& record,
                          StateChanges& writes) const {
  record.u.assign(tail_of_.size(), 0.0f);
  record.c.assign(tail_of_.size(), 0.0f);
  for (const std::size_t c : channels_) {
    const float u = record.u[c] = of(Tensor::InProjQkv).dot(c, record.normed.data());
    ConvTail tail{};
    if (tail_of_[c] >= 0) {
      const auto index = static_cast<std::size_t>(tail_of_[c]);
      const ConvTail* changed = changes.tail(index);
      tail = changed != nullptr ? *changed : state.tails[index];
      writes.tails.push_back({index, {tail[1], tail[2], u}});
    }
    record.c[c] = convolved(c, tail, u);
  }
}

// The delta rule on the rows that the key and the query name; all of them where the head decays.
void ExactLayer::runHead(std::size_t slot, const LayerState& state, const StateChanges& changes,
                         MixerRecord& record, StateChanges& writes) {
  HeadRow query, key, delta{}, out{};
  std::copy_n(&record.c[channelOf(0, slot, 0)], kDim, query.begin());
  std::copy_n(&record.c[channelOf(1, slot, 0)], kDim, key.begin());
  const auto is_set = [](float x) { return x != 0.0f; };
  record.reads[slot] = std::ranges::any_of(query, is_set);
  record.writes[slot] = std::ranges::any_of(key, is_set);
  const float decay = record.decay[slot] = this->decay(slot);
  const float beta = record.beta[slot] =
      model::sigmoid(of(Tensor::InProjB).dot(heads_[slot], record.normed.data()));
  if (record.reads[slot] == 0 && record.writes[slot] == 0 && decay == 1.0f) return;
  model::l2Normalize(query, kEps);
  model::l2Normalize(key, kEps);
  for (float& q : query) q /= std::sqrt(static_cast<float>(kDim));
  std::vector<StateChanges::Row> rows;
  for (std::size_t i = 0; i < kDim; ++i) {
    if (key[i] == 0.0f && query[i] == 0.0f && decay == 1.0f) continue;
    const HeadRow* changed = changes.row(slot * kDim + i);
    rows.push_back({slot * kDim + i, changed != nullptr ? *changed : state.rows[slot * kDim + i]});
    HeadRow& s = rows.back().values;
    for (std::size_t j = 0; j < kDim; ++j) {
      s[j] *= decay;
      delta[j] += s[j] * key[i];
    }
  }
  const float* const value = &record.c[channelOf(2, slot, 0)];
  for (std::size_t j = 0; j < kDim; ++j) delta[j] = (value[j] - delta[j]) * beta;
  for (StateChanges::Row& row : rows) {
    const std::size_t i = row.index % kDim;
    for (std::size_t j = 0; j < kDim; ++j) {
      row.values[j] += key[i] * delta[j];
      out[j] += row.values[j] * query[i];
    }
    if (key[i] != 0.0f || decay != 1.0f) writes.rows.push_back(row);
  }
  if (record.reads[slot] != 0) readOut(slot, out, record);
}

// What a head reads, normed, gated and added to the sums.
void ExactLayer::readOut(std::size_t slot, HeadRow& out, MixerRecord& record) {
  std::ranges::copy(out, record.read.begin() + static_cast<std::ptrdiff_t>(slot * kDim));
  HeadRow gate;
  for (std::size_t j = 0; j < kDim; ++j)
    gate[j] = of(Tensor::InProjZ).dot(heads_[slot] * kDim + j, record.normed.data());
  model::gatedRmsNorm<model::Rounding::Float32>(
      out, gate, model::WeightView(std::span<const float>(vectorOf(Tensor::GatedNorm))), kEps);
  for (std::size_t j = 0; j < kDim; ++j) {
    record.gated[slot * kDim + j] = out[j];
    if (out[j] == 0.0f) continue;
    const std::size_t column = heads_[slot] * kDim + j;
    for (const auto& [dim, entry] : of(Tensor::OutProj).column(column))
      addTo(dim, column, of(Tensor::OutProj).value(entry) * out[j]);
  }
}

void ExactLayer::addMixer(std::span<float> x, const LayerState& state, const StateChanges& changes,
                          MixerRecord& record, StateChanges& writes) {
  writes.clear();
  if (heads_.empty()) return;
  norm(x, vectorOf(Tensor::InputLayernorm), record.normed);
  record.beta.resize(slots());
  record.decay.resize(slots());
  record.writes.resize(slots());
  record.reads.resize(slots());
  record.read.assign(slots() * kDim, 0.0f);
  record.gated.assign(slots() * kDim, 0.0f);
  convolve(state, changes, record, writes);
  for (std::size_t slot = 0; slot < slots(); ++slot) runHead(slot, state, changes, record, writes);
  addSums(x);
}

// Without e^x where that makes no difference: below -89 silu is -0, from 17 on x itself.
float ExactLayer::opened(float x) {
  if (x == 0.0f || x <= -89.0f) return 0.0f;
  return x >= 17.0f ? x : model::silu(x);
}

// ---- SwiGLU ------------------------------------------------------------------------------------

void ExactLayer::addMlp(std::span<float> x, MlpRecord& record) {
  norm(x, vectorOf(Tensor::PostAttentionLayernorm), record.normed);
  const std::size_t units = units_.empty() ? 0 : units_.back() + 1;
  record.gate.resize(units);
  record.opened.resize(units);
  record.up.assign(units, 0.0f);
  record.product.assign(units, 0.0f);
  for (const std::size_t u : units_) {
    record.gate[u] = of(Tensor::GateProj).dot(u, record.normed.data());
    const float open = record.opened[u] = opened(record.gate[u]);
    if (open == 0.0f) continue;
    record.up[u] = of(Tensor::UpProj).dot(u, record.normed.data());
    const float product = record.product[u] = open * record.up[u];
    if (product == 0.0f) continue;
    for (const auto& [dim, entry] : of(Tensor::DownProj).column(u))
      addTo(dim, u, of(Tensor::DownProj).value(entry) * product);
  }
  addSums(x);
}

// ---- Outputs, summed like any row --------------------------------------------------------------

void ExactLayer::addTo(std::size_t dim, std::size_t column, float product) {
  if (is_touched_[dim] == 0) {
    is_touched_[dim] = 1;
    touched_.push_back(static_cast<std::uint16_t>(dim));
    sums_[dim].fill(0.0f);
  }
  sums_[dim][column % kLanes] += product;
}

void ExactLayer::addSums(std::span<float> x) {
  for (const std::uint16_t dim : touched_) {
    x[dim] += folded(sums_[dim]);
    is_touched_[dim] = 0;
  }
  touched_.clear();
}

}  // namespace qgpu::conformance
