#include "compiler/lower/ir/liveness.h"

#include <bit>
#include <ranges>

#include "compiler/lower/ir/flow.h"

namespace qgpu::lower {

bool IdSet::merge(const IdSet& other) {
  bool grown = false;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    const std::uint64_t joined = bits_[i] | other.bits_[i];
    grown |= joined != bits_[i];
    bits_[i] = joined;
  }
  return grown;
}

std::vector<Id> IdSet::members() const {
  std::vector<Id> ids;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    for (std::uint64_t rest = bits_[i]; rest != 0; rest &= rest - 1)
      ids.push_back(static_cast<Id>(64 * i + static_cast<std::size_t>(std::countr_zero(rest))));
  return ids;
}

bool isResult(const Function& f, Predicate input, Port port) {
  if (input.isConstant()) return false;
  return port == Port::Flag || !f[input.id].isLeaf();
}

Liveness::Liveness(const Function& f, Port port) {
  const std::size_t size = f.instructions.size(), count = f.blocks.size();
  in.assign(count, IdSet(size));
  out.assign(count, IdSet(size));
  const std::vector<int> order = reversePostOrder(f);
  for (bool changed = true; changed;) {
    changed = false;
    for (const int b : std::views::reverse(order)) {
      const BasicBlock& block = f.blocks[b];
      for (const int next : block.successors()) {
        changed |= out[b].merge(in[next]);
        const std::size_t edge = f.blocks[next].predecessorIndex(b);
        for (const Id phi : f.blocks[next].phis)
          if (isPhiOf(f[phi], port) && isResult(f, f[phi].inputs[edge], port))
            out[b].insert(f[phi].inputs[edge].id);
      }
      IdSet live = out[b];
      if (port == Port::Flag && block.conditional()) live.insert(block.condition.id);
      for (const Id id : std::views::reverse(block.body)) {
        live.erase(id);
        eachRead(f, f[id], port, [&](Id read) { live.insert(read); });
      }
      for (const Id phi : block.phis) live.erase(phi);
      changed |= in[b].merge(live);
    }
  }
}

}  // namespace qgpu::lower
