#include "compiler/circuit/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace qgpu::circuit {
namespace {

constexpr int kLargestChange = 256;

class Allocator {
 public:
  Allocator(const Net& net, const Liveness& liveness, const Substrate& substrate,
            std::vector<int> unit_load)
      : net_(net),
        tenants_(liveness.tenants),
        mode_end_(liveness.mode_end),
        first_dim_(Constants(substrate).first_wire),
        end_dim_(substrate.first_dim + substrate.dims),
        load_(std::move(unit_load)),
        modes_(net.modes().size()),
        free_at_(static_cast<std::size_t>(end_dim_) * modes_, kEmbeddingStep),
        in_use_until_(static_cast<std::size_t>(end_dim_), kEmbeddingStep),
        dirty_(static_cast<std::size_t>(end_dim_)) {
    result_.dim.assign(net.wires().size(), Allocation::kNoDim);
    result_.occupancies.resize(static_cast<std::size_t>(end_dim_));
    excludes_.resize(modes_ * modes_);
    for (std::uint32_t a = 0; a < modes_; ++a)
      for (const Mode b : net.modes()[a].exclusive_with) excludes_[a * modes_ + b.id] = true;
  }

  Expected<Allocation> run() {
    for (std::uint32_t i = 0; i < tenants_.size(); ++i) {
      const int dim = choose(tenants_[i]);
      if (dim == Allocation::kNoDim) return refuse(outOfDims(tenants_[i]));
      take(i, dim);
    }
    std::ranges::sort(result_.clearings, [](const Clearing& a, const Clearing& b) {
      return a.step != b.step ? a.step < b.step : a.dim < b.dim;
    });
    countLive();
    return std::move(result_);
  }

 private:
  int& freeAt(int dim, std::uint32_t mode) {
    return free_at_[static_cast<std::size_t>(dim) * modes_ + mode];
  }

  // The dim that has been free for longest; for a tenant with a mode, one that an exclusive mode
  // uses now, if there is any.
  int choose(const Tenant& tenant) {
    int best = Allocation::kNoDim;
    std::pair<bool, int> best_rank;
    for (int dim = first_dim_; dim < end_dim_; ++dim) {
      const int in_use_until = in_use_until_[static_cast<std::size_t>(dim)];
      const bool in_use = in_use_until > tenant.start;
      if (in_use && tenant.mode.id == 0) continue;
      const int free_since = tenant.mode.id == 0 ? in_use_until : freeSince(tenant, dim);
      const std::pair rank{!in_use, free_since};
      if (best != Allocation::kNoDim && rank >= best_rank) continue;
      if (free_since > lastClearing(tenant, dim)) continue;
      best = dim, best_rank = rank;
    }
    return best;
  }

  bool excludes(Mode a, Mode b) const { return excludes_[a.id * modes_ + b.id]; }

  // When the last tenant left with whom this one cannot share.
  int freeSince(const Tenant& tenant, int dim) {
    int since = kEmbeddingStep;
    for (std::uint32_t m = 0; m < modes_; ++m)
      if (!excludes(tenant.mode, Mode{m})) since = std::max(since, freeAt(dim, m));
    return since;
  }

  // The last step in which earlier tenants may be removed: that of the birth, unless old and new
  // value together are too large a change for one step.
  int lastClearing(const Tenant& next, int dim) const {
    for (const std::uint32_t o : dirty_[static_cast<std::size_t>(dim)]) {
      const Tenant& old = tenants_[result_.occupancies[dim][o].tenant];
      if (next.high - old.low > kLargestChange || old.high - next.low > kLargestChange)
        return next.start - 2;
    }
    return next.start;
  }

  void take(std::uint32_t index, int dim) {
    const Tenant& tenant = tenants_[index];
    clear(tenant, dim);
    auto& dirty = dirty_[static_cast<std::size_t>(dim)];
    dirty.push_back(static_cast<std::uint32_t>(result_.occupancies[dim].size()));
    result_.occupancies[dim].push_back({index, tenant.first_drive, kLastStep});
    freeAt(dim, tenant.mode.id) = tenant.end;
    int& until = in_use_until_[static_cast<std::size_t>(dim)];
    until = std::max(until, tenant.end);
    for (const Wire w : tenant.wires) result_.dim[w.id] = dim;
  }

