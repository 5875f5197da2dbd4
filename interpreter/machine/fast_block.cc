#include "interpreter/machine/fast_block.h"

namespace qgpu::machine {
namespace {

using isa::Operand;
using isa::Space;

std::uint8_t codeOf(Operand operand) { return static_cast<std::uint8_t>(operand.code()); }

FastSlot::Path pathOf(const DecodedSlot& d) {
  if (!d.slot.guard.always() || d.row->unit == isa::Unit::Predicate || d.row->isVote())
    return FastSlot::Path::Other;
  return d.slot.space == Space::None ? FastSlot::Path::Plain : FastSlot::Path::Memory;
}

FastSlot fastSlot(const DecodedSlot& d) {
  const isa::Slot& s = d.slot;
  FastSlot fast;
  fast.lanes = d.row->lanes;
  fast.in.compare = s.compare;
  fast.in.aux = s.aux;
  fast.immediate = d.immediate;
  fast.path = pathOf(d);
  fast.a = codeOf(s.a);
  fast.b = codeOf(s.b);
  fast.c = codeOf(s.c);
  fast.base = codeOf(s.base_parameter ? Operand::parameter(s.aux) : Operand::immediate());
  fast.shift = static_cast<std::uint8_t>(d.shift);
  fast.shared = s.space == Space::Shared;
  fast.last_row = (fast.shared ? kMachine.shared_words : kMachine.global_rows) - 1u;
  fast.first_byte = d.first_byte;
  fast.forbidden_bits = d.forbidden_bits;
  return fast;
}

}  // namespace

FastBlock::FastBlock(const isa::Block& block) : DecodedBlock(block) {
  for (int i = 0; i < kMachine.slots; ++i) fast[i] = fastSlot(slots[i]);
  for (int n = 0; n < leaving_count; ++n) {
    const DecodedSlot& d = slots[leaving[n]];
    leaves[n] = {.slot = leaving[n],
                 .rd = d.slot.rd,
                 .pd = d.slot.pd,
                 .live = d.slot.live,
                 .plive = d.slot.plive,
                 .guarded = d.guard_use == isa::GuardUse::Commit && !d.slot.guard.always()};
  }
  plain = !header.divide && header.kind != isa::Terminator::Trap;
  conditional = !same(held, other);
}

}  // namespace qgpu::machine
