// Branches around little code become guarded code.
//
//   B: branch p to S else J     =>   B, S under p, and a select for each phi of J
//   S: jump J
//
// also with code on both ways, with ways that end the thread, and where S itself ends in a branch
// that leads to J: then the two conditions become one. Where S goes on elsewhere, what is in it may
// fill slots that B has left. Operations without effect run unguarded; loads, stores and atomics
// get the guard. Votes and shuffles depend on which lanes run them and so stay where they are.
#include <algorithm>
#include <cmath>

#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/flow.h"
#include "compiler/lower/passes/passes.h"
#include "compiler/lower/passes/slot_estimate.h"

namespace qgpu::lower {
namespace {

class IfConverter {
 public:
  IfConverter(Function& f, const IfConversion& limits) : f_(f), limits_(limits), b_(f) {}

  void run() {
    mergeBlocks(f_);
    for (bool changed = true; changed;) {
      changed = false;
      const std::vector<int> order = reversePostOrder(f_);
      depth_ = layOut(f_).depth;
      // Inner branches first: what surrounds them sees them as straight code.
      for (auto b = order.rbegin(); b != order.rend() && !changed; ++b) changed = convert(*b);
      if (changed) mergeBlocks(f_);
    }
  }

 private:
  bool convert(int b) {
    const BasicBlock& block = f_.blocks[b];
    if (!block.conditional() || block.target == block.other) return false;
    const int t = block.target, o = block.other;
    const bool t_moves = canMove(b, t), o_moves = canMove(b, o);
    if (t_moves && o_moves && meets(t, o)) return diamond(b);
    if (t_moves && joins(t, o)) return triangle(b, t, o, block.condition);
    if (o_moves && joins(o, t)) return triangle(b, o, t, !block.condition);
    if (t_moves && leadsTo(t, o)) return chain(b, t, o, block.condition);
    if (o_moves && leadsTo(o, t)) return chain(b, o, t, !block.condition);
    return (t_moves && hoist(b, t, block.condition)) || (o_moves && hoist(b, o, !block.condition));
  }

  // Whether the contents of `s` may move into `b`, the only block that leads to it.
  bool canMove(int b, int s) const {
    const BasicBlock& block = f_.blocks[s];
    if (s == b || block.predecessors.size() != 1 || !block.phis.empty()) return false;
    if (block.terminator >= Terminator::Barrier) return false;
    return std::none_of(block.body.begin(), block.body.end(), [&](Id id) {
      return isConvergent(f_[id]) || f_[id].kind == Kind::Unsupported;
    });
  }

  bool ends(int s) const { return f_.blocks[s].terminator == Terminator::Exit; }
  bool isBareExit(int s) const { return ends(s) && f_.blocks[s].body.empty(); }
  // Both ways go on at one block, or both end.
  bool meets(int t, int o) const {
    const BasicBlock& x = f_.blocks[t];
    const BasicBlock& y = f_.blocks[o];
    if (ends(t) && ends(o)) return true;
    return x.terminator == Terminator::Jump && y.terminator == Terminator::Jump &&
           x.target == y.target;
  }
  // `s` goes on where the other way leads.
  bool joins(int s, int other) const {
    const BasicBlock& block = f_.blocks[s];
    if (ends(s) && isBareExit(other)) return true;
    return block.terminator == Terminator::Jump && block.target == other;
  }
  // `s` ends in a branch, and one of its ways is the other way of the branch before.
  bool leadsTo(int s, int other) const {
    const BasicBlock& block = f_.blocks[s];
    return block.conditional() && (block.target == other || block.other == other) &&
           block.target != block.other;
  }

  // ---- what it costs, in machine blocks

  struct Size {
    double slots = 0;
    int writes = 0;
    double blocks() const {
      return std::max({1.0, std::ceil(slots / kMachine.slots), static_cast<double>(writes)});
    }
    friend Size operator+(Size x, Size y) { return {x.slots + y.slots, x.writes + y.writes}; }
  };
  Size sizeOf(int b) const {
    Size size{estimateSlots(f_, b), 0};
    for (const Id id : f_.blocks[b].body) size.writes += writesMemory(f_[id]) ? 1 : 0;
    return size;
  }

  // Selects that the phis of `join` need for values from two edges that become one.
  double selects(int join, const std::vector<Predicate>& x, const std::vector<Predicate>& y) const {
    double count = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      if (x[n] == y[n]) continue;
      const bool is_word = f_[f_.blocks[join].phis[n]].kind == Kind::Phi;
      count += is_word ? 0.75 : 2;
    }
    return count;
  }

  // Worth it if it takes fewer blocks when all lanes' ways are taken, or as many and code is short.
  bool worthwhile(double separate, Size joined, double moved, bool has_selects) const {
    const double together = joined.blocks();
    if (moved > limits_.most_moved) return false;
    if (together == separate) return limits_.eager || (moved <= 1 && has_selects);
    return together < separate;
  }

  // ---- the changes

  void moveInto(int b, int s, Predicate p) {
    b_.setBlock(b);
    for (const Id id : std::exchange(f_.blocks[s].body, {})) {
      if (f_[id].hasMemory()) addGuard(id, p);
      f_.blocks[b].body.push_back(id);
    }
  }

  void addGuard(Id id, Predicate p) {
    Instruction& i = f_[id];
    b_.setOrigin(i.origin);
    const bool was_unguarded = i.guard.isAlways();
    i.guard = b_.both(p, i.guard);
    if (was_unguarded && keepsOld(i)) i.c = f_.undefined();
  }

