#include "interpreter/testing/shrink.h"

#include <algorithm>
#include <optional>

#include "interpreter/isa/rules.h"
#include "interpreter/isa/table.h"

namespace qgpu::isatest {
namespace {

using isa::Block;
using isa::Header;
using isa::Operand;
using isa::Slot;
using isa::Terminator;

bool isConditional(const Header& h) {
  return h.kind == Terminator::Branch || h.kind == Terminator::ExitIf;
}
bool hasTarget(const Header& h) { return h.kind != Terminator::Exit && h.kind != Terminator::Trap; }
Header jump(int target) {
  return {.kind = Terminator::Jump, .target = static_cast<std::uint8_t>(target)};
}

// ---- Repairs after a change. ----

// The flags that follow from the slots.
void setFlags(Block& block) {
  block.header.replay = block.header.divide = false;
  for (const Slot& s : block.slots) {
    block.header.replay |= isa::row(s.op).memory == isa::Memory::Replay;
    block.header.divide |= isa::row(s.op).unit == isa::Unit::Divider;
  }
}

// Fields that mean nothing any more.
void clearUnused(Slot& s) {
  const isa::Row& row = isa::row(s.op);
  if (!s.live) s.rd = 0;
  const bool keeps_old = row.guard == isa::GuardUse::Merge && !s.guard.always();
  if (!row.c && (!keeps_old || !row.result)) s.c = Operand::zero();
  if (!s.plive && (!keeps_old || !isa::computesPredicate(s))) s.pd = 0;
  const bool immediate = s.a == Operand::immediate() || s.b == Operand::immediate() ||
                         s.c == Operand::immediate() ||
                         (s.space != isa::Space::None && !s.base_parameter);
  if (!immediate) s.imm = 0;
}

// Nothing in the block reads what slot `i` computes.
void forget(Block& block, int i) {
  const auto isIt = [&](isa::Guard g) { return g.isSlot() && g.index() == i; };
  for (Slot& s : block.slots) {
    for (Operand* o : {&s.a, &s.b, &s.c})
      if (o->kind() == Operand::Kind::Slot && o->index() == i) *o = Operand::zero();
    if (isIt(s.guard)) s.guard = {};
    const bool has_second = isa::row(s.op).unit == isa::Unit::Predicate;
    if (has_second && isIt({static_cast<std::uint8_t>(s.aux & 7), false})) s.aux = 0;
    clearUnused(s);
  }
  Header& h = block.header;
  if (isConditional(h) && h.condition.isSlot() && h.condition.index() == i) h = jump(h.target);
}

void eraseSlot(Block& block, int i) {
  const bool divides = block.header.divide && i == 0;
  forget(block, i);
  if (divides)
    block.slots = {};
  else
    block.slots[i] = {};
  setFlags(block);
}

// Where lanes that would go to a block that is gone now go: to `successor`, or nowhere.
void redirect(Header& h, int gone, std::optional<int> successor) {
  if (successor) {
    if (hasTarget(h) && h.target == gone) h.target = static_cast<std::uint8_t>(*successor);
    if (h.kind == Terminator::Branch && h.other == gone)
      h.other = static_cast<std::uint8_t>(*successor);
    return;
  }
  const Header exit = {.kind = Terminator::Exit};
  if (h.kind == Terminator::Branch && (h.target == gone || h.other == gone)) {
    const int kept = h.target == gone ? h.other : h.target;
    const bool negate = h.condition.negate != (h.target != gone);
    if (kept == gone)
      h = exit;
    else
      h = {.kind = Terminator::ExitIf,
           .condition = {h.condition.code, negate},
           .target = static_cast<std::uint8_t>(kept)};
  } else if (hasTarget(h) && h.target == gone) {
    h = exit;
  }
}

void eraseBlock(isa::Program& program, int gone) {
  const Header& old = program.blocks[gone].header;
  std::optional<int> successor;
  if (hasTarget(old) && old.target != gone) successor = old.target;
  program.blocks.erase(program.blocks.begin() + gone);
  const auto renumber = [&](std::uint8_t& target) {
    if (target > gone) --target;
  };
  for (Block& block : program.blocks) {
    redirect(block.header, gone, successor);
    if (hasTarget(block.header)) renumber(block.header.target);
    if (block.header.kind == Terminator::Branch) renumber(block.header.other);
    setFlags(block);
  }
}

// ---- Steps. ----

class Steps {
 public:
  explicit Steps(const MachineCase& launch) : launch_(launch) {}

  std::vector<MachineCase> all() {
    shapes();
    blocks();
    inputs();
    for (std::size_t b = 0; b < launch_.program.blocks.size(); ++b) {
      terminators(b);
      for (int i = 0; i < kMachine.slots; ++i) slots(b, i);
    }
    return std::move(found_);
  }

