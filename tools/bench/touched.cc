#include "tools/bench/touched.h"

#include <vector>

#include "model/launch/stock_layer.h"

namespace qgpu::bench {
namespace {

using model::Activations;

// The rows of embed_tokens.
Activations embedded(const model::Circuit& circuit, std::span<const protocol::Token> tokens) {
  Activations x =
      model::activations(tokens.size(), static_cast<std::size_t>(circuit.substrate.hidden));
  x.setZero();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto row = model::row(x, t);
    for (const model::Entry& e : circuit.embedding.constants) row[e.column] = e.value;
    for (const std::uint16_t dim : circuit.embedding.ones(static_cast<std::size_t>(tokens[t].id())))
      row[dim] = 1.0f;
  }
  return x;
}

void countColumns(const model::SparseMatrix& matrix, std::vector<std::size_t>& counts) {
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    for (const std::uint16_t column : matrix.rowColumns(r)) ++counts[column];
}

// Counts over all tokens: weights in columns that are not zero.
std::size_t inColumns(const Activations& x, const std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (std::size_t t = 0; t < model::tokenCount(x); ++t) {
    const auto row = model::row(x, t);
    for (std::size_t d = 0; d < row.size(); ++d)
      if (row[d] != 0) sum += counts[d];
  }
  return sum;
}

}  // namespace

Touched touchedWeights(const model::Circuit& circuit, std::span<const protocol::Token> tokens) {
  Activations x = embedded(circuit, tokens);
  model::Workers workers;
  // Constants are folded into what sums begin with.
  const auto without_constants = [&](std::vector<std::size_t> counts) {
    for (const model::Entry& e : circuit.embedding.constants) counts[e.column] = 0;
    return counts;
  };
  std::size_t touched = 0;
  for (const model::LayerWeights& layer : circuit.layers) {
    std::vector<std::size_t> mixer(model::width(x)), mlp(model::width(x));
    countColumns(layer.in_proj_qkv, mixer);
    countColumns(layer.gate_proj, mlp);
    model::StockLayer stock(layer, circuit.substrate, model::Storage::Compressed);
    const auto half = [&](std::vector<std::size_t> counts, auto add) {
      touched += inColumns(x, without_constants(std::move(counts)));
      const Activations before = x;
      add();
      touched += static_cast<std::size_t>((x.array() != before.array()).count());
    };
    half(std::move(mixer), [&] { stock.addMixer<model::Rounding::Float32>(x, workers); });
    half(std::move(mlp), [&] { stock.addMlp<model::Rounding::Float32>(x, workers); });
  }
  return {static_cast<double>(touched) / static_cast<double>(tokens.size()),
          model::nonzeros(circuit)};
}

}  // namespace qgpu::bench
