#include "compiler/circuit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/circuit/allocate.h"
#include "compiler/circuit/liveness.h"
#include "compiler/circuit/memory_head.h"
#include "compiler/circuit/row_form.h"

namespace qgpu::circuit {
namespace {

// Everything that becomes one layer.
struct LayerPlan {
  std::vector<const Unit*> units;
  std::vector<const Clearing*> clearings;
  std::vector<const Memory*> memories;
  // Dims that must start at -1, by the mode that their wires belong to.
  std::map<std::uint32_t, std::vector<int>> starts;
};

class Compiler {
 public:
  Compiler(const Net& net, const Substrate& substrate)
      : net_(net), substrate_(substrate), constants_(substrate), liveness_(analyse(net)) {}

  Expected<CompiledNet> run() {
    if (auto placed = checkDepth(); !placed) return fail(placed.error());
    auto allocation = allocate(net_, liveness_, substrate_, unitLoad());
    if (!allocation) return fail(allocation.error());
    allocation_ = std::move(*allocation);
    plan();
    result_.substrate = substrate_;
    result_.dims = allocation_.dim;
    for (const WireInfo& info : net_.wires()) result_.encodings.push_back(info.type.encoding);
    emitConstants();
    for (int layer = 0; layer < substrate_.layers; ++layer)
      if (auto done = emitLayer(layer); !done) return fail(done.error());
    return std::move(result_);
  }

 private:
  Expected<void> checkDepth() const {
    if (net_.steps() <= 2 * substrate_.layers) return {};
    for (const Unit& unit : net_.units())
      if (layerOf(unit.step) >= substrate_.layers)
        return refuse(fmt::format("{} has a unit in {}, but there are {} layers",
                                  net_.scopeName(unit.scope), stepName(unit.step),
                                  substrate_.layers));
    return refuse(fmt::format("a memory lies behind the last of {} layers", substrate_.layers));
  }

  std::vector<int> unitLoad() const {
    std::vector<int> load(static_cast<std::size_t>(substrate_.layers));
    for (const std::uint32_t u : liveness_.units) ++load[layerOf(net_.units()[u].step)];
    return load;
  }

  void plan() {
    plans_.resize(static_cast<std::size_t>(substrate_.layers));
    for (const std::uint32_t u : liveness_.units)
      plans_[layerOf(net_.units()[u].step)].units.push_back(&net_.units()[u]);
    for (const Clearing& c : allocation_.clearings) plans_[layerOf(c.step)].clearings.push_back(&c);
    for (const Memory& memory : net_.memories()) {
      LayerPlan& plan = plans_[layerOf(memory.step)];
      result_.memories.push_back({layerOf(memory.step), static_cast<int>(plan.memories.size())});
      plan.memories.push_back(&memory);
    }
    for (const Tenant& tenant : liveness_.tenants)
      if (tenant.is_signed && tenant.start != kEmbeddingStep)
        plans_[layerOf(tenant.start)].starts[tenant.mode.id].push_back(
            allocation_.dim[tenant.wires.front().id]);
  }

  void emitConstants() {
    const auto put = [&](int dim, float value) {
      result_.constants.push_back({0, static_cast<std::uint32_t>(dim), value});
    };
    for (int i = 0; i < constants_.bigs; ++i) put(substrate_.first_dim + i, kBig);
    put(constants_.one, 1);
    for (const Tenant& tenant : liveness_.tenants)
      if (tenant.is_signed && tenant.start == kEmbeddingStep)
        put(allocation_.dim[tenant.wires.front().id], -1);
  }

  Expected<void> emitLayer(int layer) {
    const LayerPlan& plan = plans_[static_cast<std::size_t>(layer)];
    LayerBudget budget;
    LayerWeights weights;
    if (auto done = emitMlp(layer, plan, weights, budget); !done) return done;
    if (plan.memories.size() > static_cast<std::size_t>(substrate_.heads))
      return refuse(fmt::format("layer {} needs {} heads of {}; the last is {}", layer,
                                plan.memories.size(), substrate_.heads,
                                plan.memories.back()->name));
    const RowWriter writer(net_, liveness_, allocation_, constants_);
    if (auto done = emitMemories(writer, net_, allocation_, substrate_, plan.memories, weights);
        !done)
      return done;
    emitNorms(weights);
    budget.wires = allocation_.live[static_cast<std::size_t>(layer)];
    budget.heads = static_cast<int>(plan.memories.size());
    result_.budget.push_back(budget);
    result_.layers.push_back(std::move(weights));
    return {};
  }

  void emitNorms(LayerWeights& weights) const {
    std::vector<bfloat16> gain(static_cast<std::size_t>(substrate_.hidden), toBfloat16(-1));
    std::fill_n(gain.begin() + substrate_.first_dim, substrate_.dims, toBfloat16(0));
    weights.input_layernorm = weights.post_attention_layernorm = std::move(gain);
  }

  // ---- the MLP -----------------------------------------------------------------------------

  struct MlpEntries {
    std::vector<Entry> gate, up, down;
    std::uint32_t units = 0;
  };

