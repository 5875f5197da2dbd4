#include "model/weights/budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu::model {
namespace {

std::string line(std::string_view name, const LayerBudget& b, std::size_t mixer, std::size_t mlp) {
  return fmt::format("{:>5}  {:>6}  {:>8}  {:>5}  {:>5}  {:>9}  {:>9}\n", name, b.units,
                     b.clearing_units, b.wires, b.heads, mixer, mlp);
}

// "units: layer 4, 6050 of 6144"
std::string tightest(std::string_view what, std::span<const LayerBudget> budget,
                     int LayerBudget::* member, int limit) {
  const auto most = std::ranges::max_element(budget, {}, member);
  return fmt::format("most {}: layer {}, {} of {}\n", what, most - budget.begin(), *most.*member,
                     limit);
}

}  // namespace

std::string budgetTable(const Substrate& s, std::span<const LayerBudget> budget,
                        std::span<const LayerWeights> layers) {
  std::string text = "layer   units  clearing  wires  heads  mixer nnz    MLP nnz\n";
  LayerBudget sum;
  std::size_t mixer = 0, mlp = 0;
  for (std::size_t i = 0; i < budget.size(); ++i) {
    const LayerBudget& b = budget[i];
    text += line(std::to_string(i), b, layers[i].mixerNonzeros(), layers[i].mlpNonzeros());
    sum.units += b.units;
    sum.clearing_units += b.clearing_units;
    sum.wires = std::max(sum.wires, b.wires);
    sum.heads += b.heads;
    mixer += layers[i].mixerNonzeros();
    mlp += layers[i].mlpNonzeros();
  }
  text += line("all", sum, mixer, mlp);
  if (budget.empty()) return text;
  text += tightest("units", budget, &LayerBudget::units, s.intermediate);
  text += tightest("wires", budget, &LayerBudget::wires,
                   s.first_dim + s.dims - Constants(s).first_wire);
  text += tightest("heads", budget, &LayerBudget::heads, s.heads);
  return text;
}

}  // namespace qgpu::model
