#include "model/circuit/machine_model.h"

#include <fmt/format.h>

#include <bit>

#include "compiler/circuit/machine/output.h"

namespace qgpu::model {
namespace {

namespace cm = circuit::machine;
using protocol::Token;

std::vector<std::int32_t> tokensByCode() {
  std::vector<std::int32_t> tokens(std::size_t{1} << cm::kCodeWidth, -1);
  for (int id = 0; id < protocol::vocabulary(); ++id)
    if (const auto code = cm::outputCode(*Token::fromId(id))) tokens[*code] = id;
  return tokens;
}

}  // namespace

MachineModel::MachineModel(const cm::Circuit& circuit)
    : circuit_(circuit), embedding_(circuit), token_of_code_(tokensByCode()) {
  layers_.reserve(circuit.layers.size());
  for (const circuit::LayerWeights& weights : circuit.layers)
    layers_.emplace_back(weights, circuit.substrate);
  residual_.x.resize(static_cast<std::size_t>(circuit.substrate.hidden));
}

void MachineModel::reset() {
  for (SparseLayer& layer : layers_) layer.reset();
  fed_ = false;
}

void MachineModel::feed(const Token& token) {
  std::ranges::fill(residual_.x, 0.0f);
  for (const circuit::Entry& e : circuit_.constants) residual_.x[e.column] = e.value;
  for (const int column : embedding_(token)) residual_.x[static_cast<std::size_t>(column)] = 1.0f;
  for (SparseLayer& layer : layers_) layer.step(residual_);
  fed_ = true;
}

// A logit is the sum of +-64 for each code wire, so the token whose code has the wires' signs is
// ahead of every other by two bits' worth. Where no token has that code, the nearest is.
std::optional<Token> MachineModel::next() const {
  if (!fed_) return std::nullopt;
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < circuit_.code_dims.size(); ++i)
    if (residual_.x[static_cast<std::size_t>(circuit_.code_dims[i])] > 0.0f) code |= 1u << i;
  if (token_of_code_[code] >= 0) return Token::fromId(token_of_code_[code]);
  int best = -1, fewest = cm::kCodeWidth + 1;
  for (std::uint32_t other = 0; other < token_of_code_.size(); ++other)
    if (const int differ = std::popcount(other ^ code);
        token_of_code_[other] >= 0 && differ < fewest) {
      fewest = differ;
      best = token_of_code_[other];
    }
  return Token::fromId(best);
}

MachineModel::Place MachineModel::place(const std::string& name) const {
  const circuit::MemoryPlace p = circuit_.memory(name);
  return {&layers_[static_cast<std::size_t>(p.layer)], p.head};
}

std::uint32_t MachineModel::word(const Place& p, int row, int bits) const {
  std::uint32_t value = 0;
  for (int i = 0; i < bits; ++i)
    if (p.layer->stored(p.head, row, i) > 0.0f) value |= 1u << i;
  return value;
}

std::uint32_t MachineModel::globalWord(int row) const {
  return word(place("stage1.load.memory.global0"), row, 32);
}
std::uint32_t MachineModel::sharedWord(int row) const {
  return word(place("stage1.load.memory.shared0"), row, 32);
}
std::uint32_t MachineModel::registerWord(int warp, int reg, int lane) const {
  return word(place(fmt::format("stage1.operands.a.registers{}", lane)),
              warp * kMachine.registers + reg, 32);
}
std::uint32_t MachineModel::parameterWord(int index) const {
  return word(place("stage1.operands.parameter"), index, 32);
}
std::uint32_t MachineModel::predicateBits(int warp, int predicate) const {
  const int row = (predicate + 1) % kMachine.predicates + warp * kMachine.predicates;
  return word(place("stage1.operands.guard_row"), row, kMachine.lanes);
}
int MachineModel::laneKey(int warp, int lane) const {
  return static_cast<int>(word(place(fmt::format("control.pc{}", lane)), warp, 8));
}

}  // namespace qgpu::model
