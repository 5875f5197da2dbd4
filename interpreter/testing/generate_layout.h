// Where the blocks of a random program stand and how control may flow between them: the part of
// generate.h that makes every program end.
#pragma once

#include <vector>

#include "interpreter/testing/random.h"

namespace qgpu::isatest {

struct Loop {
  int head = 0, latch = 0;  // its first and its last block
  int counter = 0;          // the register it counts down
};

struct BlockPlan {
  std::vector<int> loops;  // that the block stands in, outermost first
  int enters = -1;         // the loop that this block leads into and sets the counter of
  int closes = -1;         // the loop whose last block this is
};

struct Layout {
  std::vector<Loop> loops;
  std::vector<BlockPlan> blocks;

  // Later blocks that `block` may go to; for a block before a loop, its head is the first.
  std::vector<int> targets(int block) const;
};

Layout randomLayout(Random& random);

}  // namespace qgpu::isatest
