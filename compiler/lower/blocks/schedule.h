// The operations of a basic block as machine blocks: few of them, and few values from one to the
// next.
//
// A beam search. States grow by one unit at a time, into the open machine block or a new one; the
// best few survive each step. A value that a later machine block reads costs the tokens that carry
// it, one for each lane or one for all; where it can be made again cheaply, that is the
// alternative.
#pragma once

#include <vector>

#include "compiler/lower/blocks/units.h"
#include "interpreter/isa/machine_parameters.h"

namespace qgpu::lower {

// What a schedule is measured by, in tokens of one warp.
struct Costs {
  int block = 4;    // an EXEC; more than one token, for the program store is small
  int value = 4;    // a VAL for each lane
  int uniform = 1;  // a VAL for all lanes
  int flag = 1;     // a PRED
  int excess = 40;  // a value more than there are registers
};

struct ScheduleOptions {
  Costs costs;
  int beam = 12;
  bool rematerialise = true;
  int registers = kMachine.registers - 1;  // that values may take
};

// Operations by position in the body, each machine block's in the order of its slots. A position
// may stand in several blocks: made again.
using Schedule = std::vector<std::vector<int>>;

// What the search asks about the values of the block.
struct ValueCosts {
  std::vector<int> word, flag;         // by position: tokens to carry the result on; 0 if it leaves
                                       // the basic block anyway
  std::vector<bool> rematerialisable;  // by position
  std::vector<bool> word_leaves, flag_leaves;  // by position: needed behind the basic block

  // A value from before the basic block.
  struct Incoming {
    Port port = Port::Word;
    bool leaves = false;       // needed behind the basic block too
    std::vector<int> readers;  // positions
  };
  std::vector<Incoming> incoming;
};

Schedule schedule(const Function& f, int block, const Units& units, const ValueCosts& values,
                  const ScheduleOptions& options);

}  // namespace qgpu::lower