  std::vector<Predicate> merge(int join, Predicate p, const std::vector<Predicate>& if_true,
                               const std::vector<Predicate>& if_false) {
    std::vector<Predicate> merged;
    for (std::size_t n = 0; n < if_true.size(); ++n) {
      const bool is_word = f_[f_.blocks[join].phis[n]].kind == Kind::Phi;
      merged.push_back(is_word ? Predicate{b_.select(p, if_true[n].id, if_false[n].id)}
                               : b_.select(p, if_true[n], if_false[n]));
    }
    return merged;
  }

  // Gives the edge b -> to other inputs.
  void setInputs(int b, int to, const std::vector<Predicate>& inputs) {
    const BasicBlock& block = f_.blocks[to];
    if (block.phis.empty()) return;
    const std::size_t index = block.predecessorIndex(b);
    for (std::size_t n = 0; n < block.phis.size(); ++n) f_[block.phis[n]].inputs[index] = inputs[n];
  }

  bool triangle(int b, int s, int join, Predicate p) {
    const bool ending = ends(s);
    const auto from_s = ending ? std::vector<Predicate>{} : edgeInputs(f_, s, join);
    const auto from_b = ending ? std::vector<Predicate>{} : edgeInputs(f_, b, join);
    const Size here = sizeOf(b), moved = sizeOf(s);
    const double extra = selects(join, from_s, from_b);
    const Size joined = here + moved + Size{extra, 0};
    const double separate = here.blocks() + moved.blocks();
    if (!worthwhile(separate, joined, moved.blocks(), extra > 0)) return false;
    moveInto(b, s, p);
    setInputs(b, join, merge(join, p, from_s, from_b));
    removeEdge(f_, b, s);
    return true;
  }

  bool diamond(int b) {
    const BasicBlock& block = f_.blocks[b];
    const int t = block.target, o = block.other;
    const Predicate p = block.condition;
    const bool ending = ends(t);
    const int join = f_.blocks[t].target;
    const auto from_t = ending ? std::vector<Predicate>{} : edgeInputs(f_, t, join);
    const auto from_o = ending ? std::vector<Predicate>{} : edgeInputs(f_, o, join);
    const Size here = sizeOf(b), left = sizeOf(t), right = sizeOf(o);
    const double extra = selects(join, from_t, from_o);
    const Size joined = here + left + right + Size{extra, 0};
    const double separate = here.blocks() + left.blocks() + right.blocks();
    if (!worthwhile(separate, joined, std::max(left.blocks(), right.blocks()), extra > 0))
      return false;
    moveInto(b, t, p);
    moveInto(b, o, !p);
    removeEdge(f_, b, o);  // leaves the jump to t, which is empty now and jumps to the join or ends
    if (!ending) setInputs(t, join, merge(join, p, from_t, from_o));
    return true;
  }

  Kind phiKind(int b, std::size_t n) const { return f_[f_.blocks[b].phis[n]].kind; }
  bool isLeaf(Predicate p) const { return p.isConstant() || f_[p.id].isLeaf(); }

  // `s` goes on elsewhere: what is in it moves into slots that `b` has left.
  bool hoist(int b, int s, Predicate p) {
    const BasicBlock& block = f_.blocks[s];
    if (block.body.empty() || block.conditional()) return false;
    const Size here = sizeOf(b), moved = sizeOf(s);
    // Not into a loop: every round of it would run what comes once behind it.
    if (!limits_.eager && depth_[b] > depth_[s]) return false;
    const double together = (here + moved).blocks(), separate = here.blocks() + moved.blocks();
    if (limits_.eager ? together >= separate : together > here.blocks()) return false;
    moveInto(b, s, p);
    return true;
  }

  // b: p to s else other; s: q to next else other   =>   b: p and q to next else other
  bool chain(int b, int s, int other, Predicate p) {
    const BasicBlock& inner = f_.blocks[s];
    const int next = inner.target == other ? inner.other : inner.target;
    const Predicate q = inner.target == other ? !inner.condition : inner.condition;
    const auto from_s = edgeInputs(f_, s, other), from_b = edgeInputs(f_, b, other);
    const Size here = sizeOf(b), moved = sizeOf(s);
    const double extra = 1 + selects(other, from_s, from_b);
    const Size joined = here + moved + Size{extra, 0};
    const double separate = here.blocks() + moved.blocks();
    if (!worthwhile(separate, joined, moved.blocks(), true)) return false;
    moveInto(b, s, p);
    const auto merged = merge(other, p, from_s, from_b);
    setInputs(b, other, merged);
    // On the way to `next` p holds, so that a select there is what it selects: one value, not two.
    auto to_next = edgeInputs(f_, s, next);
    for (std::size_t m = 0; m < to_next.size(); ++m)
      for (std::size_t n = 0; n < merged.size(); ++n)
        if (to_next[m] == from_s[n] && !isLeaf(to_next[m]) && phiKind(next, m) == phiKind(other, n))
          to_next[m] = merged[n];
    b_.setOrigin(inner.origin);
    const Predicate both = b_.both(p, q);
    removeEdge(f_, s, next);  // s is left with its edge to `other`, and with nobody leading to it
    redirectEdge(f_, b, s, next, to_next);
    BasicBlock& block = f_.blocks[b];
    block.condition = block.target == next ? both : !both;
    return true;
  }

  Function& f_;
  const IfConversion& limits_;
  Builder b_;
  std::vector<int> depth_;  // loops around each block
};

}  // namespace

void ifConvert(Function& f, const IfConversion& limits) { IfConverter(f, limits).run(); }

}  // namespace qgpu::lower
