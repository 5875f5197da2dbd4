#include "interpreter/testing/generate_slot.h"

#include <algorithm>
#include <array>

#include "interpreter/testing/generate_block.h"

namespace qgpu::isatest {
namespace {

using isa::Compare;
using isa::Guard;
using isa::GuardUse;
using isa::Memory;
using isa::Opcode;
using isa::Operand;
using isa::PredicateUse;
using isa::Row;
using isa::Slot;
using isa::Space;
using isa::Special;
using isa::Unit;

// Registers above are loop counters.
constexpr int kFreeRegisters = 13;

struct UnitShare {
  Unit unit;
  int share;
};
constexpr std::array kUnitShares = {
    UnitShare{Unit::Move, 8},      UnitShare{Unit::Adder, 20},  UnitShare{Unit::Multiplier, 9},
    UnitShare{Unit::Logic, 10},    UnitShare{Unit::Shifter, 9}, UnitShare{Unit::Select, 9},
    UnitShare{Unit::Predicate, 7}, UnitShare{Unit::Bits, 9},    UnitShare{Unit::Lanes, 14},
    UnitShare{Unit::Load, 9},      UnitShare{Unit::Store, 10},
};

std::vector<Opcode> opcodesOf(Unit unit, bool replay) {
  std::vector<Opcode> found;
  for (int i = 0; i < isa::kOpcodes; ++i) {
    const Row& r = isa::rows()[i];
    if (r.unit == unit && (r.memory == Memory::Replay) == replay)
      found.push_back(static_cast<Opcode>(i));
  }
  return found;
}

const std::vector<Opcode>& shareTable() {
  static const std::vector<Opcode> kTable = [] {
    std::vector<Opcode> table;
    for (const UnitShare& u : kUnitShares) {
      const std::vector<Opcode> ops = opcodesOf(u.unit, false);
      for (int i = 0; i < 24 * u.share; ++i) table.push_back(ops[i % ops.size()]);
    }
    return table;
  }();
  return kTable;
}

const std::vector<Opcode>& replayOpcodes() {
  static const std::vector<Opcode> kOps = opcodesOf(Unit::Store, true);
  return kOps;
}

bool usesImmediate(const Slot& s) {
  return s.a == Operand::immediate() || s.b == Operand::immediate() ||
         s.c == Operand::immediate() || (s.space != Space::None && !s.base_parameter);
}

std::uint32_t sizeOf(Space space) {
  return 4u * static_cast<std::uint32_t>(space == Space::Shared ? kMachine.shared_words
                                                                : kMachine.global_rows);
}

}  // namespace

Slot SlotMaker::any() {
  if (random_.chance(7)) return smallMask();
  return make(someOpcode());
}

Slot SlotMaker::replayWrite() { return make(random_.pick(replayOpcodes())); }

// Often differs between lanes.
Slot SlotMaker::comparison() {
  Slot s;
  s.op = Opcode::Setp;
  s.compare = static_cast<Compare>(random_.below(6));
  s.a = random_.chance(45) ? Operand::special(Special::Lane) : anyWord();
  s.b = Operand::immediate();
  s.imm = static_cast<std::int16_t>(random_.between(-1, 4));
  chooseDestinations(s, isa::row(s.op));
  return s;
}

Slot SlotMaker::division() {
  Slot s;
  s.op = random_.pick({Opcode::Div, Opcode::Divu});
  s.imm = someImmediate(isa::row(s.op));
  chooseOperands(s, isa::row(s.op));
  if (!usesImmediate(s)) s.imm = 0;
  return s;
}

Slot SlotMaker::taking(Opcode op) {
  Slot s;
  s.op = op;
  chooseDestinations(s, isa::row(op));
  return s;
}

// A result that makes a good index: `and` with a small mask.
Slot SlotMaker::smallMask() {
  Slot s;
  s.op = Opcode::And;
  s.a = anyWord();
  s.b = Operand::immediate();
  s.imm = static_cast<std::int16_t>(random_.pick({1, 2, 3, 7, 12, 15, 28, 31, 60, 124}));
  chooseDestinations(s, isa::row(s.op));
  return s;
}

Opcode SlotMaker::someOpcode() {
  for (;;) {
    const Opcode op = random_.pick(shareTable());
    const Row& r = isa::row(op);
    if (r.unit == Unit::Lanes && replay_) continue;
    if (r.writesMemory() && (replay_ || written_ != Space::None)) continue;
    return op;
  }
}

Slot SlotMaker::make(Opcode op) {
  const Row& row = isa::row(op);
  Slot s;
  s.op = op;
  s.imm = someImmediate(row);
  chooseGuard(s, row);
  chooseOperands(s, row);
  chooseComparison(s, row);
  chooseDestinations(s, row);
  // What a failed guard keeps: the register itself more often than not.
  if (row.guard == GuardUse::Merge && row.result && !s.guard.always())
    s.c = s.live && random_.chance(60) ? Operand::reg(s.rd) : word(false);
  if (!usesImmediate(s)) s.imm = 0;
  return s;
}

std::int16_t SlotMaker::someImmediate(const Row& row) {
  if (row.unit == Unit::Shifter) return static_cast<std::int16_t>(random_.between(-1, 36));
  if (row.isShuffle()) return static_cast<std::int16_t>(random_.between(0, 5));
  return static_cast<std::int16_t>(random_.word());
}

Operand SlotMaker::anyWord() {
  parameter_ = random_.below(kParametersRead);
  return word(false);
}

Operand SlotMaker::word(bool with_immediate) {
  const int choice = random_.below(100);
  if (choice < 35 && !results_.empty()) return Operand::slot(random_.pick(results_));
  if (choice < 62)
    return Operand::reg(random_.chance(12) ? random_.below(kMachine.registers) : someRegister());
  if (choice < 78) return Operand::special(someSpecial());
  if (choice < 90 && with_immediate) return Operand::immediate();
  return Operand::parameter(parameter_);
}

// Those that differ between lanes more often than not.
Special SlotMaker::someSpecial() {
  if (random_.chance(60)) return random_.pick({Special::Tid, Special::Lane, Special::Gtid});
  return static_cast<Special>(random_.below(isa::kSpecials));
}

// One of a few more often than not, so that values are used again.
int SlotMaker::someRegister() {
  return random_.between(1, random_.chance(75) ? 5 : kFreeRegisters);
}

Guard SlotMaker::somePredicate() {
  const bool negate = random_.chance(40);
  if (!predicates_.empty() && random_.chance(65))
    return Guard::slot(random_.pick(predicates_), negate);
  return Guard::predicate(random_.below(kMachine.predicates), negate);
}

isa::Condition SlotMaker::condition() {
  const bool negate = random_.chance(40);
  if (!predicates_.empty() && random_.chance(80)) {
    const int slot = random_.chance(50) ? predicates_.back() : random_.pick(predicates_);
    return isa::Condition::slot(slot, negate);
  }
  return isa::Condition::predicate(random_.below(kMachine.predicates), negate);
}

void SlotMaker::chooseGuard(Slot& s, const Row& row) {
  const int percent = row.guard == GuardUse::Input ? 88 : row.guard == GuardUse::Unused ? 0 : 30;
  if (random_.chance(percent)) s.guard = somePredicate();
}

void SlotMaker::chooseOperands(Slot& s, const Row& row) {
  parameter_ = random_.below(kParametersRead);
  const bool reads_twice = row.memory == Memory::Optional && random_.chance(18);
  if (row.a) s.a = word(true);
  if (row.memory > Memory::Optional || reads_twice)
    chooseAddress(s, row);
  else if (row.b)
    s.b = (row.unit == Unit::Shifter || row.isShuffle()) && random_.chance(60)
              ? Operand::immediate()
              : word(true);
  if (row.c) s.c = word(true);
  if (row.isShuffle()) s.aux = static_cast<std::uint8_t>(random_.below(16));
  if (row.unit == Unit::Predicate && random_.chance(90)) {
    const Guard second = somePredicate();
    s.aux = static_cast<std::uint8_t>(second.code | (second.negate ? 8 : 0));
  }
}

void SlotMaker::chooseAddress(Slot& s, const Row& row) {
  s.space = random_.chance(65) ? Space::Global : Space::Shared;
  if (s.space == written_) s.space = s.space == Space::Global ? Space::Shared : Space::Global;
  if (random_.chance(3)) {  // wild
    s.b = word(true);
    s.scaled = row.width > 1 && random_.chance(50);
    return;
  }
  const Index index = someIndex();
  s.b = index.operand;
  const auto width = static_cast<std::uint32_t>(row.width);
  s.scaled = width > 1 && (index.step % width != 0 || random_.chance(70));
  std::uint32_t reach = s.scaled ? index.bound * width : index.bound;
  if (reach > sizeOf(s.space) - 64) {
    s.b = Operand::zero();
    reach = 0;
  }
  chooseBase(s, row, reach);
}

void SlotMaker::chooseBase(Slot& s, const Row& row, std::uint32_t reach) {
  const std::uint32_t last = sizeOf(s.space) - 4 - reach;
  const int parameter = random_.below(kAddressParameters);
  if (random_.chance(25) && launch_.parameters[parameter] <= last) {
    s.base_parameter = true;
    s.aux = static_cast<std::uint8_t>(parameter);
    return;
  }
  const int first = s.space == Space::Global ? 4 : 0;
  const int near = std::min(static_cast<int>(last), first + 60);
  const int base = random_.between(first, random_.chance(70) ? near : static_cast<int>(last));
  s.imm = static_cast<std::int16_t>(base / row.width * row.width);
}

SlotMaker::Index SlotMaker::someIndex() {
  const auto at_most = [](int count) { return static_cast<std::uint32_t>(count - 1); };
  const auto special = [](Special s) { return Operand::special(s); };
  if (!indices_.empty() && random_.chance(35)) return random_.pick(indices_);
  switch (random_.below(8)) {
    case 0: return {special(Special::Lane), at_most(kMachine.lanes)};
    case 1: return {special(Special::Warp), at_most(kMachine.warps)};
    case 2: return {special(Special::Ctaid), at_most(launch_.thread_blocks)};
    case 3: return {special(Special::Gtid), at_most(launch_.thread_blocks * launch_.threads)};
    case 4: return {Operand::zero(), 0, 4};
    default: return {special(Special::Tid), at_most(launch_.threads)};
  }
}

void SlotMaker::chooseComparison(Slot& s, const Row& row) {
  const auto compare = [&](int first, int last) {
    s.compare = static_cast<Compare>(random_.between(first, last));
  };
  const bool wanted = random_.chance(60);
  if (row.predicate == PredicateUse::Compare) compare(0, 5);
  if (row.predicate == PredicateUse::Order && wanted) compare(2, 5);
  if (row.predicate == PredicateUse::Carry && wanted && s.space == Space::None) compare(6, 7);
}

void SlotMaker::chooseDestinations(Slot& s, const Row& row) {
  if (row.result && random_.chance(60)) {
    const int rd = someRegister();
    s.live = (live_registers_ >> rd & 1) == 0;
    if (s.live) s.rd = static_cast<std::uint8_t>(rd);
  }
  if (!isa::computesPredicate(s)) return;
  const int pd = random_.below(kMachine.predicates);
  s.plive = random_.chance(45) && (live_predicates_ >> pd & 1) == 0;
  const bool keeps_old = row.guard == GuardUse::Merge && !s.guard.always();
  if (s.plive || keeps_old) s.pd = static_cast<std::uint8_t>(pd);
}

void SlotMaker::place(const Slot& slot) {
  const Row& row = isa::row(slot.op);
  if (row.result) results_.push_back(next_);
  if (isa::computesPredicate(slot)) predicates_.push_back(next_);
  if (row.writesMemory()) written_ = slot.space;
  if (slot.live) live_registers_ |= 1u << slot.rd;
  if (slot.plive) live_predicates_ |= 1u << slot.pd;
  const bool masks = slot.op == Opcode::And && slot.b == Operand::immediate() && slot.imm > 0 &&
                     slot.space == Space::None && slot.guard.always();
  if (masks && next_ + 1 < kMachine.slots) {
    const auto mask = static_cast<std::uint32_t>(slot.imm);
    indices_.push_back({Operand::slot(next_), mask, mask & (0u - mask)});
  }
  if (++next_ == kMachine.slots)
    std::erase_if(results_, [](int i) { return i + 1 == kMachine.slots; });
}

}  // namespace qgpu::isatest
