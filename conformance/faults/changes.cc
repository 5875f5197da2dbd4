// Whether a fault changes what its half-layer computes at a token: its own row, evaluated anew.
#include "conformance/faults/suspect.h"
#include "model/layers/elementwise.h"

namespace qgpu::conformance {

using model::kHeadDim;

bool Campaign::changesMlp(Suspect& s) {
  const Fault& f = s.finding.fault;
  const ExactLayer& layer = layers_[f.layer].layer;
  const MlpRecord& r = layers_[f.layer].mlp;
  const auto& gates = layer.matrix(Tensor::GateProj);
  const auto& ups = layer.matrix(Tensor::UpProj);
  if (f.tensor == Tensor::DownProj) {
    s.saw_input = true;
    s.saw_open |= r.product[s.column] != 0.0f;
    return r.product[s.column] != 0.0f;
  }
  if (r.normed[s.column] == 0.0f) return false;
  s.saw_input = true;
  if (f.tensor == Tensor::UpProj) {
    if (r.opened[s.row] == 0.0f) return false;
    s.saw_open = true;
    return r.opened[s.row] * ups.dot(s.row, r.normed.data()) != r.product[s.row];
  }
  const float gate = gates.dot(s.row, r.normed.data());
  if (gate == r.gate[s.row]) return false;
  s.saw_sum = true;
  const float opened = ExactLayer::opened(gate);
  if (opened == r.opened[s.row]) return false;
  s.saw_open = true;
  const float up = r.opened[s.row] != 0.0f ? r.up[s.row] : ups.dot(s.row, r.normed.data());
  return opened * up != r.product[s.row];
}

// The tail that holds what the fault itself made, of in_proj_qkv; -1: there is none.
int Campaign::ownTail(const Suspect& s) const {
  const Fault& f = s.finding.fault;
  return f.tensor == Tensor::InProjQkv ? layers_[f.layer].layer.tailOf(s.row) : -1;
}

// A channel of the convolution whose input or tap is another.
bool Campaign::changesChannel(Suspect& s, std::size_t channel, float u) {
  const Layer& l = layers_[s.finding.fault.layer];
  const MixerRecord& r = l.mixer;
  const int index = l.layer.tailOf(channel);
  ConvTail tail{};
  if (index >= 0) {
    s.tail = s.next_tail;
    s.next_tail = {s.tail[1], s.tail[2], u};
    tail = ownTail(s) >= 0 ? s.tail : l.state.tails[static_cast<std::size_t>(index)];
  }
  s.saw_sum |= u != r.u[channel];
  if (l.layer.convolved(channel, tail, u) == r.c[channel]) return false;
  s.saw_open = true;
  const std::size_t slots = l.layer.slots();
  for (std::size_t slot = 0; slot < slots; ++slot)  // a value counts where a key is set
    if (channel >= l.layer.channelOf(2, slot, 0) &&
        channel < l.layer.channelOf(2, slot, 0) + kHeadDim)
      return r.writes[slot] != 0;
  return true;
}

bool Campaign::changesMixer(Suspect& s) {
  const Fault& f = s.finding.fault;
  const ExactLayer& layer = layers_[f.layer].layer;
  const MixerRecord& r = layers_[f.layer].mixer;
  const auto slotOf = [&](std::size_t head) {
    return static_cast<std::size_t>(layer.slotOf(head));
  };
  switch (f.tensor) {
    case Tensor::InProjQkv:
      s.saw_input |= r.normed[s.column] != 0.0f;
      return changesChannel(s, s.row, layer.matrix(f.tensor).dot(s.row, r.normed.data()));
    case Tensor::Conv1d: {
      const int tail = layer.tailOf(s.row);
      s.saw_sum |= r.u[s.row] != 0.0f;
      s.saw_input |= tail >= 0 || r.u[s.row] != 0.0f;
      return changesChannel(s, s.row, r.u[s.row]);
    }
    case Tensor::InProjB: {
      const float beta = model::sigmoid(layer.matrix(f.tensor).dot(s.row, r.normed.data()));
      s.saw_sum |= beta != r.beta[slotOf(s.row)];
      return beta != r.beta[slotOf(s.row)] && r.writes[slotOf(s.row)] != 0;
    }
    case Tensor::InProjZ: {
      s.saw_input = true;
      const std::size_t place = slotOf(s.row / kHeadDim) * kHeadDim + s.row % kHeadDim;
      s.saw_open |= r.read[place] != 0.0f;
      return r.read[place] != 0.0f;
    }
    case Tensor::OutProj: {
      s.saw_input = true;
      const std::size_t place = slotOf(s.column / kHeadDim) * kHeadDim + s.column % kHeadDim;
      s.saw_open |= r.gated[place] != 0.0f;
      return r.gated[place] != 0.0f;
    }
    case Tensor::GatedNorm:
      s.saw_input = true;
      for (std::size_t slot = 0; slot < layer.slots(); ++slot)
        if (r.gated[slot * kHeadDim + f.index] != 0.0f) return s.saw_open = true;
      return false;
    default: {
      const int slot = layer.slotOf(f.index);
      const bool decays = slot >= 0 && layer.decay(static_cast<std::size_t>(slot)) != 1.0f;
      s.saw_sum |= decays;
      return decays;
    }
  }
}

bool Campaign::changes(Suspect& s) {
  const Fault& f = s.finding.fault;
  Layer& l = layers_[f.layer];
  const Altered altered(l.layer, f);
  switch (f.tensor) {
    case Tensor::GateProj:
    case Tensor::UpProj:
    case Tensor::DownProj: return changesMlp(s);
    case Tensor::InputLayernorm:
    case Tensor::PostAttentionLayernorm: {
      const bool mixer = f.tensor == Tensor::InputLayernorm;
      const bool is_set = steps_[2 * f.layer + (mixer ? 0 : 1)][f.index] != 0.0f;
      s.saw_input |= is_set;
      return is_set && s.is_used;
    }
    default: return changesMixer(s);
  }
}

}  // namespace qgpu::conformance
