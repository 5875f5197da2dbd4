// Values of mutable variables in static single assignment, built on the fly (after Braun et al.,
// "Simple and Efficient Construction of Static Single Assignment Form", 2013).
//
// A variable is a number; it holds a word or a predicate, and a write gives it a new value at the
// end of a block. A read in another block finds the value on the way there, through phis where ways
// meet. A block is sealed once all its predecessors are known; reads before that make phis whose
// inputs follow.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

enum class Type : std::uint8_t { Word, Flag };

class Variables {
 public:
  Variables(Function& f, std::vector<Type> types) : f_(f), types_(std::move(types)) {}

  void write(int variable, int block, Predicate value) { value_[{block, variable}] = value; }
  // The value at the end of `block`; undefined where no write reaches it.
  Predicate read(int variable, int block);
  // The value where the block starts, whatever is written in it.
  Predicate readAtStart(int variable, int block) { return readFromPredecessors(variable, block); }
  void seal(int block);

 private:
  Predicate undefined(int variable);
  bool isSealed(int block) const;
  Predicate readFromPredecessors(int variable, int block);
  // For a block with one predecessor: up through all that have one, to where the value comes from.
  // Such a chain can come round, as a loop that nothing leads into; any value does there.
  Predicate readUpTheChain(int variable, int block);
  Id newPhi(int variable, int block);
  void fillPhi(Id phi, int variable, int block);

  Function& f_;
  std::vector<Type> types_;
  std::map<std::pair<int, int>, Predicate> value_;             // by block and variable
  std::vector<bool> sealed_;                                   // by block; absent is not sealed
  std::map<int, std::vector<std::pair<int, Id>>> unfinished_;  // by block: variables and their phis
};

}  // namespace qgpu::lower
