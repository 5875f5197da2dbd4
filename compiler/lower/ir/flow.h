// Control flow: orders, dominance, loops, and changes of edges that keep the phis right.
#pragma once

#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

// The blocks that can be reached, each after its predecessors but for loops.
std::vector<int> reversePostOrder(const Function& f);

class Dominators {
 public:
  explicit Dominators(const Function& f);
  // Whether every way to `b` leads through `a`. A block dominates itself.
  bool dominates(int a, int b) const;
  int immediate(int b) const { return parent_[b]; }

 private:
  std::vector<int> parent_;  // -1: the entry, or not reachable
  std::vector<int> position_;
};

// An order in which a block comes after all that lead to it but round a loop, and the blocks of a
// loop stand together, its header first. Lanes that part meet again in it: the lowest block runs
// first, and where ways join all others have come by.
struct Layout {
  std::vector<int> order;
  std::vector<int> position;            // by block: where it stands in the order
  std::vector<int> depth;               // by block: how many loops it is in
  std::vector<std::vector<int>> loops;  // the blocks of each, its header first
};
Layout layOut(const Function& f);

// The block each operation and phi stands in; -1 for leaves and what is gone.
std::vector<int> homes(const Function& f);

// Takes the edge away, with the inputs of the phis that belong to it.
void removeEdge(Function& f, int from, int to);
// Leads the edge from -> to to `next` instead, where the phis get the inputs given.
void redirectEdge(Function& f, int from, int to, int next, const std::vector<Predicate>& inputs);
// The blocks of a loop, its header first, that lead back to the header.
std::vector<int> waysBack(const Function& f, const std::vector<int>& loop);
// Leads all ways back of a loop, its header first, through one block that ends in a Gather: the new
// one, or the one that is there already.
int joinWaysBack(Function& f, const std::vector<int>& loop);
// The inputs that the phis of `to` have for the edge.
std::vector<Predicate> edgeInputs(const Function& f, int from, int to);
// Drops what cannot be reached and renumbers the blocks.
void removeUnreachable(Function& f);

}  // namespace qgpu::lower
