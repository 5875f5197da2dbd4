#include "model/launch/machine_model.h"

#include <algorithm>

namespace qgpu::model {

using protocol::Token;

MachineModel::MachineModel(const Circuit& circuit, const Shortcuts& shortcuts)
    : circuit_(circuit),
      shortcuts_(shortcuts),
      residual_(static_cast<std::size_t>(circuit.substrate.hidden)),
      codes_(circuit.unembedding) {
  layers_.reserve(circuit.layers.size());
  for (const LayerWeights& weights : circuit.layers)
    layers_.emplace_back(weights, circuit.substrate, circuit.embedding.constants, shortcuts);
}

void MachineModel::reset() {
  for (CircuitLayer& layer : layers_) layer.reset();
  fed_ = false;
}

void MachineModel::feed(const Token& token) {
  residual_.begin(circuit_.embedding.constants,
                  circuit_.embedding.ones(static_cast<std::size_t>(token.id())));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    look(2 * i);
    layers_[i].addMixer(residual_);
    look(2 * i + 1);
    layers_[i].addMlp(residual_);
  }
  look(2 * layers_.size());
  fed_ = true;
}

std::optional<Token> MachineModel::next() const {
  if (!fed_) return std::nullopt;
  return next(residual_);
}

Token MachineModel::next(const Residual& residual) const {
  if (shortcuts_.decode_by_sign)
    if (const auto token = bySign(residual)) return *token;
  return *Token::fromId(codes_.largestLogit(residual.x()));
}

// A logit is the sum of +-scale * x over the code's dims, so where no x is 0 the code of their
// signs is ahead of every other. Nothing where no token has that code.
std::optional<Token> MachineModel::bySign(const Residual& residual) const {
  std::uint32_t code = 0;
  const std::vector<std::uint16_t>& dims = circuit_.unembedding.dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const float x = residual[dims[i]];
    if (std::fabs(x) != 1.0f) return std::nullopt;
    if (x > 0.0f) code |= 1u << i;
  }
  if (codes_.token(code) == CodeBook::kNone) return std::nullopt;
  return Token::fromId(codes_.token(code));
}

std::uint32_t MachineModel::row(MemoryPlace place, int row, int bits) const {
  return layers_[static_cast<std::size_t>(place.layer)].word(place.head, row, bits);
}

// ---- Probes ------------------------------------------------------------------------------------

void MachineModel::watchProbes() {
  watches_.clear();
  watches_at_.assign(2 * layers_.size() + 1, {});
  for (const auto& [name, probe] : circuit_.probes) {
    watches_at_[static_cast<std::size_t>(probe.step)].push_back(watches_.size());
    watches_.push_back({name, &probe, std::vector<float>(probe.dims.size())});
  }
}

void MachineModel::look(std::size_t step) {
  if (watches_at_.empty()) return;
  for (const std::size_t w : watches_at_[step])
    for (std::size_t i = 0; i < watches_[w].seen.size(); ++i)
      watches_[w].seen[i] = residual_[watches_[w].probe->dims[i]];
}

std::size_t MachineModel::probe(const std::string& name) const {
  const auto found = std::ranges::lower_bound(watches_, name, {}, &Watch::name);
  check(found != watches_.end() && found->name == name, "a probe is watched before it is read");
  return static_cast<std::size_t>(found - watches_.begin());
}

std::optional<std::uint32_t> MachineModel::probed(const std::string& name) const {
  const Watch& watch = watches_[probe(name)];
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < watch.seen.size(); ++i) {
    const float x = watch.seen[i];
    if (x != 1.0f && x != (watch.probe->sign ? -1.0f : 0.0f)) return std::nullopt;
    if (x == 1.0f) value |= 1u << i;
  }
  return value;
}

}  // namespace qgpu::model
