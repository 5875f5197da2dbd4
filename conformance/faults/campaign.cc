#include "conformance/faults/suspect.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace qgpu::conformance {
namespace {

using model::kHeadDim;
using protocol::Token;

// Most faults are noticed at the first token that they change. Of the others some change a value at
// nearly every token: those are run again at this many tokens and then at every 64th.
constexpr std::int64_t kAllRuns = 64;
constexpr std::int64_t kRunsAfterwards = 64;

// Whether anything reads an element of a vector.
bool isUsed(const ExactLayer& layer, const Fault& f) {
  const auto reads = [&](Tensor t) { return !layer.matrix(t).column(f.index).empty(); };
  switch (f.tensor) {
    case Tensor::InputLayernorm:
      return reads(Tensor::InProjQkv) || reads(Tensor::InProjZ) || reads(Tensor::InProjB);
    case Tensor::PostAttentionLayernorm: return reads(Tensor::GateProj) || reads(Tensor::UpProj);
    case Tensor::DtBias:
    case Tensor::ALog: return layer.slotOf(f.index) >= 0;
    default: return true;
  }
}

bool isProbeOfAudit(const std::string& name) {
  return name.find(".result.") != std::string::npos || name.ends_with(".predicate") ||
         name == "write.writes";
}

}  // namespace

std::string_view text(Verdict verdict) {
  static constexpr std::array<std::string_view, kVerdicts> kTexts = {
      "noticed: another token",
      "noticed: another row of the state",
      "noticed: another result of a stage",
      "no row, unit or head in use reads it",
      "what it multiplies is 0 at every token",
      "the sum stays the same",
      "only sums of gates and keys that stay exactly off change",
      "its unit, key or row is off wherever its input is on",
      "beta or decay is still exactly 1",
      "masked: values change, but no token, row or stage",
      "masked, and a stored value still differs at the end"};
  return kTexts[static_cast<std::size_t>(verdict)];
}

// ---- Set-up ------------------------------------------------------------------------------------

Campaign::Campaign(const model::Circuit& circuit, std::vector<Token> tokens)
    : circuit_(circuit),
      tokens_(std::move(tokens)),
      steps_(2 * circuit.layers.size() + 1,
             std::vector<float>(static_cast<std::size_t>(circuit.substrate.hidden))),
      probes_(steps_.size()),
      kept_(keptRows(circuit)),
      token_of_code_(std::size_t{1} << circuit.unembedding.dims.size(), -1) {
  for (const model::LayerWeights& w : circuit.layers) {
    layers_.push_back({ExactLayer(w, circuit.substrate), {}, {}, {}, {}});
    layers_.back().state = layers_.back().layer.newState();
  }
  for (const auto& [name, probe] : circuit.probes)
    if (isProbeOfAudit(name)) probes_[static_cast<std::size_t>(probe.step)].push_back(&probe);
  for (const KeptRows& kept : kept_)
    for (const model::MemoryPlace& place : kept.copies)
      kept_by_place_[{place.layer, place.head}] = &kept;
  const auto& codes = circuit.unembedding.codes;
  for (std::size_t id = 0; id < codes.size(); ++id)
    if (codes[id] >= 0)
      token_of_code_[static_cast<std::size_t>(codes[id])] = static_cast<std::int32_t>(id);
}

Campaign::~Campaign() = default;

void Campaign::add(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    auto suspect = std::make_unique<Suspect>();
    suspect->finding.fault = fault;
    if (fault.tensor <= Tensor::DownProj) {
      const IndexedMatrix& m = layers_[fault.layer].layer.matrix(fault.tensor);
      suspect->row = m.rowOf(fault.index);
      suspect->column = m.columnOf(fault.index);
    } else {
      suspect->is_used = isUsed(layers_[fault.layer].layer, fault);
    }
    suspects_.push_back(std::move(suspect));
  }
  // Neighbours share what the caches hold.
  std::ranges::stable_sort(suspects_, {}, [](const auto& s) {
    const Fault& f = s->finding.fault;
    return std::tuple(f.layer, f.tensor, f.index);
  });
}

