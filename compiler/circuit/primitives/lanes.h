// Traffic between the lanes of a warp: shuffles and votes.
#pragma once

#include <vector>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// Which lane a lane reads, as in PTX's shfl.sync. With `clamp` and `segment` two-bit numbers,
//   first = lane & segment,  last = first | (clamp & ~segment)
//   indexed  source = first | (b & ~segment)    in range where source <= last
//   up       source = lane - b                  in range where source >= last
//   down     source = lane + b                  in range where source <= last
//   flip     source = lane ^ b                  in range where source <= last
// and b has five bits. A lane out of range reads itself.
struct ShuffleOperation {
  Wire active;  // one of the four
  Wire indexed, up, down, flip;
  std::span<const Wire> clamp, segment;  // two wires each; may hold anything while idle
};

struct ShuffleTarget {
  Wire source, last;  // numbers, before the comparison
};
struct ShuffleChoice {
  Bus source;  // 4: one-hot where the source is a lane at all
  Wire in_range;
};

// First layer, for one lane. Second layer; in_range is PTX's predicate.
ShuffleTarget aimShuffle(Net& net, const ShuffleOperation& op, int lane, std::span<const Wire> b);
ShuffleChoice chooseSource(Net& net, const ShuffleOperation& op, const ShuffleTarget& target);
// Third layer: out[i] += bit i of the word that `lane` reads. The words of all four lanes.
void addShuffled(Net& net, const ShuffleOperation& op, const ShuffleChoice& choice, int lane,
                 const std::vector<Bus>& words, const Bus& out);

// One layer. `mask` tells which lanes run, `holding` those of them whose input holds; both have a
// wire for each lane. out += 1 where ...
void addAny(Net& net, const Gate& when, const Bus& holding, Wire out);                   // some
void addAll(Net& net, const Gate& when, const Bus& mask, const Bus& holding, Wire out);  // every
// ... all hold or none does.
void addUnanimous(Net& net, const Gate& when, const Bus& mask, const Bus& holding, Wire out);

}  // namespace qgpu::circuit