  Expected<void> emitMlp(int layer, const LayerPlan& plan, LayerWeights& weights,
                         LayerBudget& budget) {
    const RowWriter writer(net_, liveness_, allocation_, constants_);
    MlpEntries mlp;
    for (const Unit* unit : plan.units)
      if (!emitUnit(writer, *unit, mlp))
        return refuse(fmt::format("a unit of {} in {} needs a weight of more than eight bits",
                                  net_.scopeName(unit->scope), stepName(unit->step)));
    for (const Clearing* clearing : plan.clearings) emitClearing(writer, *clearing, mlp);
    for (const auto& [mode, dims] : plan.starts) emitStart(writer, layer, {mode}, dims, mlp);
    budget.units = static_cast<int>(mlp.units);
    budget.clearing_units = static_cast<int>(plan.clearings.size());
    if (budget.units > substrate_.intermediate) return refuse(tooManyUnits(layer, plan, budget));
    const auto hidden = static_cast<std::size_t>(substrate_.hidden);
    const auto inner = static_cast<std::size_t>(substrate_.intermediate);
    weights.gate_proj = SparseMatrix(inner, hidden, std::move(mlp.gate));
    weights.up_proj = SparseMatrix(inner, hidden, std::move(mlp.up));
    weights.down_proj = SparseMatrix(hidden, inner, std::move(mlp.down));
    return {};
  }

  bool emitUnit(const RowWriter& writer, const Unit& unit, MlpEntries& mlp) const {
    const std::uint32_t index = mlp.units++;
    bool exact = writer.append(mlp.gate, index, kGateScale, writer.row(unit.gate, unit.step));
    exact = writer.append(mlp.up, index, 1, writer.row(unit.amount)) && exact;
    for (const Output& out : unit.outs) {
      if (out.amount == 0 || !liveness_.read[out.wire.id]) continue;
      const bool sign = net_.info(out.wire).type.encoding == Encoding::Sign;
      const float share = static_cast<float>(sign ? 2 * out.amount : out.amount) / kGateScale;
      exact = exact && isBfloat16(share);
      if (exact)
        mlp.down.push_back(
            {static_cast<std::uint32_t>(allocation_.dim[out.wire.id]), index, share});
    }
    return exact;
  }

  // One unit that removes what a dim holds: relu(x) * -1, or 1 * -x where x may be negative.
  void emitClearing(const RowWriter& writer, const Clearing& clearing, MlpEntries& mlp) const {
    const std::uint32_t index = mlp.units++;
    const RowForm value{0, {{clearing.dim, 1}}};
    const bool product = clearing.is_negative || clearing.mode.id != 0;
    const RowForm gate = writer.row(modeGate(clearing.mode), clearing.step);
    check(writer.append(mlp.gate, index, kGateScale, product ? gate : value) &&
              writer.append(mlp.up, index, 1, product ? value : RowForm{1, {}}),
          "a clearing unit has small weights");
    mlp.down.push_back({static_cast<std::uint32_t>(clearing.dim), index, -1 / kGateScale});
  }

  void emitStart(const RowWriter& writer, int layer, Mode mode, const std::vector<int>& dims,
                 MlpEntries& mlp) const {
    const std::uint32_t index = mlp.units++;
    check(writer.append(mlp.gate, index, kGateScale, writer.row(modeGate(mode), unitStep(layer))) &&
              writer.append(mlp.up, index, 1, RowForm{1, {}}),
          "a starting unit has small weights");
    for (const int dim : dims)
      mlp.down.push_back({static_cast<std::uint32_t>(dim), index, -1 / kGateScale});
  }

  Gate modeGate(Mode mode) const {
    return mode.id == 0 ? Gate() : Gate(net_.modes()[mode.id].enabled);
  }

  std::string tooManyUnits(int layer, const LayerPlan& plan, const LayerBudget& budget) const {
    std::map<std::string, int> scopes;
    for (const Unit* unit : plan.units) ++scopes[net_.scopeName(unit->scope)];
    std::vector<std::pair<int, std::string>> largest;
    largest.reserve(scopes.size());
    for (const auto& [name, n] : scopes) largest.emplace_back(n, name);
    std::ranges::sort(largest, std::greater<>());
    if (largest.size() > 8) largest.resize(8);
    std::string text = fmt::format("layer {} needs {} units of {}; clearing: {}", layer,
                                   budget.units, substrate_.intermediate, budget.clearing_units);
    for (const auto& [n, name] : largest) text += fmt::format(", {}: {}", name, n);
    return text;
  }

  const Net& net_;
  Substrate substrate_;
  Constants constants_;
  Liveness liveness_;
  Allocation allocation_;
  std::vector<LayerPlan> plans_;
  CompiledNet result_;
};

}  // namespace

float CompiledNet::encode(Wire w, int value) const {
  return static_cast<float>(encodings[w.id] == Encoding::Sign ? 2 * value - 1 : value);
}

Expected<CompiledNet> compile(const Net& net, const Substrate& substrate) {
  if (auto verdict = net.verify(); !verdict) return fail(verdict.error());
  return Compiler(net, substrate).run();
}

}  // namespace qgpu::circuit
