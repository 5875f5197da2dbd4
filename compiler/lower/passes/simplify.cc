#include <map>
#include <optional>
#include <tuple>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/fold.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

using isa::Compare;
using isa::Opcode;

// What two equal operations have in common.
using Key = std::tuple<Opcode, Compare, std::uint8_t, Id, Id, Id, Predicate, Predicate>;

class Simplifier {
 public:
  explicit Simplifier(Function& f) : f_(f), uses_(f), aliases_(f), dominators_(f), builder_(f) {}

  // Whether anything changed.
  bool run() {
    for (const int b : reversePostOrder(f_)) visit(b);
    aliases_.applyAll(f_);
    return changed_ || !aliases_.empty();
  }

 private:
  void visit(int b) {
    BasicBlock& block = f_.blocks[b];
    visitPhis(block);
    builder_.setBlock(b);
    for (const Id id : std::exchange(block.body, {})) visitOperation(id, b);
    block.condition = aliases_.flag(block.condition);
  }

  void visitPhis(BasicBlock& block) {
    std::map<std::vector<Predicate>, Id> known;
    std::vector<Id> kept;
    for (const Id id : block.phis) {
      Instruction& phi = f_[id];
      aliases_.apply(phi);
      if (const auto same = onlyInput(f_, id)) {
        alias(id, *same);
        continue;
      }
      const auto [at, is_new] = known.try_emplace(phi.inputs, id);
      if (is_new)
        kept.push_back(id);
      else
        alias(id, {at->second});
    }
    block.phis = std::move(kept);
  }

  void alias(Id id, Predicate value) {
    if (f_[id].kind == Kind::Phi)
      aliases_.set(id, value.id);
    else
      aliases_.set(id, value);
  }

  void visitOperation(Id id, int b) {
    Instruction& i = f_[id];
    aliases_.apply(i);
    builder_.setOrigin(i.origin);
    // Folding takes a difference that compares for equality for one without a flag.
    const bool has_flag = i.is(Opcode::Sub) && i.compare == Compare::Eq && uses_.flags[id] > 0;
    if (const auto value = has_flag ? std::nullopt : fold(builder_, i)) {
      if (value->word != kNone) aliases_.set(id, value->word);
      aliases_.set(id, value->flag);
      changed_ = true;
      return;
    }
    if (const auto equal = find(i, id, b)) {
      aliases_.set(id, *equal);
      aliases_.set(id, Predicate{*equal});
      return;
    }
    f_.blocks[b].body.push_back(id);
  }

  std::optional<Id> find(const Instruction& i, Id id, int b) {
    if (!isPure(i) || i.cluster != 0) return std::nullopt;
    auto& known = values_[keyOf(i)];
    for (const auto& [value, home] : known)
      if (value != id && (home == b || (!divides(i) && dominators_.dominates(home, b))))
        return value;
    known.push_back({id, b});
    return std::nullopt;
  }

  // A division leaves its block only as a quotient or a remainder: those of another block are found
  // by what they divide.
  static bool divides(const Instruction& i) { return i.is(Opcode::Div) || i.is(Opcode::Divu); }
  Key keyOf(const Instruction& i) const {
    if (!i.is(Opcode::Quo) && !i.is(Opcode::Rem))
      return {i.op, i.compare, i.aux, i.a, i.b, i.c, i.guard, i.second};
    const Instruction& division = f_[i.a];
    const bool is_signed = division.is(Opcode::Div);
    return {i.op, i.compare, is_signed, division.a, division.b, kNone, i.guard, i.second};
  }

  Function& f_;
  Uses uses_;  // before anything changes
  Aliases aliases_;
  Dominators dominators_;
  Builder builder_;
  std::map<Key, std::vector<std::pair<Id, int>>> values_;
  bool changed_ = false;
};

void decideBranches(Function& f) {
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    const BasicBlock& block = f.blocks[b];
    if (!block.conditional() || !block.condition.isConstant()) continue;
    removeEdge(f, static_cast<int>(b), block.condition.isAlways() ? block.other : block.target);
  }
}

// Flags that nobody reads: a sum without them can be folded further.
void dropFlags(Function& f) {
  const Uses uses(f);
  for (const BasicBlock& block : f.blocks)
    for (const Id id : block.body) {
      Instruction& i = f[id];
      const bool optional =
          i.is(Opcode::Add) || i.is(Opcode::Addc) || i.is(Opcode::Sub) || i.is(Opcode::Subc);
      if (optional && uses.flags[id] == 0) i.compare = Compare::Eq;
    }
}

void removeDead(Function& f) {
  std::vector<Id> roots;
  for (const BasicBlock& block : f.blocks) {
    for (const Id id : block.body)
      if (hasEffect(f[id])) roots.push_back(id);
    if (block.conditional()) roots.push_back(block.condition.id);
  }
  const std::vector<bool> live = whatMakes(f, roots);
  for (BasicBlock& block : f.blocks)
    for (auto* list : {&block.phis, &block.body})
      std::erase_if(*list, [&](Id id) { return !live[id]; });
}

constexpr int kMostRounds = 8;

}  // namespace

void cleanUp(Function& f) {
  decideBranches(f);
  removeUnreachable(f);
  removeDead(f);
  dropFlags(f);
}

void simplify(Function& f) {
  for (int round = 0; round < kMostRounds; ++round) {
    cleanUp(f);
    const bool changed = Simplifier(f).run();
    cleanUp(f);
    if (!changed) break;
  }
}

}  // namespace qgpu::lower
