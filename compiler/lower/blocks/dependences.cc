#include "compiler/lower/blocks/dependences.h"

namespace qgpu::lower {

bool mustKeepOrder(const Function& f, const Instruction& x, const Instruction& y) {
  const auto isSignal = [&](const Instruction& atomic, const Instruction& other) {
    return isAtomic(atomic) && !f.isReadOnly(other.memory.object);
  };
  if (isSignal(x, y) || isSignal(y, x)) return true;
  const MemoryOperand& p = x.memory;
  const MemoryOperand& q = y.memory;
  if (p.space != q.space) return false;
  if (p.is_volatile && q.is_volatile) return true;
  if (p.object != kNoObject && q.object != kNoObject && p.object != q.object) return false;
  const auto shift = [](const Instruction& i) { return i.memory.scaled ? i.row().width : 1; };
  if (x.b != y.b || (x.b != kNone && shift(x) != shift(y))) return true;
  return p.offset < q.offset + y.row().width && q.offset < p.offset + x.row().width;
}

Dependences::Dependences(const Function& f, int block, bool forward)
    : size_(static_cast<int>(f.blocks[block].body.size())), position_(f.instructions.size(), -1) {
  const std::vector<Id>& body = f.blocks[block].body;
  for (int i = 0; i < size_; ++i) position_[body[i]] = i;
  addData(f, body, forward);
  addMemory(f, body);
  closeOver();
}

void Dependences::addData(const Function& f, const std::vector<Id>& body, bool forward) {
  for (int to = 0; to < size_; ++to) {
    const Instruction& i = f[body[to]];
    const auto reads = [&](Id id) {
      const int from = position_[id];
      // A quotient stands in its division's block by nature, and so does all of a cluster.
      const bool division = i.row().unit == isa::Unit::Divider &&
                            f[id].row().unit == i.row().unit && i.op != isa::Opcode::Div &&
                            i.op != isa::Opcode::Divu;
      const bool together = division || (i.cluster != 0 && f[id].cluster == i.cluster);
      if (from >= 0) edges_.push_back({from, to, !forward && !together});
    };
    for (const Id id : wordOperands(i)) reads(id);
    for (const Predicate& p : flagOperands(i)) reads(p.id);
  }
}

void Dependences::addMemory(const Function& f, const std::vector<Id>& body) {
  for (int to = 0; to < size_; ++to) {
    const Instruction& after = f[body[to]];
    if (!after.hasMemory()) continue;
    for (int from = 0; from < to; ++from) {
      const Instruction& before = f[body[from]];
      if (!before.hasMemory() || !mustKeepOrder(f, before, after)) continue;
      const bool writes = writesMemory(before);
      const bool ordered = before.memory.is_volatile && after.memory.is_volatile;
      if (writes || writesMemory(after) || ordered) edges_.push_back({from, to, writes});
    }
  }
}

void Dependences::closeOver() {
  const std::size_t words = (static_cast<std::size_t>(size_) + 63) / 64;
  reach_.assign(size_, std::vector<std::uint64_t>(words, 0));
  std::vector<std::vector<int>> next(size_);
  for (const Dependence& e : edges_) next[e.from].push_back(e.to);
  // All edges lead forward.
  for (int i = size_; i-- > 0;) {
    reach_[i][static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64);
    for (const int to : next[i])
      for (std::size_t w = 0; w < words; ++w) reach_[i][w] |= reach_[to][w];
  }
}

}  // namespace qgpu::lower
