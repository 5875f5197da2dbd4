#include "compiler/lower/blocks/uniformity.h"

namespace qgpu::lower {
namespace {

bool isSource(const Instruction& i) {
  if (i.kind == Kind::Special) {
    const auto s = static_cast<isa::Special>(i.immediate);
    return s == isa::Special::Tid || s == isa::Special::Gtid || s == isa::Special::Lane;
  }
  return i.isOperation() && (writesMemory(i) || i.row().isShuffle());
}

}  // namespace

Uniformity::Uniformity(const Function& f) : varies_(f.instructions.size(), false) {
  for (std::size_t id = 0; id < varies_.size(); ++id) varies_[id] = isSource(f.instructions[id]);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t id = 0; id < varies_.size(); ++id) {
      const Instruction& i = f.instructions[id];
      if (varies_[id] || i.isLeaf() || (i.isOperation() && i.row().isVote())) continue;
      bool varies = false;
      for (const Id operand : wordOperands(i)) varies |= varies_[operand];
      for (const Predicate& p : flagOperands(i)) varies |= varies_[p.id];
      for (const Predicate& p : i.inputs) varies |= !p.isConstant() && varies_[p.id];
      if (!varies) continue;
      varies_[id] = true;
      changed = true;
    }
  }
}

}  // namespace qgpu::lower
