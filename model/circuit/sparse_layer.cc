#include "model/circuit/sparse_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "interpreter/base/failure.h"

namespace qgpu::model {
namespace {

constexpr float kEpsilon = 1e-6f;
constexpr std::size_t kDim = circuit::kHeadDim;

// silu(x): exactly x from 17 up, exactly 0 from -89 down, the formula between.
float silu(float x) {
  if (x >= 17.0f || x == 0.0f) return x;
  if (x <= -89.0f) return 0.0f;
  return x / (1.0f + std::exp(-x));
}
float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float softplus(float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); }
float reciprocalRoot(float x) { return 1.0f / std::sqrt(x); }

std::vector<float> onePlus(const std::vector<bfloat16>& weight) {
  std::vector<float> gain;
  for (const bfloat16 w : weight) gain.push_back(1.0f + toFloat(w));
  return gain;
}

// x / |x|, in place; all zeros stay so. Returns whether anything is not zero.
bool normalizeHead(float* x, float scale) {
  float sum = 0;
  bool any = false;
  for (std::size_t i = 0; i < kDim; ++i) {
    sum += x[i] * x[i];
    any |= x[i] != 0.0f;
  }
  if (!any) return false;
  const float root = reciprocalRoot(sum + kEpsilon);
  for (std::size_t i = 0; i < kDim; ++i)
    if (x[i] != 0.0f) x[i] = x[i] * root / scale;
  return true;
}

}  // namespace

Columns::Columns(const circuit::SparseMatrix& m) : starts_(m.columns() + 1) {
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (const std::uint16_t c : m.rowColumns(r)) ++starts_[c + 1u];
  for (std::size_t c = 0; c < m.columns(); ++c) starts_[c + 1] += starts_[c];
  rows_.resize(m.nonzeros());
  values_.resize(m.nonzeros());
  std::vector<std::uint32_t> at(starts_.begin(), starts_.end() - 1);
  for (std::size_t r = 0; r < m.rows(); ++r) {
    const auto columns = m.rowColumns(r);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::uint32_t place = at[columns[i]]++;
      rows_[place] = static_cast<std::uint16_t>(r);
      values_[place] = toFloat(m.rowValues(r)[i]);
    }
  }
}

Rows::Rows(const circuit::SparseMatrix& m) : starts_{0} {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    const auto columns = m.rowColumns(r);
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    for (const bfloat16 v : m.rowValues(r)) values_.push_back(toFloat(v));
    starts_.push_back(static_cast<std::uint32_t>(values_.size()));
  }
}

void Residual::findNonzero() {
  nonzero.clear();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != 0.0f) nonzero.push_back(static_cast<std::uint16_t>(i));
}

SparseLayer::SparseLayer(const circuit::LayerWeights& w, const circuit::Substrate& substrate)
    : heads_(static_cast<std::size_t>(substrate.heads)),
      hidden_(static_cast<std::size_t>(substrate.hidden)),
      intermediate_(static_cast<std::size_t>(substrate.intermediate)),
      mixer_gain_(onePlus(w.input_layernorm)),
      mlp_gain_(onePlus(w.post_attention_layernorm)),
      qkv_(w.in_proj_qkv),
      out_(w.out_proj),
      gate_(w.gate_proj),
      down_(w.down_proj),
      z_(w.in_proj_z),
      beta_(w.in_proj_b),
      conv_(w.conv1d),
      up_(w.up_proj),
      normed_(hidden_),
      projected_(3 * heads_ * kDim),
      hidden_units_(intermediate_) {
  for (const bfloat16 v : w.norm) head_gain_.push_back(toFloat(v));
  const Rows qkv_rows(w.in_proj_qkv), decay_rows(w.in_proj_a), gate_rows(w.gate_proj);
  for (std::size_t h = 0; h < heads_; ++h) {
    bool used = false;
    for (std::size_t part = 0; part < 3; ++part)
      for (std::size_t i = 0; i < kDim; ++i)
        used |= !qkv_rows.isEmpty((part * heads_ + h) * kDim + i);
    if (!used) continue;
    check(decay_rows.isEmpty(h), "a compiled head's decay depends on no token");
    const float g = -std::exp(toFloat(w.a_log[h])) * softplus(toFloat(w.dt_bias[h]));
    used_heads_.push_back({static_cast<int>(h), std::exp(g), std::vector<float>(kDim * kDim)});
  }
  for (std::size_t r = 0; r < projected_.size(); ++r)
    for (std::uint32_t i = conv_.begin(r); i < conv_.end(r); ++i)
      if (conv_.column(i) != 3) {
        tails_.push_back({static_cast<std::uint16_t>(r), {}});
        break;
      }
  for (std::size_t u = 0; u < intermediate_; ++u)
    if (!gate_rows.isEmpty(u)) units_ = u + 1;
}

void SparseLayer::reset() {
  for (Head& head : used_heads_) std::ranges::fill(head.state, 0.0f);
  for (Tail& tail : tails_) std::ranges::fill(tail.past, 0.0f);
}

void SparseLayer::step(Residual& residual) {
  if (!used_heads_.empty()) mix(residual);
  think(residual);
}

