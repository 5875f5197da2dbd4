#include "interpreter/testing/generate_block.h"

#include <algorithm>

#include "interpreter/testing/generate_slot.h"

namespace qgpu::isatest {
namespace {

using isa::Block;
using isa::Condition;
using isa::Header;
using isa::Opcode;
using isa::Operand;
using isa::Slot;
using isa::Terminator;

class BlockMaker {
 public:
  BlockMaker(Random& random, const Layout& layout, int number, const MachineCase& launch)
      : random_(random),
        layout_(layout),
        plan_(layout.blocks[number]),
        number_(number),
        slots_(random, launch),
        counter_slot_(random.below(kMachine.slots)) {}

  Block make() {
    endBlock();
    const bool bound = plan_.enters >= 0 || plan_.closes >= 0;
    if (!bound && random_.chance(8))
      fillDivision();
    else
      fillSlots();
    if (conditional() && plan_.closes < 0) block_.header.condition = slots_.condition();
    return block_;
  }

 private:
  bool conditional() const {
    return block_.header.kind == Terminator::Branch || block_.header.kind == Terminator::ExitIf;
  }

  void fillDivision() {
    block_.header.divide = true;
    block_.slots[0] = slots_.division();
    slots_.place(block_.slots[0]);
    slots_.place({});
    for (const auto& [slot, op] : {std::pair{2, Opcode::Quo}, std::pair{3, Opcode::Rem}}) {
      if (random_.chance(85)) block_.slots[slot] = slots_.taking(op);
      slots_.place(block_.slots[slot]);
    }
  }

  void fillSlots() {
    const bool replay = number_ != 0 && random_.chance(20);
    const bool compares = random_.chance(conditional() ? 75 : 10);
    const int used = random_.chance(5) ? 0 : random_.between(1, kMachine.slots);
    const int write = (counter_slot_ + random_.between(1, kMachine.slots - 1)) % kMachine.slots;
    slots_.setReplay(replay);
    block_.header.replay = replay;
    for (int i = 0; i < kMachine.slots; ++i) {
      Slot& slot = block_.slots[i];
      if (i == counter_slot_ && plan_.enters >= 0)
        slot = setCounter(layout_.loops[plan_.enters].counter);
      else if (i == counter_slot_ && plan_.closes >= 0)
        slot = countDown(layout_.loops[plan_.closes].counter);
      else if (replay && i == write)
        slot = slots_.replayWrite();
      else if (i + 1 == kMachine.slots && compares)
        slot = slots_.comparison();
      else if (i < used)
        slot = slots_.any();
      slots_.place(slot);
    }
  }

  // 0 to 3 rounds more than one, for each thread its own or for all the same.
  Slot setCounter(int counter) {
    Slot s;
    s.op = random_.chance(50) ? Opcode::And : Opcode::Mov;
    if (s.op == Opcode::And) s.a = slots_.anyWord();
    s.b = Operand::immediate();
    s.imm = static_cast<std::int16_t>(random_.between(1, 3));
    s.rd = static_cast<std::uint8_t>(counter);
    s.live = true;
    return s;
  }
  // The predicate says that there is a further round.
  Slot countDown(int counter) {
    Slot s;
    s.op = Opcode::Sub;
    s.a = Operand::reg(counter);
    s.b = Operand::immediate();
    s.imm = 1;
    s.compare = isa::Compare::Geu;
    s.rd = static_cast<std::uint8_t>(counter);
    s.live = true;
    return s;
  }

  void endBlock() {
    const std::vector<int> targets = layout_.targets(number_);
    Header& h = block_.header;
    if (plan_.closes >= 0) return closeLoop(targets);
    if (targets.empty()) {
      h.kind = random_.chance(3) ? Terminator::Trap : Terminator::Exit;
      return;
    }
    h.target = someTarget(targets);
    const int choice = random_.below(100);
    if (choice < 50) {
      h.kind = Terminator::Branch;
      h.other = someTarget(targets);
      if (h.other == h.target) h.other = static_cast<std::uint8_t>(targets.back());
    } else if (choice < 73 || plan_.enters >= 0) {
      h.kind = Terminator::Jump;
    } else if (choice < 88) {
      h.kind = Terminator::Barrier;
    } else if (choice < 97) {
      h.kind = Terminator::ExitIf;
    } else {
      h.kind = random_.chance(75) ? Terminator::Exit : Terminator::Trap;
      h.target = 0;
    }
  }

  void closeLoop(const std::vector<int>& targets) {
    Header& h = block_.header;
    const auto head = static_cast<std::uint8_t>(layout_.loops[plan_.closes].head);
    const bool swapped = random_.chance(50);
    h.condition = Condition::slot(counter_slot_, swapped);
    if (targets.empty() || random_.chance(10)) {
      h.kind = Terminator::ExitIf;
      h.condition.negate = true;
      h.target = head;
      return;
    }
    h.kind = Terminator::Branch;
    h.target = swapped ? someTarget(targets) : head;
    h.other = swapped ? head : someTarget(targets);
  }

  // The next one more often than not.
  std::uint8_t someTarget(const std::vector<int>& targets) {
    const int last = static_cast<int>(targets.size()) - 1;
    const int chosen = random_.chance(60) ? 0 : random_.between(0, std::min(last, 3));
    return static_cast<std::uint8_t>(targets[chosen]);
  }

  Random& random_;
  const Layout& layout_;
  const BlockPlan& plan_;
  int number_;
  SlotMaker slots_;
  int counter_slot_;  // where a loop's counter is set or counted down
  Block block_;
};

}  // namespace

Block randomBlock(Random& random, const Layout& layout, int number, const MachineCase& launch) {
  return BlockMaker(random, layout, number, launch).make();
}

}  // namespace qgpu::isatest
