// The rows that say what a block owes, and where the current token stands among it.
#pragma once

#include "compiler/circuit/machine/results.h"

namespace qgpu::circuit::machine {

inline constexpr int kValues = kMachine.slots * kMachine.lanes;  // items 0-15: slot * 4 + lane
inline constexpr int kFirstPredicate = kValues;                  // 16-19: slot
inline constexpr int kFirstMemory = kFirstPredicate + kMachine.slots;  // 20-23: lane
inline constexpr int kItems = kFirstMemory + kMachine.lanes;
inline constexpr int kWords = kValues + kMachine.lanes;  // items that are words: VAL, then MEM

// The item of a word: VALs first, then MEMs.
constexpr int itemOfWord(int word) { return word < kValues ? word : word - kValues + kFirstMemory; }

struct Items {
  // As the last EXEC left them.
  Bus owed;                                    // 24: the item is due
  std::array<Bus, kMachine.slots> rd, pd;      // 4 and 2 bits
  Bus live, plive;                             // a bit for each slot
  LaneBus address;                             // of the MEM items
  std::array<Bus, kMachine.slots> predicates;  // the bits of the PRED items

  // The current token.
  Bus here;        // 20: it is (a part of) this word
  Bus next;        // 24, one-hot: the item that comes after it; after EXEC, the first
  Wire none_left;  // no item comes after it
};

Items buildItems(Net& net, const Inputs& in, const Front& front, const Results& results, int first);

}  // namespace qgpu::circuit::machine
