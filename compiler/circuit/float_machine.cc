#include "compiler/circuit/float_machine.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qgpu::circuit {
namespace {

constexpr float kEpsilon = 1e-6f;
constexpr std::size_t kDim = kHeadDim;

float silu(float x) { return x / (1.0f + std::exp(-x)); }
float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float softplus(float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); }

}  // namespace

FloatMachine::FloatMachine(const CompiledNet& compiled, FloatOptions options)
    : compiled_(compiled),
      options_(options),
      input_(static_cast<std::size_t>(compiled.substrate.hidden)),
      state_(compiled.layers.size() * static_cast<std::size_t>(compiled.substrate.heads) * kDim *
             kDim),
      tails_(compiled.layers.size()) {
  const std::size_t width = 3 * static_cast<std::size_t>(compiled.substrate.heads) * kDim;
  for (auto& tail : tails_) tail.resize(3 * width);
  for (const Entry& e : compiled.constants) input_[e.column] = e.value;
}

void FloatMachine::set(Wire input, int value) {
  if (const int dim = compiled_.dim(input); dim >= 0)
    input_[static_cast<std::size_t>(dim)] = compiled_.encode(input, value);
}

void FloatMachine::set(std::span<const Wire> inputs, std::uint64_t value) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    set(inputs[i], static_cast<int>((value >> i) & 1));
}

void FloatMachine::pass() {
  residual_ = input_;
  pass(residual_);
}

void FloatMachine::pass(std::vector<float>& x) {
  for (std::size_t layer = 0; layer < compiled_.layers.size(); ++layer) {
    addMixer(layer, x);
    addMlp(layer, x);
  }
}

float FloatMachine::value(Wire w) const {
  const int dim = compiled_.dim(w);
  check(dim >= 0, "only a wire that is kept can be read");
  const float x = residual_[static_cast<std::size_t>(dim)];
  return compiled_.encodings[w.id] == Encoding::Sign ? (x + 1) / 2 : x;
}

int FloatMachine::get(Wire w) const {
  const float x = value(w);
  return x == std::floor(x) ? static_cast<int>(x) : INT32_MIN;
}

std::uint64_t FloatMachine::get(std::span<const Wire> bus) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bus.size(); ++i) {
    const int bit = get(bus[i]);
    if (bit != 0 && bit != 1) return ~std::uint64_t{0};
    value |= static_cast<std::uint64_t>(bit) << i;
  }
  return value;
}

float FloatMachine::stored(std::size_t memory, int row, int lane) const {
  const MemoryPlace place = compiled_.memories[memory];
  const auto heads = static_cast<std::size_t>(compiled_.substrate.heads);
  const std::size_t head =
      static_cast<std::size_t>(place.layer) * heads + static_cast<std::size_t>(place.head);
  return state_[(head * kDim + static_cast<std::size_t>(row)) * kDim +
                static_cast<std::size_t>(lane)];
}

int FloatMachine::inexact() const {
  return static_cast<int>(std::ranges::count_if(
      residual_, [](float x) { return x != std::floor(x) || (std::fabs(x) > 256 && x != kBig); }));
}

float FloatMachine::reciprocalRoot(float x) const {
  float root = options_.exact_root ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)))
                                   : 1.0f / std::sqrt(x);
  for (int i = 0; i < std::abs(options_.root_ulps); ++i)
    root = std::nextafter(root, options_.root_ulps > 0 ? INFINITY : 0.0f);
  return root;
}

std::vector<float> FloatMachine::norm(const std::vector<float>& x,
                                      const std::vector<bfloat16>& weight) const {
  float sum = 0;
  for (const float v : x) sum += v * v;
  const float s = reciprocalRoot(sum / static_cast<float>(x.size()) + kEpsilon);
  std::vector<float> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = rounded((x[i] * s) * (1.0f + toFloat(weight[i])));
  return out;
}

std::vector<float> FloatMachine::project(const SparseMatrix& w, const std::vector<float>& x) const {
  std::vector<float> out(w.rows());
  for (std::size_t r = 0; r < w.rows(); ++r) {
    const auto columns = w.rowColumns(r);
    const auto values = w.rowValues(r);
    float sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) sum += toFloat(values[i]) * x[columns[i]];
    out[r] = rounded(sum);
  }
  return out;
}