std::vector<Finding> Campaign::findings() const {
  std::vector<Finding> all;
  for (const auto& suspect : suspects_) {
    all.push_back(suspect->finding);
    all.back().verdict = suspect->verdict();
  }
  return all;
}

// ---- One token of the intact weights -----------------------------------------------------------

void Campaign::runIntact(const Token& token) {
  std::vector<float> x(steps_.front().size());
  for (const model::Entry& e : circuit_.embedding.constants) x[e.column] = e.value;
  for (const std::uint16_t dim : circuit_.embedding.ones(static_cast<std::size_t>(token.id())))
    x[dim] = 1.0f;
  steps_[0] = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& l = layers_[i];
    l.layer.addMixer(x, l.state, {}, l.mixer, l.writes);
    steps_[2 * i + 1] = x;
    l.layer.addMlp(x, l.mlp);
    steps_[2 * i + 2] = x;
  }
}

bool Campaign::step() {
  if (position_ == static_cast<std::int64_t>(tokens_.size())) return false;
  const Token& token = tokens_[static_cast<std::size_t>(position_++)];
  check(reference_.step(token).has_value(), "a campaign's tokens are the interpreter's");
  runIntact(token);
  if (const auto next = reference_.next())
    check(tokenOf(steps_.back()) == next->id(), "the intact weights say the next token");
  for (const auto& suspect : suspects_)
    if (!suspect->noticed) examine(*suspect);
  for (Layer& l : layers_) l.layer.apply(l.writes, l.state);
  return true;
}

// ---- The token again, with the fault -----------------------------------------------------------

// Whether this token meets what the fault left in the state.
bool Campaign::remembersHere(const Suspect& s) const {
  for (const auto& [i, changes] : s.remembered) {
    if (!changes.tails.empty()) return true;
    const Layer& l = layers_[i];
    for (const StateChanges::Row& row : changes.rows) {
      const std::size_t slot = row.index / kHeadDim, r = row.index % kHeadDim;
      if (l.mixer.c[l.layer.channelOf(0, slot, r)] != 0.0f ||
          l.mixer.c[l.layer.channelOf(1, slot, r)] != 0.0f)
        return true;
    }
  }
  return false;
}

void Campaign::examine(Suspect& s) {
  const bool changed = changes(s);
  if (!changed && !remembersHere(s)) return;
  ++s.opportunities;
  if (s.remembered.empty() && s.opportunities > kAllRuns &&
      s.opportunities % kRunsAfterwards != 0) {
    ++s.finding.skipped;
    return;
  }
  runFaulty(s);
}

// What a layer's state differs in after the token.
StateChanges Campaign::difference(const Layer& l, const StateChanges& before,
                                  const StateChanges& writes) const {
  StateChanges all;
  std::vector<std::size_t> indices;
  for (const StateChanges* changes : {&before, &writes, &l.writes})
    for (const StateChanges::Row& row : changes->rows) indices.push_back(row.index);
  std::ranges::sort(indices);
  indices.erase(std::ranges::unique(indices).begin(), indices.end());
  for (const std::size_t index : indices) {
    const HeadRow* faulty = writes.row(index);
    if (faulty == nullptr) faulty = before.row(index);
    if (faulty == nullptr) faulty = &l.state.rows[index];
    const HeadRow* intact = l.writes.row(index);
    if (intact == nullptr) intact = &l.state.rows[index];
    if (*faulty != *intact) all.rows.push_back({index, *faulty});
  }
  for (const StateChanges::Tail& tail : writes.tails)
    if (tail.values != *l.writes.tail(tail.index)) all.tails.push_back(tail);
  return all;
}

// Runs a mixer with what the fault left in its state. True where the audit sees a row.
bool Campaign::runFaultyMixer(Suspect& s, std::size_t i, std::vector<float>& x) {
  Layer& l = layers_[i];
  if (l.layer.slots() == 0) return false;
  StateChanges before, writes;
  if (const auto found = s.remembered.find(i); found != s.remembered.end()) before = found->second;
  const int own = i == s.finding.fault.layer ? ownTail(s) : -1;
  if (own >= 0) before.tails.push_back({static_cast<std::size_t>(own), s.tail});
  l.layer.addMixer(x, l.state, before, mixer_record_, writes);
  StateChanges left = difference(l, before, writes);
  std::erase_if(left.tails, [&](const auto& t) { return static_cast<int>(t.index) == own; });
  const bool noticed = noticesRow(i, left);
  if (left.empty())
    s.remembered.erase(i);
  else
    s.remembered[i] = std::move(left);
  return noticed;
}

