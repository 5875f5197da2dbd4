#include "compiler/circuit/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/circuit/liveness.h"

namespace qgpu::circuit {
namespace {

// The first `depth` names of a path.
std::string_view shortened(std::string_view path, int depth) {
  std::size_t end = 0;
  for (; depth > 0 && end < path.size(); --depth)
    end = std::min(path.find('.', end == 0 ? 0 : end + 1), path.size());
  return path.substr(0, end);
}

// The nonzero weights of each hidden unit of a layer.
std::vector<std::size_t> unitNonzeros(const LayerWeights& layer) {
  std::vector<std::size_t> nonzeros(layer.gate_proj.rows());
  for (std::size_t u = 0; u < nonzeros.size(); ++u)
    nonzeros[u] = layer.gate_proj.rowColumns(u).size() + layer.up_proj.rowColumns(u).size();
  for (std::size_t r = 0; r < layer.down_proj.rows(); ++r)
    for (const std::uint16_t u : layer.down_proj.rowColumns(r)) ++nonzeros[u];
  return nonzeros;
}

}  // namespace

std::string scopeTable(const Net& net, const CompiledNet& compiled, int depth) {
  struct Share {
    int units = 0;
    std::size_t nonzeros = 0;
  };
  std::map<std::string, Share, std::less<>> shares;
  std::vector<std::vector<std::size_t>> nonzeros;
  for (const LayerWeights& layer : compiled.layers) nonzeros.push_back(unitNonzeros(layer));
  std::vector<std::size_t> next(compiled.layers.size());
  // Units keep the order of the analysis within their layer.
  for (const std::uint32_t u : analyse(net).units) {
    const Unit& unit = net.units()[u];
    const auto layer = static_cast<std::size_t>(layerOf(unit.step));
    Share& share = shares[std::string(shortened(net.scopeName(unit.scope), depth))];
    ++share.units;
    share.nonzeros += nonzeros[layer][next[layer]++];
  }
  std::vector<std::pair<std::string, Share>> order(shares.begin(), shares.end());
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& s) { return s.second.units; });
  std::string text = " units  nonzeros  scope\n";
  for (const auto& [name, share] : order)
    text += fmt::format("{:>6}  {:>8}  {}\n", share.units, share.nonzeros,
                        name.empty() ? "(none)" : name);
  return text;
}

}  // namespace qgpu::circuit
