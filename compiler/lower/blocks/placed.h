// A function cut into machine blocks, before registers: what is left to do is naming.
#pragma once

#include <vector>

#include "compiler/lower/blocks/schedule.h"
#include "compiler/lower/blocks/webs.h"
#include "compiler/lower/ir/flow.h"

namespace qgpu::lower {

struct PlacedBlock {
  int home = 0;           // the basic block it is a part of
  std::vector<Id> slots;  // at most four; a division takes the block, whatever their number
  bool last = false;      // of its basic block: it ends with that block's terminator
  bool divides = false;
};

struct Placed {
  std::vector<PlacedBlock> blocks;  // in the order of the layout, parts of a basic block together
  std::vector<int> first;           // by basic block: its first machine block; -1 where it has none
  std::vector<int> depth;           // by basic block: loops around it

  // The blocks that may run next, within the basic block and behind it.
  std::vector<int> successors(const Function& f, int block) const;
};

// How a basic block ends once empty blocks on the way are left out: a jump to one that only ends,
// or traps, is that itself.
struct End {
  enum class Kind { Jump, Branch, ExitIf, Exit, Barrier, Trap };
  Kind kind = Kind::Exit;
  Predicate condition;  // of Branch and ExitIf
  int target = -1;      // basic blocks
  int other = -1;
};
End endOf(const Function& f, int b);

// Schedules every basic block. May insert copies (see Units).
Placed placeBlocks(Function& f, Webs& words, Webs& flags, bool forward,
                   const ScheduleOptions& options);

// A lower bound on the machine blocks of the function, cheap to know.
int fewestBlocks(const Function& f);

}  // namespace qgpu::lower
