#include "conformance/faults/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace qgpu::conformance {
namespace {

using model::Circuit;
using model::LayerWeights;
using model::SparseMatrix;

// In percent.
constexpr std::array<int, kTensors> kShares = {14, 5, 3, 8, 5, 29, 14, 14, 2, 2, 2, 1, 1};

// Where a tensor is: exactly one of the two.
template <typename Weights>
auto* matrixOf(Weights& w, Tensor tensor) {
  switch (tensor) {
    case Tensor::InProjQkv: return &w.in_proj_qkv;
    case Tensor::InProjZ: return &w.in_proj_z;
    case Tensor::InProjB: return &w.in_proj_b;
    case Tensor::Conv1d: return &w.conv1d;
    case Tensor::OutProj: return &w.out_proj;
    case Tensor::GateProj: return &w.gate_proj;
    case Tensor::UpProj: return &w.up_proj;
    case Tensor::DownProj: return &w.down_proj;
    default: return static_cast<decltype(&w.gate_proj)>(nullptr);
  }
}
template <typename Weights>
auto* vectorOf(Weights& w, Tensor tensor) {
  switch (tensor) {
    case Tensor::InputLayernorm: return &w.input_layernorm;
    case Tensor::PostAttentionLayernorm: return &w.post_attention_layernorm;
    case Tensor::GatedNorm: return &w.norm;
    case Tensor::DtBias: return &w.dt_bias;
    case Tensor::ALog: return &w.a_log;
    default: return static_cast<decltype(&w.norm)>(nullptr);
  }
}

// The weights of a tensor that may be hit: those of a mixer only where there is one.
std::size_t weightsOf(const LayerWeights& w, Tensor tensor) {
  if (const SparseMatrix* m = matrixOf(w, tensor)) return m->nonzeros();
  const bool mixer = w.in_proj_qkv.nonzeros() > 0;
  return tensor == Tensor::PostAttentionLayernorm || mixer ? vectorOf(w, tensor)->size() : 0;
}

float storedWeight(const LayerWeights& w, Tensor tensor, std::size_t index) {
  if (const SparseMatrix* m = matrixOf(w, tensor)) return toFloat(m->compressed().values[index]);
  return toFloat((*vectorOf(w, tensor))[index]);
}

bool standsForOne(Tensor tensor) {
  return tensor == Tensor::InputLayernorm || tensor == Tensor::PostAttentionLayernorm ||
         tensor == Tensor::ALog;
}

std::size_t rowOf(const SparseMatrix& m, std::size_t entry) {
  const auto starts = m.compressed().starts;
  return static_cast<std::size_t>(
             std::ranges::upper_bound(starts, static_cast<std::uint32_t>(entry)) - starts.begin()) -
         1;
}

}  // namespace

std::string_view name(Damage damage) {
  static constexpr std::array<std::string_view, kDamages> kNames = {
      "zero", "negated", "one step up", "one step down", "doubled"};
  return kNames[static_cast<std::size_t>(damage)];
}

float damaged(float value, Damage damage) {
  const std::uint16_t bits = toBfloat16(value).bits;
  switch (damage) {
    case Damage::Zero: return 0;
    case Damage::Negate: return -value;
    case Damage::StepUp: return toFloat(bfloat16{static_cast<std::uint16_t>(bits + 1)});
    case Damage::StepDown: return toFloat(bfloat16{static_cast<std::uint16_t>(bits - 1)});
    case Damage::Double: return 2 * value;
  }
  bug("a damage is one of five");
}

std::string Fault::text(const Circuit& circuit) const {
  std::string place = fmt::format("[{}]", index);
  if (const SparseMatrix* m = matrixOf(circuit.layers[layer], tensor))
    place = fmt::format("[{}][{}]", rowOf(*m, index), m->compressed().column[index]);
  return fmt::format("layer {} {}{}: {} -> {} ({})", layer, name(tensor), place, before, after,
                     name(damage));
}

std::vector<Fault> drawFaults(const Circuit& circuit, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Fault> faults;
  while (faults.size() < count) {
    auto share = static_cast<int>(below(100));
    std::size_t t = 0;
    while (share >= kShares[t]) share -= kShares[t++];
    Fault fault{.tensor = static_cast<Tensor>(t), .damage = static_cast<Damage>(below(kDamages))};
    std::size_t total = 0;
    for (const LayerWeights& w : circuit.layers) total += weightsOf(w, fault.tensor);
    fault.index = below(total);
    while (fault.index >= weightsOf(circuit.layers[fault.layer], fault.tensor))
      fault.index -= weightsOf(circuit.layers[fault.layer++], fault.tensor);
    fault.before = storedWeight(circuit.layers[fault.layer], fault.tensor, fault.index);
    fault.after = standsForOne(fault.tensor) && fault.before == 0
                      ? damaged(1, fault.damage) - 1
                      : damaged(fault.before, fault.damage);
    faults.push_back(fault);
  }
  return faults;
}

LayerWeights faultyLayer(const Circuit& circuit, const Fault& fault) {
  LayerWeights w = circuit.layers[fault.layer];
  if (std::vector<bfloat16>* v = vectorOf(w, fault.tensor)) {
    (*v)[fault.index] = toBfloat16(fault.after);
    return w;
  }
  SparseMatrix& m = *matrixOf(w, fault.tensor);
  std::vector<model::Entry> entries;
  for (std::size_t r = 0, i = 0; r < m.rows(); ++r)
    for (const std::uint16_t column : m.rowColumns(r)) {
      const float value = i == fault.index ? fault.after : toFloat(m.compressed().values[i]);
      if (++i; value != 0) entries.push_back({static_cast<std::uint32_t>(r), column, value});
    }
  m = SparseMatrix(m.rows(), m.columns(), std::move(entries));
  return w;
}

}  // namespace qgpu::conformance
