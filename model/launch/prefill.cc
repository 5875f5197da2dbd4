// Known tokens, many at a time: the rest of machine_model.h.
#include <algorithm>

#include "model/launch/machine_model.h"

namespace qgpu::model {

using protocol::Token;

namespace {

void lookAtBits(const Probe& probe, Batch& batch, Batch::Seen& seen) {
  batch.bits.settle();
  for (std::size_t i = 0; i < probe.dims.size(); ++i) {
    const std::size_t dim = probe.dims[i];
    const Lanes& one = batch.bits.one(dim);
    seen.is_bits &= probe.sign ? one | batch.bits.minusOne(dim)
                               : batch.bits.positions().without(batch.bits.other(dim));
    one.forEach([&](std::size_t position) { seen.value[position] |= 1u << i; });
  }
}

void lookAtColumns(const Probe& probe, const Batch& batch, Batch::Seen& seen) {
  for (std::size_t position = 0; position < batch.size; ++position)
    for (std::size_t i = 0; i < probe.dims.size(); ++i) {
      const float x = batch.columns[position][probe.dims[i]];
      if (x == 1.0f)
        seen.value[position] |= 1u << i;
      else if (x != (probe.sign ? -1.0f : 0.0f))
        seen.is_bits.erase(position);
    }
}

}  // namespace

std::vector<Token> MachineModel::prefill(std::span<const Token> tokens) {
  if (!batch_) batch_ = std::make_unique<Batch>(circuit_.substrate);
  std::vector<Token> written;
  for (std::size_t at = 0; at < tokens.size(); at += kBatch) {
    const auto part = tokens.subspan(at, std::min<std::size_t>(kBatch, tokens.size() - at));
    begin(*batch_, part);
    run(*batch_, 0, layers_.size());
    const std::vector<Token> next = this->next(*batch_);
    written.insert(written.end(), next.begin(), next.end());
    if (batch_->is_bits)
      batch_->bits.get(part.size() - 1, residual_);
    else
      residual_ = batch_->columns[part.size() - 1];
    fed_ = true;
  }
  return written;
}

void MachineModel::begin(Batch& batch, std::span<const Token> tokens) const {
  const auto onesOf = [&](const Token& token) {
    return circuit_.embedding.ones(static_cast<std::size_t>(token.id()));
  };
  batch.size = tokens.size();
  batch.one_by_one = 0;
  batch.bits.begin(circuit_.embedding.constants, tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) batch.bits.embed(i, onesOf(tokens[i]));
  batch.is_bits = shortcuts_.batch && batch.bits.settle();
  if (batch.is_bits) return;
  batch.columns.resize(kBatch, Residual(residual_.x().size()));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    batch.columns[i].begin(circuit_.embedding.constants, onesOf(tokens[i]));
}

void MachineModel::run(Batch& batch, std::size_t first_layer, std::size_t end_layer) {
  for (std::size_t i = first_layer; i < end_layer; ++i) {
    look(batch, 2 * i);
    runHalf(batch, [&](auto&& residual) { return layers_[i].addMixer(residual); });
    look(batch, 2 * i + 1);
    runHalf(batch, [&](auto&& residual) { return layers_[i].addMlp(residual); });
  }
  if (end_layer == layers_.size()) look(batch, 2 * layers_.size());
}

// Through a half-layer bit by bit, or one by one where it cannot be; then as bits again if all
// positions allow it.
template <typename Half>
void MachineModel::runHalf(Batch& batch, Half half) {
  if (batch.is_bits) {
    if (half(batch.bits)) return;
    batch.columns.resize(kBatch, Residual(residual_.x().size()));
    for (std::size_t i = 0; i < batch.size; ++i) batch.bits.get(i, batch.columns[i]);
  }
  ++batch.one_by_one;
  batch.is_bits = shortcuts_.batch;
  const auto columns = std::span(batch.columns).first(batch.size);
  half(columns);
  if (!batch.is_bits) return;
  for (Residual& column : columns) batch.is_bits = column.settle() && batch.is_bits;
  if (!batch.is_bits) return;
  batch.bits.begin(circuit_.embedding.constants, batch.size);
  for (std::size_t i = 0; i < batch.size; ++i) batch.bits.put(i, batch.columns[i]);
}

// ---- The next tokens ---------------------------------------------------------------------------

std::vector<Token> MachineModel::next(Batch& batch) const {
  std::vector<std::int32_t> codes(batch.size, Unembedding::kNever);
  if (batch.is_bits && shortcuts_.decode_by_sign) codes = codesBySign(batch.bits);
  std::vector<Token> tokens;
  Residual column(residual_.x().size());
  for (std::size_t i = 0; i < batch.size; ++i) {
    const std::int32_t token =
        codes[i] >= 0 ? codes_.token(static_cast<std::uint32_t>(codes[i])) : CodeBook::kNone;
    if (token >= 0) {
      tokens.push_back(*Token::fromId(token));
      continue;
    }
    if (batch.is_bits) batch.bits.get(i, column);
    tokens.push_back(next(batch.is_bits ? column : batch.columns[i]));
  }
  return tokens;
}

// The code of the signs at each position; kNever where a dim is neither 1 nor -1.
std::vector<std::int32_t> MachineModel::codesBySign(BatchResidual& bits) const {
  std::vector<std::int32_t> codes(bits.size());
  bits.settle();
  Lanes known = bits.positions();
  const std::vector<std::uint16_t>& dims = circuit_.unembedding.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    known &= bits.one(dims[d]) | bits.minusOne(dims[d]);
    bits.one(dims[d]).forEach([&](std::size_t i) { codes[i] |= std::int32_t{1} << d; });
  }
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (!known.has(i)) codes[i] = Unembedding::kNever;
  return codes;
}

// ---- Probes ------------------------------------------------------------------------------------

void MachineModel::look(Batch& batch, std::size_t step) const {
  if (watches_at_.empty()) return;
  batch.seen.resize(watches_.size());
  for (const std::size_t w : watches_at_[step]) {
    Batch::Seen& seen = batch.seen[w];
    seen.value.fill(0);
    seen.is_bits = Lanes::first(batch.size);
    batch.is_bits ? lookAtBits(*watches_[w].probe, batch, seen)
                  : lookAtColumns(*watches_[w].probe, batch, seen);
  }
}

std::optional<std::uint32_t> MachineModel::probed(const Batch& batch, std::size_t probe,
                                                  std::size_t position) const {
  const Batch::Seen& seen = batch.seen[probe];
  if (!seen.is_bits.has(position)) return std::nullopt;
  return seen.value[position];
}

}  // namespace qgpu::model