 private:
  template <typename Change>
  void offer(Change change) {
    MachineCase smaller = launch_;
    change(smaller);
    if (smaller == launch_ || !isa::violations(smaller.program).empty()) return;
    found_.push_back(std::move(smaller));
  }

  void shapes() {
    const int blocks = launch_.thread_blocks, threads = launch_.threads;
    for (const int n : {1, blocks / 2, blocks - 1})
      if (n >= 1 && n < blocks) offer([&](MachineCase& c) { c.thread_blocks = n; });
    for (const int n : {1, 2, kMachine.lanes, threads / 2, threads - 1})
      if (n >= 1 && n < threads) offer([&](MachineCase& c) { c.threads = n; });
  }

  void blocks() {
    const int count = static_cast<int>(launch_.program.blocks.size());
    if (count == 1) return;
    for (int b = count - 1; b >= 0; --b) offer([&](MachineCase& c) { eraseBlock(c.program, b); });
  }

  void inputs() {
    const auto& memory = launch_.memory;
    for (std::size_t size = memory.size(); size > 0; size /= 2)
      for (std::size_t at = 0; at < memory.size(); at += size)
        offer([&](MachineCase& c) {
          const auto begin = c.memory.begin() + static_cast<std::ptrdiff_t>(at);
          c.memory.erase(begin,
                         begin + static_cast<std::ptrdiff_t>(std::min(size, memory.size() - at)));
        });
    if (!launch_.parameters.empty()) offer([](MachineCase& c) { c.parameters.pop_back(); });
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
      offer([&](MachineCase& c) { c.parameters[i] = 0; });
      offer([&](MachineCase& c) { c.parameters[i] /= 2; });
    }
    for (std::size_t i = 0; i < memory.size(); ++i)
      offer([&](MachineCase& c) { c.memory[i].value /= 2; });
  }

  void terminators(std::size_t b) {
    const auto offerHeader = [&](Header h) {
      offer([&](MachineCase& c) {
        c.program.blocks[b].header = h;
        setFlags(c.program.blocks[b]);
      });
    };
    const Header& h = launch_.program.blocks[b].header;
    if (h.kind != Terminator::Exit) offerHeader({.kind = Terminator::Exit});
    if (hasTarget(h) && h.kind != Terminator::Jump) offerHeader(jump(h.target));
    if (h.kind == Terminator::Branch) offerHeader(jump(h.other));
  }

  void slots(std::size_t b, int i) {
    const Slot& slot = launch_.program.blocks[b].slots[i];
    if (slot == Slot{}) return;
    const auto offerSlot = [&](auto change) {
      offer([&](MachineCase& c) {
        Block& block = c.program.blocks[b];
        change(block.slots[i]);
        clearUnused(block.slots[i]);
      });
    };
    offer([&](MachineCase& c) { eraseSlot(c.program.blocks[b], i); });
    offerSlot([](Slot& s) { s.live = false; });
    offerSlot([](Slot& s) { s.plive = false; });
    offerSlot([](Slot& s) { s.guard = {}; });
    offerSlot([](Slot& s) { s.guard.negate = false; });
    offerSlot([](Slot& s) {
      s.space = isa::Space::None, s.scaled = s.base_parameter = false, s.aux = 0;
    });
    offerSlot([](Slot& s) { s.base_parameter = false, s.aux = 0; });
    offerSlot([](Slot& s) { s.aux = 0; });
    offerSlot([](Slot& s) { s.scaled = false; });
    offerSlot([](Slot& s) { s.a = Operand::zero(); });
    offerSlot([](Slot& s) { s.b = Operand::zero(); });
    offerSlot([](Slot& s) { s.c = Operand::zero(); });
    offerSlot([](Slot& s) { s.compare = isa::Compare::Eq; });
    offerSlot([](Slot& s) { s.imm = 0; });
    offerSlot([](Slot& s) { s.imm = static_cast<std::int16_t>(s.imm / 2); });
  }

  const MachineCase& launch_;
  std::vector<MachineCase> found_;
};

}  // namespace

std::vector<MachineCase> shrinks(const MachineCase& launch) { return Steps(launch).all(); }

MachineCase minimise(MachineCase launch, const std::function<bool(const MachineCase&)>& fails) {
  // A step that did not help before rarely helps after one that did: go on from there, and come
  // back to the first steps once at the end.
  bool smaller_found = true;
  while (smaller_found) {
    smaller_found = false;
    std::vector<MachineCase> smaller = shrinks(launch);
    for (std::size_t i = 0; i < smaller.size();) {
      if (!fails(smaller[i])) {
        ++i;
        continue;
      }
      launch = std::move(smaller[i]);
      smaller = shrinks(launch);
      smaller_found = true;
    }
  }
  return launch;
}

}  // namespace qgpu::isatest