  // Inserts what removes earlier tenants' values before `next` moves in. Those of modes exclusive
  // with the next one's may stay: they are 0 while it matters.
  void clear(const Tenant& next, int dim) {
    auto& dirty = dirty_[static_cast<std::size_t>(dim)];
    std::vector<std::uint32_t> stays, goes;
    for (const std::uint32_t o : dirty) {
      const Tenant& old = tenants_[result_.occupancies[dim][o].tenant];
      (excludes(next.mode, old.mode) ? stays : goes).push_back(o);
    }
    if (goes.empty()) return;
    const int last = lastClearing(next, dim);
    if (stays.empty()) {
      clearTogether(goes, last, dim);
    } else {
      for (const std::uint32_t o : goes) clearAlone(o, last, dim);
    }
    dirty = stays;
  }

  // All earlier values are dead: one unit, open always, removes whichever is there.
  void clearTogether(const std::vector<std::uint32_t>& goes, int last, int dim) {
    Clearing clearing{dim, 0, {}, false};
    int first = kEmbeddingStep;
    for (const std::uint32_t o : goes) {
      const Tenant& old = tenants_[result_.occupancies[dim][o].tenant];
      first = std::max(first, old.end);
      clearing.is_negative = clearing.is_negative || old.low < 0;
    }
    insert(clearing, first, last, goes);
  }

  void clearAlone(std::uint32_t occupancy, int last, int dim) {
    const Tenant& old = tenants_[result_.occupancies[dim][occupancy].tenant];
    const int known = old.mode.id == 0 ? last : std::min(last, mode_end_[old.mode.id]);
    insert({dim, 0, old.mode, old.low < 0}, old.end, known, {occupancy});
  }

  void insert(Clearing clearing, int first, int last, const std::vector<std::uint32_t>& goes) {
    clearing.step = first;
    for (int step = first; step <= last; step += 2)
      if (load(step) < load(clearing.step)) clearing.step = step;
    ++load(clearing.step);
    for (const std::uint32_t o : goes)
      result_.occupancies[clearing.dim][o].present_to = clearing.step;
    result_.clearings.push_back(clearing);
  }

  int& load(int step) {
    const auto layer = static_cast<std::size_t>(layerOf(step));
    if (layer >= load_.size()) load_.resize(layer + 1);
    return load_[layer];
  }

  void countLive() {
    for (const auto& occupancies : result_.occupancies) {
      std::vector<bool> used(load_.size());
      for (const Occupancy& o : occupancies) {
        const Tenant& tenant = tenants_[o.tenant];
        const int last = std::min(layerOf(tenant.end) + 1, static_cast<int>(load_.size()));
        for (int layer = std::max(tenant.start, 0) / 2; layer < last; ++layer)
          used[static_cast<std::size_t>(layer)] = true;
      }
      result_.live.resize(load_.size());
      for (std::size_t layer = 0; layer < used.size(); ++layer) result_.live[layer] += used[layer];
    }
  }

  std::string outOfDims(const Tenant& tenant) const {
    std::map<std::string, int> holders;
    for (const Tenant& other : tenants_)
      if (other.start <= tenant.start && other.end > tenant.start)
        ++holders[net_.scopeName(net_.info(other.wires.front()).scope)];
    std::vector<std::pair<int, std::string>> largest;
    largest.reserve(holders.size());
    for (const auto& [name, n] : holders) largest.emplace_back(n, name);
    std::ranges::sort(largest, std::greater<>());
    if (largest.size() > 8) largest.resize(8);
    std::string text = fmt::format("{} finds none of the {} dims free in {}; held by",
                                   net_.nameOf(tenant.wires.front()), end_dim_ - first_dim_,
                                   stepName(tenant.start));
    for (const auto& [n, name] : largest) text += fmt::format(" {}: {},", name, n);
    text.pop_back();
    return text;
  }

  const Net& net_;
  const std::vector<Tenant>& tenants_;
  const std::vector<int>& mode_end_;
  int first_dim_;
  int end_dim_;
  std::vector<int> load_;
  std::size_t modes_;
  std::vector<bool> excludes_;
  std::vector<int> free_at_;                       // dim * modes + mode
  std::vector<int> in_use_until_;                  // of each dim, by any mode
  std::vector<std::vector<std::uint32_t>> dirty_;  // of each dim: occupancies never cleared
  Allocation result_;
};

}  // namespace

Expected<Allocation> allocate(const Net& net, const Liveness& liveness, const Substrate& substrate,
                              std::vector<int> unit_load) {
  return Allocator(net, liveness, substrate, std::move(unit_load)).run();
}

}  // namespace qgpu::circuit
