#include "compiler/lower/build/variables.h"

namespace qgpu::lower {

Predicate Variables::read(int variable, int block) {
  const auto at = value_.find({block, variable});
  if (at != value_.end()) return at->second;
  const Predicate value = readFromPredecessors(variable, block);
  write(variable, block, value);
  return value;
}

Predicate Variables::readFromPredecessors(int variable, int block) {
  const bool sealed = static_cast<std::size_t>(block) < sealed_.size() && sealed_[block];
  if (!sealed) {
    const Id phi = newPhi(variable, block);
    unfinished_[block].push_back({variable, phi});
    return {phi};
  }
  const auto& predecessors = f_.blocks[block].predecessors;
  if (predecessors.empty())
    return types_[variable] == Type::Word ? Predicate{f_.undefined()} : Predicate::never();
  if (predecessors.size() == 1) return read(variable, predecessors.front());
  const Id phi = newPhi(variable, block);
  write(variable, block, {phi});  // ends the search where a loop comes round
  fillPhi(phi, variable, block);
  return {phi};
}

Id Variables::newPhi(int variable, int block) {
  const Id phi = f_.add({.kind = types_[variable] == Type::Word ? Kind::Phi : Kind::FlagPhi});
  f_.blocks[block].phis.push_back(phi);
  return phi;
}

void Variables::fillPhi(Id phi, int variable, int block) {
  for (const int predecessor : f_.blocks[block].predecessors)
    f_[phi].inputs.push_back(read(variable, predecessor));
}

void Variables::seal(int block) {
  if (sealed_.size() <= static_cast<std::size_t>(block)) sealed_.resize(block + 1, false);
  sealed_[block] = true;
  for (const auto& [variable, phi] : std::exchange(unfinished_[block], {}))
    fillPhi(phi, variable, block);
}

}  // namespace qgpu::lower
