#include "interpreter/isa/rules.h"

#include <fmt/format.h>

#include "interpreter/isa/table.h"

namespace qgpu::isa {
namespace {

class BlockRules {
 public:
  BlockRules(const Block& block, int number, int blocks)
      : block_(block), number_(number), blocks_(blocks) {}

  std::vector<Violation> check() {
    for (int i = 0; i < kMachine.slots; ++i) checkSlot(i);
    checkLive();
    checkMemory();
    checkDivision();
    checkHeader();
    return std::move(found_);
  }

 private:
  const Slot& slot(int i) const { return block_.slots[i]; }
  void say(int slot, std::string message) { found_.push_back({number_, slot, std::move(message)}); }

  void checkSlot(int i) {
    const Slot& s = slot(i);
    const Row& r = row(s.op);
    checkOperands(i, s, r);
    checkPredicates(i, s, r);
    checkAddress(i, s, r);
    if (!r.result && (s.live || s.rd != 0)) say(i, fmt::format("{} has no result", r.name));
    if (s.live && s.rd == 0) say(i, "a live result needs a register other than 0");
    if (!s.live && s.rd != 0) say(i, "a result that is not live names no register");
  }

  // Whether the slot keeps c as the old value of a failed guard.
  static bool keepsOld(const Slot& s, const Row& r) {
    return r.guard == GuardUse::Merge && r.result && !s.guard.always();
  }

  void checkOperands(int i, const Slot& s, const Row& r) {
    Operand parameter;
    bool one_parameter = true;
    const auto operand = [&](Operand o, bool used, char name) {
      if (!used && !o.isZero()) say(i, fmt::format("{} does not use {}", r.name, name));
      if (o.kind() == Operand::Kind::Parameter) {
        one_parameter &= parameter.isZero() || parameter == o;
        parameter = o;
      }
      if (o.kind() == Operand::Kind::Slot && (o.index() >= i || !row(slot(o.index()).op).result))
        say(i, fmt::format("{} reads slot {}, which has no earlier result", name, o.index() + 1));
    };
    operand(s.a, r.a, 'a');
    operand(s.b, r.b || s.space != Space::None, 'b');
    operand(s.c, r.c || keepsOld(s, r), 'c');
    if (!one_parameter) say(i, "a slot reads at most one parameter word");
  }

  void predicateSource(int i, Guard g) {
    if (g.always() && g.negate) say(i, "a negated guard names a predicate");
    if (g.isSlot() && (g.index() >= i || !computesPredicate(slot(g.index()))))
      say(i, fmt::format("the guard is slot {}, which has no earlier predicate", g.index() + 1));
  }

  void checkPredicates(int i, const Slot& s, const Row& r) {
    predicateSource(i, s.guard);
    if (r.guard == GuardUse::Unused && !s.guard.always())
      say(i, fmt::format("{} takes no guard", r.name));
    if (!allowed(s, r)) say(i, fmt::format("{} cannot hold this comparison", r.name));
    const bool keeps_old = r.guard == GuardUse::Merge && !s.guard.always();
    if (!computesPredicate(s)) {
      if (s.plive || s.pd != 0) say(i, "the slot has no predicate");
    } else if (!s.plive && !keeps_old && s.pd != 0) {
      say(i, "a predicate that is neither live nor kept by a guard is p0");
    }
  }

  // Carry comparisons of an addition may be absent: Eq, code 0, then means "no predicate wanted".
  static bool allowed(const Slot& s, const Row& r) {
    const bool none = s.compare == Compare::Eq;
    switch (r.predicate) {
      case PredicateUse::Compare: return s.compare < Compare::Carry;
      case PredicateUse::Order:
        return none || (s.compare >= Compare::Lt && s.compare < Compare::Carry);
      case PredicateUse::Carry:
        return none || (s.compare >= Compare::Carry && s.space == Space::None);
      case PredicateUse::Flag:
      case PredicateUse::None: break;
    }
    return none;
  }

  void checkAddress(int i, const Slot& s, const Row& r) {
    const bool memory = s.space != Space::None;
    if (memory && r.memory == Memory::None)
      say(i, fmt::format("{} takes no memory operand", r.name));
    if (!memory && r.memory > Memory::Optional)
      say(i, fmt::format("{} needs a memory operand", r.name));
    if (!memory && (s.scaled || s.base_parameter)) say(i, "an address without a memory operand");
    if (memory && s.scaled && r.width == 1) say(i, "the index of a byte access is not scaled");
    const bool uses_aux = s.base_parameter || r.isShuffle() || r.unit == Unit::Predicate;
    if (!uses_aux && s.aux != 0) say(i, "aux is not used");
    if ((r.isShuffle() || r.unit == Unit::Predicate) && s.aux > 15)
      say(i, "aux has four bits here");
    if (r.unit == Unit::Predicate)
      predicateSource(i, {static_cast<std::uint8_t>(s.aux & 7), (s.aux & 8) != 0});
    const bool uses_imm = (memory && !s.base_parameter) || s.a == Operand::immediate() ||
                          s.b == Operand::immediate() || s.c == Operand::immediate();
    if (!uses_imm && s.imm != 0) say(i, "the immediate is not used");
  }

