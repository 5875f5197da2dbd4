// One random slot after another of a block, each valid after those before it.
#pragma once

#include <vector>

#include "interpreter/isa/instruction.h"
#include "interpreter/isa/table.h"
#include "interpreter/testing/machine_case.h"
#include "interpreter/testing/random.h"

namespace qgpu::isatest {

class SlotMaker {
 public:
  SlotMaker(Random& random, const MachineCase& launch) : random_(random), launch_(launch) {}

  // In a replay block only replayWrite() writes memory, and lanes do not talk.
  void setReplay(bool replay) { replay_ = replay; }

  isa::Slot any();
  isa::Slot replayWrite();
  isa::Slot comparison();
  isa::Slot division();
  isa::Slot taking(isa::Opcode quotient_or_remainder);
  // Registers, results, specials, parameters: no immediate.
  isa::Operand anyWord();
  // A predicate to end the block on.
  isa::Condition condition();

  // Puts the slot into the block: the next may read it.
  void place(const isa::Slot& slot);

 private:
  // What is known of a slot's result: at most `bound`, a multiple of `step`.
  struct Index {
    isa::Operand operand;
    std::uint32_t bound = 0, step = 1;
  };

  isa::Opcode someOpcode();
  isa::Slot make(isa::Opcode op);
  isa::Slot smallMask();
  isa::Operand word(bool with_immediate);
  std::int16_t someImmediate(const isa::Row& row);
  isa::Special someSpecial();
  int someRegister();
  isa::Guard somePredicate();
  void chooseGuard(isa::Slot& s, const isa::Row& row);
  void chooseOperands(isa::Slot& s, const isa::Row& row);
  void chooseAddress(isa::Slot& s, const isa::Row& row);
  void chooseBase(isa::Slot& s, const isa::Row& row, std::uint32_t reach);
  Index someIndex();
  void chooseComparison(isa::Slot& s, const isa::Row& row);
  void chooseDestinations(isa::Slot& s, const isa::Row& row);

  Random& random_;
  const MachineCase& launch_;
  bool replay_ = false;
  int next_ = 0;       // the slot to be made
  int parameter_ = 0;  // the one that it may read
  isa::Space written_ = isa::Space::None;
  std::vector<int> results_, predicates_;  // slots that have one
  std::vector<Index> indices_;             // results that make good addresses
  unsigned live_registers_ = 0, live_predicates_ = 0;
};

}  // namespace qgpu::isatest
