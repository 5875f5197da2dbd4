#include "compiler/lower/ir/rewrite.h"

namespace qgpu::lower {

void Aliases::grow() {
  words_.resize(f_.instructions.size(), kNone);
  flags_.resize(f_.instructions.size());
  has_flag_.resize(f_.instructions.size(), false);
}

void Aliases::set(Id old, Id value) {
  grow();
  value = word(value);
  if (value == old) return;
  words_[old] = value;
  ++changes_;
}

void Aliases::set(Id old, Predicate value) {
  grow();
  value = flag(value);
  if (value == Predicate{old}) return;
  flags_[old] = value;
  has_flag_[old] = true;
  ++changes_;
}

Id Aliases::word(Id id) {
  while (id != kNone && id < words_.size() && words_[id] != kNone) id = words_[id];
  return id;
}

Predicate Aliases::flag(Predicate p) {
  while (!p.isConstant() && p.id < has_flag_.size() && has_flag_[p.id]) {
    const Predicate next = flags_[p.id];
    p = {next.id, next.negate != p.negate};
  }
  return p;
}

void Aliases::apply(Instruction& i) {
  for (Id* id : wordOperands(i)) *id = word(*id);
  for (Predicate* p : flagOperands(i)) *p = flag(*p);
  for (Predicate& p : i.inputs) {
    if (i.kind == Kind::Phi)
      p.id = word(p.id);
    else
      p = flag(p);
  }
}

void Aliases::applyAll(Function& f) {
  if (empty()) return;
  for (BasicBlock& block : f.blocks) {
    for (const Id id : block.phis) apply(f[id]);
    for (const Id id : block.body) apply(f[id]);
    block.condition = flag(block.condition);
  }
}

std::optional<Predicate> onlyInput(const Function& f, Id phi) {
  std::optional<Predicate> only;
  for (const Predicate& p : f[phi].inputs) {
    if (p == Predicate{phi}) continue;
    if (only && *only != p) return std::nullopt;
    only = p;
  }
  return only;
}

std::vector<bool> whatMakes(const Function& f, const std::vector<Id>& roots) {
  std::vector<bool> found(f.instructions.size(), false);
  std::vector<Id> work;
  const auto add = [&](Id id) {
    if (id == kNone || found[id]) return;
    found[id] = true;
    work.push_back(id);
  };
  for (const Id root : roots) add(root);
  while (!work.empty()) {
    const Instruction& i = f[work.back()];
    work.pop_back();
    for (const Id id : wordOperands(i)) add(id);
    for (const Predicate& p : flagOperands(i)) add(p.id);
    for (const Predicate& p : i.inputs) add(p.id);
  }
  return found;
}

Uses::Uses(const Function& f) : words(f.instructions.size(), 0), flags(f.instructions.size(), 0) {
  for (const BasicBlock& block : f.blocks) {
    for (const Id id : block.phis)
      for (const Predicate& p : f[id].inputs)
        if (!p.isConstant()) ++(f[id].kind == Kind::Phi ? words : flags)[p.id];
    for (const Id id : block.body) {
      for (const Id word : wordOperands(f[id])) ++words[word];
      for (const Predicate& p : flagOperands(f[id])) ++flags[p.id];
    }
    if (block.conditional() && !block.condition.isConstant()) ++flags[block.condition.id];
  }
}

}  // namespace qgpu::lower
