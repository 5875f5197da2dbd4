#include "model/launch/machine_model.h"

#include <algorithm>

namespace qgpu::model {
namespace {

using protocol::Token;

std::vector<std::int32_t> tokensByCode(const Unembedding& head) {
  std::vector<std::int32_t> tokens(std::size_t{1} << head.dims.size(), -1);
  for (std::size_t id = 0; id < head.codes.size(); ++id)
    if (const std::int32_t code = head.codes[id]; code != Unembedding::kNever)
      tokens[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(id);
  return tokens;
}

}  // namespace

MachineModel::MachineModel(const Circuit& circuit, const Shortcuts& shortcuts)
    : circuit_(circuit),
      shortcuts_(shortcuts),
      residual_(static_cast<std::size_t>(circuit.substrate.hidden)),
      token_of_code_(tokensByCode(circuit.unembedding)) {
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
  return byLogits(residual);
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
  if (token_of_code_[code] < 0) return std::nullopt;
  return Token::fromId(token_of_code_[code]);
}

// Every logit: a sum of +-x over the dims in their order. The sums of codes that begin alike are
// formed once, so all of them together take two additions each. The final norm's positive scale is
// common to all.
Token MachineModel::byLogits(const Residual& residual) const {
  const Unembedding& head = circuit_.unembedding;
  std::vector<float> logits(std::size_t{1} << head.dims.size());
  for (std::size_t i = 0, half = 1; i < head.dims.size(); ++i, half *= 2) {
    const float x = residual[head.dims[i]];
    for (std::size_t code = 0; code < half; ++code) {
      logits[half + code] = logits[code] + x;
      logits[code] -= x;
    }
  }
  std::size_t best = 0;
  float most = -INFINITY;
  for (std::size_t id = 0; id < head.codes.size(); ++id) {
    const std::int32_t code = head.codes[id];
    const float logit = code >= 0 ? logits[static_cast<std::size_t>(code)] : 0.0f;
    if (logit > most) most = logit, best = id;
  }
  return *Token::fromId(static_cast<int>(best));
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