void SparseLayer::normalize(const Residual& residual, const std::vector<float>& gain) {
  float sum = 0;
  for (const std::uint16_t i : residual.nonzero) sum += residual.x[i] * residual.x[i];
  const float s = reciprocalRoot(sum / static_cast<float>(hidden_) + kEpsilon);
  std::ranges::fill(normed_, 0.0f);
  for (const std::uint16_t i : residual.nonzero) normed_[i] = residual.x[i] * s * gain[i];
}

// Every row is a single tap on the current token but for those with a tail.
void SparseLayer::convolve() {
  for (Tail& tail : tails_) {
    const float now = projected_[tail.row];
    float sum = 0;
    for (std::uint32_t i = conv_.begin(tail.row); i < conv_.end(tail.row); ++i) {
      const std::uint16_t tap = conv_.column(i);
      sum += conv_.value(i) * (tap == 3 ? now : tail.past[tap]);
    }
    projected_[tail.row] = sum;
    tail.past[0] = tail.past[1];
    tail.past[1] = tail.past[2];
    tail.past[2] = now;
  }
}

void SparseLayer::mix(Residual& residual) {
  residual.findNonzero();
  normalize(residual, mixer_gain_);
  std::ranges::fill(projected_, 0.0f);
  for (const std::uint16_t c : residual.nonzero)
    if (normed_[c] != 0.0f) qkv_.addTo(c, normed_[c], projected_.data());
  convolve();
  for (Head& head : used_heads_) useHead(head, residual);
}

void SparseLayer::useHead(Head& head, Residual& residual) {
  const auto h = static_cast<std::size_t>(head.number);
  float* query = projected_.data() + h * kDim;
  float* key = query + heads_ * kDim;
  float* value = key + heads_ * kDim;
  for (std::size_t i = 0; i < kDim; ++i) {
    query[i] = silu(query[i]);
    key[i] = silu(key[i]);
  }
  if (head.decay != 1.0f)
    for (float& s : head.state) s *= head.decay;
  if (normalizeHead(key, 1.0f)) {
    for (std::size_t i = 0; i < kDim; ++i) value[i] = silu(value[i]);
    writeRow(head, key, value, sigmoid(beta_.dot(h, normed_.data())));
  }
  if (!normalizeHead(query, std::sqrt(static_cast<float>(kDim)))) return;
  std::array<float, kDim> read{};
  if (!readRow(head, query, read.data())) return;
  float sum = 0;
  for (const float o : read) sum += o * o;
  const float root = reciprocalRoot(sum / static_cast<float>(kDim) + kEpsilon);
  for (std::size_t j = 0; j < kDim; ++j) {
    if (read[j] == 0.0f) continue;
    const float z = silu(z_.dot(h * kDim + j, normed_.data()));
    out_.addTo(h * kDim + j, head_gain_[j] * (read[j] * root) * z, residual.x.data());
  }
}

// S += key (x) beta * (value - S^T key), over the rows whose key is not zero.
void SparseLayer::writeRow(Head& head, const float* key, const float* value, float beta) {
  std::array<float, kDim> delta{};
  for (std::size_t i = 0; i < kDim; ++i) {
    if (key[i] == 0.0f) continue;
    const float* row = head.state.data() + i * kDim;
    for (std::size_t j = 0; j < kDim; ++j) delta[j] += row[j] * key[i];
  }
  for (std::size_t j = 0; j < kDim; ++j) delta[j] = beta * (value[j] - delta[j]);
  for (std::size_t i = 0; i < kDim; ++i) {
    if (key[i] == 0.0f) continue;
    float* row = head.state.data() + i * kDim;
    for (std::size_t j = 0; j < kDim; ++j) row[j] += key[i] * delta[j];
  }
}

// out = S^T query; false where it is all zeros.
bool SparseLayer::readRow(const Head& head, const float* query, float* out) const {
  for (std::size_t i = 0; i < kDim; ++i) {
    if (query[i] == 0.0f) continue;
    const float* row = head.state.data() + i * kDim;
    for (std::size_t j = 0; j < kDim; ++j) out[j] += row[j] * query[i];
  }
  return std::any_of(out, out + kDim, [](float o) { return o != 0.0f; });
}

void SparseLayer::think(Residual& residual) {
  residual.findNonzero();
  normalize(residual, mlp_gain_);
  std::fill_n(hidden_units_.begin(), units_, 0.0f);
  for (const std::uint16_t c : residual.nonzero)
    if (normed_[c] != 0.0f) gate_.addTo(c, normed_[c], hidden_units_.data());
  for (std::size_t u = 0; u < units_; ++u) {
    const float gate = hidden_units_[u];
    if (gate <= -89.0f || gate == 0.0f) continue;  // silu is exactly 0
    const float product = silu(gate) * up_.dot(u, normed_.data());
    if (product != 0.0f) down_.addTo(u, product, residual.x.data());
  }
}

float SparseLayer::stored(int head, int row, int lane) const {
  for (const Head& h : used_heads_)
    if (h.number == head)
      return h.state[static_cast<std::size_t>(row) * kDim + static_cast<std::size_t>(lane)];
  return 0.0f;
}

}  // namespace qgpu::model
