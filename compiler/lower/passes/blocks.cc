#include <algorithm>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

class BlockMerger {
 public:
  explicit BlockMerger(Function& f) : f_(f), aliases_(f) {}

  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      removeUnreachable(f_);
      for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
        const int block = static_cast<int>(b);
        while (appendSuccessor(block)) changed = true;
        if (skip(block)) changed = true;
      }
    }
    aliases_.applyAll(f_);
  }

 private:
  // A block that jumps to one that nobody else leads to takes its contents.
  bool appendSuccessor(int b) {
    BasicBlock& block = f_.blocks[b];
    if (block.terminator != Terminator::Jump) return false;
    const int next = block.target;
    BasicBlock& successor = f_.blocks[next];
    if (next == b || next == 0 || successor.predecessors.size() != 1) return false;
    for (const Id phi : successor.phis) {
      const Predicate only = f_[phi].inputs.front();
      f_[phi].kind == Kind::Phi ? aliases_.set(phi, only.id) : aliases_.set(phi, only);
    }
    block.body.insert(block.body.end(), successor.body.begin(), successor.body.end());
    block.precedes.insert(block.precedes.end(), successor.precedes.begin(),
                          successor.precedes.end());
    block.terminator = successor.terminator;
    block.condition = successor.condition;
    block.target = successor.target;
    block.other = successor.other;
    block.origin = successor.origin;
    for (const int after : block.successors()) {
      auto& list = f_.blocks[after].predecessors;
      std::replace(list.begin(), list.end(), next, b);
    }
    successor = BasicBlock{};
    successor.predecessors.clear();
    return true;
  }

  // Edges into an empty block that only jumps on go straight to its target.
  bool skip(int b) {
    const BasicBlock& block = f_.blocks[b];
    const bool empty = block.phis.empty() && block.body.empty();
    if (b == 0 || !empty || block.terminator != Terminator::Jump || block.target == b) return false;
    bool changed = false;
    const std::vector<int> predecessors = block.predecessors;
    for (const int p : predecessors) changed |= bypass(p, b);
    return changed;
  }

  bool bypass(int from, int empty) {
    const int target = f_.blocks[empty].target;
    const std::vector<Predicate> inputs = edgeInputs(f_, empty, target);
    const auto next = f_.blocks[from].successors();
    if (std::find(next.begin(), next.end(), target) == next.end()) {
      redirectEdge(f_, from, empty, target, inputs);
      return true;
    }
    // Both ways of the branch lead there: one jump, if the phis take the same on both.
    if (edgeInputs(f_, from, target) != inputs) return false;
    removeEdge(f_, from, empty);
    return true;
  }

  Function& f_;
  Aliases aliases_;
};

}  // namespace

void mergeBlocks(Function& f) { BlockMerger(f).run(); }

}  // namespace qgpu::lower
