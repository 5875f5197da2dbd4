// Out of static single assignment: webs of values that share a register.
//
// A phi and its inputs become one web where their lives allow it, so that the operation that makes
// an input writes the phi's register itself. Elsewhere a copy at the end of the predecessor writes
// it, in a block of its own where the predecessor's other way still needs the old value.
//
// Two values of a web may both be alive within a basic block in one way: the old one's last reads
// come in the same machine block as the new one's write, or before. Blocks read registers before
// they write them, so a = b, b = a + b is one block and no copy. The scheduler keeps that order.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/lower/blocks/dependences.h"
#include "compiler/lower/ir/liveness.h"

namespace qgpu::lower {

class Webs {
 public:
  Webs(Function& f, Port port, bool forward) : f_(f), port_(port), forward_(forward) {}

  // Makes the webs; inserts copies and may add basic blocks.
  void build();

  // The web of a value: its representative. A value outside all phis is a web of its own.
  Id of(Id id) const;
  // Gives a phi's input made in block `b` a copy at the end of it, so that the value itself is free
  // of the web. Returns the copy.
  Id separate(Id value, int b);
  // Whether the value shares its web with another.
  bool isShared(Id id) const { return members(of(id)).size() > 1; }
  // All values of a web.
  std::vector<Id> members(Id web) const {
    const bool alone = web >= members_.size() || members_[web].empty();
    return alone ? std::vector<Id>{web} : members_[web];
  }
  Port port() const { return port_; }

 private:
  // A copy that was made: a later phi may want the same.
  struct Copy {
    Id id;
    int block;
    Predicate value;
  };

  // An edge of the control flow, and the phis that still need something on it.
  struct Edge {
    int block;           // where it leads
    std::size_t number;  // among the block's predecessors
    std::vector<Id> phis;
  };

  bool join(Id phi, std::size_t edge);
  void copyInto(const Edge& edge);
  bool takeBack(Id copy, Id phi, std::size_t edge);
  bool reuseCopy(Id phi, std::size_t edge, int from);
  bool selectCopy(Id phi, std::size_t edge, int block, int from);
  bool servesEdge(Id value, int from, int block) const;
  int splitEdge(const Edge& edge, int from);
  void move(Id copy, int from, int to);
  Id makeCopy(Predicate value, int block);
  bool interfere(Id x, Id y);
  bool interfereIn(int b, Id x, Id y);
  bool classesInterfere(Id x, Id y);
  // Whether every read of `x` in the block can come no later than the write of `y`.
  bool canFollow(int b, Id x, Id y);
  void unite(Id x, Id y);
  void refresh();
  bool entersAt(int b, Id id) const {
    return live_->in[b].has(id) || (home_[id] == b && f_[id].isPhi());
  }
  bool madeIn(int b, Id id) const { return home_[id] == b && !f_[id].isPhi(); }

  Function& f_;
  Port port_;
  bool forward_;
  std::vector<Copy> copies_;
  std::vector<Id> parent_;
  std::vector<std::vector<Id>> members_;  // by representative; empty for a web of one
  std::vector<int> home_;
  std::optional<Liveness> live_;
  std::vector<std::unique_ptr<Dependences>> dependences_;  // by block, made when asked for
};

// Turns predicates round so that phis take them as they are: !(a < b) becomes a >= b.
void alignFlagPhis(Function& f);

}  // namespace qgpu::lower
