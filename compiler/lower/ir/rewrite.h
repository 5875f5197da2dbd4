// Values that turned out to be others, and what values are made of.
#pragma once

#include <optional>
#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

class Aliases {
 public:
  explicit Aliases(const Function& f) : f_(f) {}

  void set(Id old, Id value);
  void set(Id old, Predicate value);
  Id word(Id id);
  Predicate flag(Predicate p);
  bool empty() const { return changes_ == 0; }

  // Replaces the operands of an instruction, of a phi, or of everything.
  void apply(Instruction& i);
  void applyAll(Function& f);

 private:
  void grow();

  const Function& f_;
  std::vector<Id> words_;         // kNone: itself
  std::vector<Predicate> flags_;  // by id; absent: itself
  std::vector<bool> has_flag_;
  int changes_ = 0;
};

// The one value that comes into a phi, itself apart.
std::optional<Predicate> onlyInput(const Function& f, Id phi);

// By value: whether it is one of the roots, or one of them is computed from it.
std::vector<bool> whatMakes(const Function& f, const std::vector<Id>& roots);

// How often each word and each predicate is read, by operations, phis and terminators.
struct Uses {
  std::vector<int> words, flags;
  explicit Uses(const Function& f);
};

}  // namespace qgpu::lower