  void checkLive() {
    for (int i = 0; i < kMachine.slots; ++i)
      for (int j = 0; j < i; ++j) {
        if (slot(i).live && slot(j).live && slot(i).rd == slot(j).rd)
          say(i, fmt::format("r{} is written live twice", slot(i).rd));
        if (slot(i).plive && slot(j).plive && slot(i).pd == slot(j).pd)
          say(i, fmt::format("p{} is written live twice", slot(i).pd));
      }
  }

  void checkMemory() {
    int writer = -1;
    bool replay = false;
    for (int i = 0; i < kMachine.slots; ++i) {
      const Row& r = row(slot(i).op);
      if (writer >= 0 && r.readsMemory() && slot(i).space == slot(writer).space &&
          slot(i).space != Space::None)
        say(i, "reads memory after a write in the block");
      if (!r.writesMemory()) continue;
      if (writer >= 0) say(i, "a second memory write in the block");
      writer = i;
      replay |= r.memory == Memory::Replay;
    }
    if (replay != block_.header.replay)
      say(-1,
          replay ? "a replay instruction needs a replay block" : "nothing in the block replays");
    if (!replay) return;
    if (number_ == 0) say(-1, "block 0 cannot replay");
    for (int i = 0; i < kMachine.slots; ++i)
      if (row(slot(i).op).unit == Unit::Lanes) say(i, "a replay block has no shuffle or vote");
  }

  void checkDivision() {
    if (!block_.header.divide) {
      for (int i = 0; i < kMachine.slots; ++i)
        if (row(slot(i).op).unit == Unit::Divider) say(i, "division outside a division block");
      return;
    }
    const auto is = [&](int i, Opcode x, Opcode y) { return slot(i).op == x || slot(i).op == y; };
    if (!is(0, Opcode::Div, Opcode::Divu)) say(0, "a division block starts with div or divu");
    if (!is(1, Opcode::Nop, Opcode::Nop)) say(1, "slot 2 of a division block is nop");
    if (!is(2, Opcode::Quo, Opcode::Nop)) say(2, "slot 3 of a division block is quo or nop");
    if (!is(3, Opcode::Rem, Opcode::Nop)) say(3, "slot 4 of a division block is rem or nop");
  }

  void checkTarget(int target, bool used) {
    if (used && target == 0) say(-1, "block 0 is never a target");
    if (used && target >= blocks_) say(-1, fmt::format("there is no block {}", target));
    if (!used && target != 0) say(-1, "a target that is not used");
  }

  void checkHeader() {
    const Header& h = block_.header;
    const bool conditional = h.kind == Terminator::Branch || h.kind == Terminator::ExitIf;
    checkTarget(h.target, h.kind != Terminator::Exit && h.kind != Terminator::Trap);
    checkTarget(h.other, h.kind == Terminator::Branch);
    if (!conditional && h.condition != Condition{}) say(-1, "a condition that is not used");
    if (conditional && h.condition.isSlot() && !computesPredicate(slot(h.condition.index())))
      say(-1, fmt::format("slot {} has no predicate to end on", h.condition.index() + 1));
  }

  const Block& block_;
  int number_, blocks_;
  std::vector<Violation> found_;
};

}  // namespace

std::string Violation::text() const {
  if (slot < 0) return fmt::format("block {}: {}", block, message);
  return fmt::format("block {}, slot {}: {}", block, slot + 1, message);
}

std::vector<Violation> violations(const Block& block, int number, int blocks) {
  return BlockRules(block, number, blocks).check();
}

std::vector<Violation> violations(const Program& program) {
  const int count = static_cast<int>(program.blocks.size());
  std::vector<Violation> found;
  if (count == 0) found.push_back({0, -1, "a program has at least one block"});
  if (count > kMachine.blocks)
    found.push_back({kMachine.blocks, -1,
                     fmt::format("needs {} blocks, the ROM holds {}", count, kMachine.blocks)});
  for (int i = 0; i < count; ++i) {
    auto here = violations(program.blocks[i], i, count);
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

}  // namespace qgpu::isa
