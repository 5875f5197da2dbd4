#include "compiler/lower/build/variables.h"

namespace qgpu::lower {

Predicate Variables::read(int variable, int block) {
  const auto at = value_.find({block, variable});
  if (at != value_.end()) return at->second;
  const Predicate value = readFromPredecessors(variable, block);
  write(variable, block, value);
  return value;
}

Predicate Variables::undefined(int variable) {
  return types_[variable] == Type::Word ? Predicate{f_.undefined()} : Predicate::never();
}

bool Variables::isSealed(int block) const {
  return static_cast<std::size_t>(block) < sealed_.size() && sealed_[block];
}

Predicate Variables::readUpTheChain(int variable, int block) {
  std::vector<int> chain;
  int at = f_.blocks[block].predecessors.front();
  while (isSealed(at) && f_.blocks[at].predecessors.size() == 1 &&
         !value_.contains({at, variable})) {
    if (chain.size() == f_.blocks.size()) return undefined(variable);
    chain.push_back(at);
    at = f_.blocks[at].predecessors.front();
  }
  const Predicate value = read(variable, at);
  for (const int passed : chain) write(variable, passed, value);
  return value;
}

Predicate Variables::readFromPredecessors(int variable, int block) {
  if (!isSealed(block)) {
    const Id phi = newPhi(variable, block);
    unfinished_[block].push_back({variable, phi});
    return {phi};
  }
  const auto& predecessors = f_.blocks[block].predecessors;
  if (predecessors.empty()) return undefined(variable);
  if (predecessors.size() == 1) return readUpTheChain(variable, block);
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
