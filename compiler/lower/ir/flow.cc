#include "compiler/lower/ir/flow.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::lower {

std::vector<int> reversePostOrder(const Function& f) {
  std::vector<int> order;
  std::vector<bool> seen(f.blocks.size(), false);
  struct Visit {
    int block;
    std::vector<int> next;
    std::size_t done = 0;
  };
  std::vector<Visit> stack;
  const auto enter = [&](int b) {
    seen[b] = true;
    stack.push_back({b, f.blocks[b].successors()});
  };
  enter(0);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.done == top.next.size()) {
      order.push_back(top.block);
      stack.pop_back();
    } else if (const int next = top.next[top.done++]; !seen[next]) {
      enter(next);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
Dominators::Dominators(const Function& f)
    : parent_(f.blocks.size(), -1), position_(f.blocks.size(), -1) {
  const std::vector<int> order = reversePostOrder(f);
  for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = static_cast<int>(i);
  const auto meet = [&](int a, int b) {
    while (a != b)
      (position_[a] > position_[b] ? a : b) = parent_[position_[a] > position_[b] ? a : b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int b : order) {
      int parent = -1;
      for (const int p : f.blocks[b].predecessors) {
        if (position_[p] < 0 || (p != 0 && parent_[p] < 0)) continue;
        parent = parent < 0 ? p : meet(parent, p);
      }
      if (b == 0 || parent == parent_[b]) continue;
      parent_[b] = parent;
      changed = true;
    }
  }
}

bool Dominators::dominates(int a, int b) const {
  while (b >= 0 && position_[b] > position_[a]) b = parent_[b];
  return a == b;
}

std::vector<int> homes(const Function& f) {
  std::vector<int> home(f.instructions.size(), -1);
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    for (const auto* list : {&f.blocks[b].phis, &f.blocks[b].body})
      for (const Id id : *list) home[id] = static_cast<int>(b);
  return home;
}

std::vector<Predicate> edgeInputs(const Function& f, int from, int to) {
  const BasicBlock& block = f.blocks[to];
  std::vector<Predicate> inputs;
  if (block.phis.empty()) return inputs;
  const std::size_t index = block.predecessorIndex(from);
  for (const Id phi : block.phis) inputs.push_back(f[phi].inputs[index]);
  return inputs;
}

namespace {

void dropPredecessor(Function& f, int from, int to) {
  BasicBlock& block = f.blocks[to];
  const auto index = static_cast<std::ptrdiff_t>(block.predecessorIndex(from));
  block.predecessors.erase(block.predecessors.begin() + index);
  for (const Id phi : block.phis) f[phi].inputs.erase(f[phi].inputs.begin() + index);
}

}  // namespace

void removeEdge(Function& f, int from, int to) {
  BasicBlock& block = f.blocks[from];
  check(block.conditional(), "an edge that is taken away leaves another");
  const int kept = block.target == to ? block.other : block.target;
  block.terminator = Terminator::Jump;
  block.condition = {};
  block.target = kept;
  block.other = -1;
  dropPredecessor(f, from, to);
}

void redirectEdge(Function& f, int from, int to, int next, const std::vector<Predicate>& inputs) {
  dropPredecessor(f, from, to);
  BasicBlock& block = f.blocks[from];
  (block.target == to ? block.target : block.other) = next;
  f.blocks[next].predecessors.push_back(from);
  for (std::size_t i = 0; i < f.blocks[next].phis.size(); ++i)
    f[f.blocks[next].phis[i]].inputs.push_back(inputs[i]);
}

std::vector<int> waysBack(const Function& f, const std::vector<int>& loop) {
  std::vector<int> back;
  for (const int p : f.blocks[loop.front()].predecessors)
    if (std::find(loop.begin(), loop.end(), p) != loop.end()) back.push_back(p);
  return back;
}

int joinWaysBack(Function& f, const std::vector<int>& loop) {
  const int header = loop.front();
  const std::vector<int> back = waysBack(f, loop);
  if (back.size() == 1 && f.blocks[back[0]].terminator == Terminator::Gather) return back[0];
  const int last = f.newBlock();
  for (const Id phi : f.blocks[header].phis)
    f.blocks[last].phis.push_back(f.add({.kind = f[phi].kind, .origin = f[phi].origin}));
  for (const int b : back) redirectEdge(f, b, header, last, edgeInputs(f, b, header));
  BasicBlock& block = f.blocks[last];
  block.terminator = Terminator::Gather;
  block.target = header;
  block.origin = f.blocks[back.front()].origin;
  f.blocks[header].predecessors.push_back(last);
  for (std::size_t n = 0; n < block.phis.size(); ++n)
    f[f.blocks[header].phis[n]].inputs.push_back({block.phis[n]});
  return last;
}

void removeUnreachable(Function& f) {
  std::vector<bool> reached(f.blocks.size(), false);
  for (const int b : reversePostOrder(f)) reached[b] = true;
  std::vector<int> number(f.blocks.size(), -1);
  std::vector<BasicBlock> kept;
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    if (!reached[b]) continue;
    auto& predecessors = f.blocks[b].predecessors;
    for (std::size_t i = predecessors.size(); i-- > 0;)
      if (!reached[predecessors[i]]) dropPredecessor(f, predecessors[i], static_cast<int>(b));
    number[b] = static_cast<int>(kept.size());
    kept.push_back(std::move(f.blocks[b]));
  }
  for (BasicBlock& block : kept) {
    for (int& p : block.predecessors) p = number[p];
    std::erase_if(block.precedes, [&](int b) { return number[b] < 0; });
    for (int& b : block.precedes) b = number[b];
    if (block.target >= 0) block.target = number[block.target];
    if (block.other >= 0) block.other = number[block.other];
  }
  f.blocks = std::move(kept);
}

}  // namespace qgpu::lower
