// Which words, or which predicates, are needed where one basic block ends and the next begins.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

enum class Port : std::uint8_t { Word, Flag };  // the two results of an operation

class IdSet {
 public:
  explicit IdSet(std::size_t size = 0) : bits_((size + 63) / 64) {}
  bool has(Id id) const { return (bits_[id / 64] >> (id % 64) & 1) != 0; }
  void insert(Id id) { bits_[id / 64] |= std::uint64_t{1} << (id % 64); }
  void erase(Id id) { bits_[id / 64] &= ~(std::uint64_t{1} << (id % 64)); }
  // Whether `other` had something new.
  bool merge(const IdSet& other);
  std::vector<Id> members() const;

 private:
  std::vector<std::uint64_t> bits_;
};

// The results an instruction reads through a port, a phi's inputs apart.
template <typename Visit>
void eachRead(const Function& f, const Instruction& i, Port port, Visit visit) {
  if (port == Port::Word) {
    for (const Id id : wordOperands(i))
      if (!f[id].isLeaf()) visit(id);
  } else {
    for (const Predicate& p : flagOperands(i)) visit(p.id);
  }
}
// The phis of the port, and what comes into one.
inline bool isPhiOf(const Instruction& i, Port port) {
  return i.kind == (port == Port::Word ? Kind::Phi : Kind::FlagPhi);
}
bool isResult(const Function& f, Predicate input, Port port);

// Phis are defined at the top of their block and so not live into it; their inputs are live out of
// the predecessors they come from.
struct Liveness {
  std::vector<IdSet> in, out;  // by basic block
  Liveness(const Function& f, Port port);
};

}  // namespace qgpu::lower