void Campaign::runFaulty(Suspect& s) {
  const Fault& f = s.finding.fault;
  const Altered altered(layers_[f.layer].layer, f);
  std::vector<float> x = steps_[2 * f.layer];
  s.finding.deepest = -1;
  bool stage = false, row = false;
  for (std::size_t step = 2 * f.layer; step + 1 < steps_.size(); ++step) {
    const std::size_t i = step / 2;
    const bool differs = x != steps_[step];
    if (differs) {
      s.finding.deepest = std::max(s.finding.deepest, static_cast<int>(step));
      stage = stage || noticesStage(x, step);
    }
    const bool mixer = step % 2 == 0;
    if (differs || i == f.layer || (mixer && s.remembered.contains(i))) {
      if (mixer)
        row = runFaultyMixer(s, i, x) || row;
      else
        layers_[i].layer.addMlp(x, mlp_record_);
    } else {
      x = steps_[step + 1];
    }
  }
  const bool token = x != steps_.back() && noticesToken(x);
  const auto last = static_cast<int>(steps_.size()) - 1;
  if (x != steps_.back()) s.finding.deepest = last;
  if (s.finding.deepest >= 0 || !s.remembered.empty()) ++s.finding.differing;
  s.noticed = token || row || stage;
  s.finding.verdict = token ? Verdict::Token : row ? Verdict::Row : Verdict::Stage;
  s.finding.position = position_;
}

// ---- What the audit compares -------------------------------------------------------------------

bool Campaign::noticesStage(const std::vector<float>& x, std::size_t step) const {
  for (const model::Probe* probe : probes_[step])
    for (const std::uint16_t dim : probe->dims)
      if (x[dim] != steps_[step][dim]) return true;
  return false;
}

bool Campaign::noticesRow(std::size_t i, const StateChanges& changes) const {
  const Layer& l = layers_[i];
  for (const auto& [index, values] : changes.rows) {
    const std::size_t head = l.layer.headOf(index / kHeadDim);
    const int row = static_cast<int>(index % kHeadDim);
    const auto found = kept_by_place_.find({static_cast<int>(i), static_cast<int>(head)});
    if (found == kept_by_place_.end() || row >= found->second->rows) continue;
    const auto expected = found->second->expected(reference_.state(), row);
    if (!expected) continue;
    for (int bit = 0; bit < found->second->bits; ++bit)
      if ((values[static_cast<std::size_t>(bit)] > 0.0f) != ((*expected >> bit & 1) != 0))
        return true;
  }
  return false;
}

// The largest logit, as model::MachineModel has it: by the signs where those decide.
int Campaign::tokenOf(const std::vector<float>& x) const {
  const model::Unembedding& head = circuit_.unembedding;
  std::uint32_t code = 0;
  bool is_clear = true;
  for (std::size_t i = 0; i < head.dims.size(); ++i) {
    const float v = x[head.dims[i]];
    is_clear = is_clear && std::fabs(v) >= 0.5f && std::fabs(v) <= 2.0f;
    if (v > 0.0f) code |= 1u << i;
  }
  if (is_clear && token_of_code_[code] >= 0) return token_of_code_[code];
  int best = 0;
  float most = -INFINITY;
  for (std::size_t id = 0; id < head.codes.size(); ++id) {
    float logit = 0;
    for (std::size_t i = 0; i < head.dims.size() && head.codes[id] >= 0; ++i)
      logit += (head.codes[id] >> i & 1) != 0 ? x[head.dims[i]] : -x[head.dims[i]];
    if (logit > most) most = logit, best = static_cast<int>(id);
  }
  return best;
}

bool Campaign::noticesToken(const std::vector<float>& x) const {
  const auto next = reference_.next();
  return next && tokenOf(x) != next->id();
}

}  // namespace qgpu::conformance