std::vector<float> FloatMachine::convolve(std::size_t layer, const std::vector<float>& u) {
  const SparseMatrix& taps = compiled_.layers[layer].conv1d;
  std::vector<float>& tail = tails_[layer];
  const std::size_t width = u.size();
  std::vector<float> out(width);
  for (std::size_t c = 0; c < width; ++c) {
    const auto columns = taps.rowColumns(c);
    const auto values = taps.rowValues(c);
    float sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t tap = columns[i];
      sum += toFloat(values[i]) * (tap == 3 ? u[c] : tail[tap * width + c]);
    }
    out[c] = rounded(silu(rounded(sum)));
  }
  std::copy(tail.begin() + static_cast<std::ptrdiff_t>(width), tail.end(), tail.begin());
  std::ranges::copy(u, tail.end() - static_cast<std::ptrdiff_t>(width));
  return out;
}

// One head's step of the delta rule and its gated norm, before the gate.
void FloatMachine::recall(std::size_t layer, std::size_t head, const float* q, const float* k,
                          const float* v, float beta, float log_decay, float* out) {
  const auto heads = static_cast<std::size_t>(compiled_.substrate.heads);
  float* state = state_.data() + (layer * heads + head) * kDim * kDim;
  float q_sum = 0, k_sum = 0;
  for (std::size_t i = 0; i < kDim; ++i) q_sum += q[i] * q[i], k_sum += k[i] * k[i];
  const float q_root = reciprocalRoot(q_sum + kEpsilon), k_root = reciprocalRoot(k_sum + kEpsilon);
  const float decay = std::exp(log_decay);
  std::array<float, kDim> recalled{}, read{};
  for (std::size_t i = 0; i < kDim; ++i)
    for (std::size_t j = 0; j < kDim; ++j) {
      state[i * kDim + j] *= decay;
      recalled[j] += state[i * kDim + j] * (k[i] * k_root);
    }
  for (std::size_t i = 0; i < kDim; ++i) {
    const float unit = q[i] * q_root;
    const float query =
        options_.scale_by_product ? unit * 0.08838834764831845f : unit / 11.313708498984761f;
    for (std::size_t j = 0; j < kDim; ++j) {
      state[i * kDim + j] += (k[i] * k_root) * (beta * (v[j] - recalled[j]));
      read[j] += state[i * kDim + j] * query;
    }
  }
  for (std::size_t j = 0; j < kDim; ++j) out[j] = rounded(read[j]);
}

void FloatMachine::addMixer(std::size_t layer, std::vector<float>& x) {
  const LayerWeights& w = compiled_.layers[layer];
  const auto heads = static_cast<std::size_t>(compiled_.substrate.heads);
  const std::vector<float> n = norm(x, w.input_layernorm);
  const std::vector<float> qkv = convolve(layer, project(w.in_proj_qkv, n));
  const std::vector<float> z = project(w.in_proj_z, n);
  const std::vector<float> b = project(w.in_proj_b, n), a = project(w.in_proj_a, n);
  std::vector<float> y(heads * kDim);
  for (std::size_t head = 0; head < heads; ++head) {
    const float* q = qkv.data() + head * kDim;
    const float beta = rounded(sigmoid(b[head]));
    const float log_decay =
        -std::exp(toFloat(w.a_log[head])) * softplus(a[head] + toFloat(w.dt_bias[head]));
    float* out = y.data() + head * kDim;
    recall(layer, head, q, q + heads * kDim, q + 2 * heads * kDim, beta, log_decay, out);
    float sum = 0;
    for (std::size_t j = 0; j < kDim; ++j) sum += out[j] * out[j];
    const float root = reciprocalRoot(sum / static_cast<float>(kDim) + kEpsilon);
    for (std::size_t j = 0; j < kDim; ++j) {
      const float scaled = rounded(toFloat(w.norm[j]) * rounded(out[j] * root));
      out[j] = rounded(scaled * silu(z[head * kDim + j]));
    }
  }
  const std::vector<float> out = project(w.out_proj, y);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = rounded(x[i] + out[i]);
}

void FloatMachine::addMlp(std::size_t layer, std::vector<float>& x) const {
  const LayerWeights& w = compiled_.layers[layer];
  const std::vector<float> n = norm(x, w.post_attention_layernorm);
  std::vector<float> gate = project(w.gate_proj, n);
  const std::vector<float> up = project(w.up_proj, n);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = rounded(rounded(silu(gate[i])) * up[i]);
  const std::vector<float> out = project(w.down_proj, gate);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = rounded(x[i] + out[i]);
}

}  // namespace qgpu::circuit
