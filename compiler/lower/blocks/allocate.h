// Registers for webs, by colouring the graph of webs that are alive together.
#pragma once

#include <map>
#include <vector>

#include "compiler/lower/blocks/placed.h"

namespace qgpu::lower {

// Which results leave their machine block, and what is alive behind each.
class BlockLiveness {
 public:
  BlockLiveness(const Function& f, const Placed& placed, const Webs& webs);

  // Webs that are needed behind machine block `b`.
  const std::vector<Id>& out(int b) const { return out_[b]; }
  bool isLiveOut(int b, Id web) const;
  // Webs that machine block `b` writes and somebody needs.
  const std::vector<Id>& written(int b) const { return written_[b]; }
  const std::vector<Id>& read(int b) const { return read_[b]; }

 private:
  std::vector<std::vector<Id>> out_, written_, read_;  // sorted
};

struct Colouring {
  std::map<Id, int> colour;  // by web
  std::vector<Id> failed;    // webs without one, cheapest to do without first
  int colours = 0;           // as many as are used
};

// Colours 0 .. available - 1.
Colouring colourWebs(const Placed& placed, const BlockLiveness& live, int available);

}  // namespace qgpu::lower
