// What must come before what within a basic block.
//
// An operation may read a result of the same machine block, if it stands in a later slot. Memory is
// different: a block reads it as it was before the block, so a read must come in a later block than
// the write it depends on, but may stand in the same block as a write that follows it.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

// `to` not before `from`: in a later slot, or with `strict` in a later machine block.
struct Dependence {
  int from = 0, to = 0;  // positions in the basic block's body
  bool strict = false;
};

// Whether two memory operations of one thread, one of which writes, must not change places: they
// may mean the same byte, or one is atomic, and by it other threads know that the other is done.
bool mustKeepOrder(const Function& f, const Instruction& x, const Instruction& y);

class Dependences {
 public:
  // Without `forward` no result is read in the block that makes it.
  Dependences(const Function& f, int block, bool forward);

  const std::vector<Dependence>& edges() const { return edges_; }
  int size() const { return size_; }
  // Whether position `to` comes after `from` by a chain of dependences, or is it.
  bool reaches(int from, int to) const {
    return (reach_[from][static_cast<std::size_t>(to) / 64] >> (to % 64) & 1) != 0;
  }
  // The position of an operation in the body; -1 elsewhere.
  int position(Id id) const { return id < position_.size() ? position_[id] : -1; }

 private:
  void addData(const Function& f, const std::vector<Id>& body, bool forward);
  void addMemory(const Function& f, const std::vector<Id>& body);
  void closeOver();

  int size_ = 0;
  std::vector<int> position_;  // by id
  std::vector<Dependence> edges_;
  std::vector<std::vector<std::uint64_t>> reach_;  // bit sets by position
};

}  // namespace qgpu::lower
