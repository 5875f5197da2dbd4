// The operations of a basic block as the scheduler places them: alone, or several that must share a
// machine block.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lower/blocks/dependences.h"
#include "compiler/lower/blocks/webs.h"

namespace qgpu::lower {

struct Unit {
  std::vector<int> nodes;  // positions in the body, in order
  int slots = 0;           // a division takes all four
  bool writes = false;
  isa::Space write_space = isa::Space::None;
  bool reads_global = false, reads_shared = false;
  bool replays = false;
  bool convergent = false;
  bool divides = false;

  bool reads(isa::Space space) const {
    return space == isa::Space::Shared ? reads_shared : reads_global;
  }
};

struct UnitEdge {
  int from = 0, to = 0;
  bool strict = false;
};

struct Units {
  std::vector<Unit> units;  // each after what it depends on
  std::vector<UnitEdge> edges;
  std::vector<int> unit_of;  // by position
};

// Splits webs where values that change places are too many for one block, by copies.
Units makeUnits(Function& f, int block, bool forward, Webs& words, Webs& flags);

}  // namespace qgpu::lower
