// The optimisations of the lowering. Each can be switched off; with all of them off the program is
// longer and computes the same, and so is it with fewer registers.
#pragma once

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::lower {

struct Options {
  bool simplify = true;       // common values, and what follows from them
  bool thread_jumps = true;   // past tests that the way decides
  bool if_convert = true;     // short branches as guarded instructions
  bool guard_exits = true;    // loop variables that keep their old value on the way out
  bool combine = true;        // two instructions as one: multiply and add, compare and subtract
  bool fuse_memory = true;    // a memory word as an operand
  bool forward = true;        // results of a block used within it
  bool rematerialise = true;  // cheap values computed again where they are needed
  bool spill = true;          // registers into spare memory words

  // That a thread's values may take, from 1 to the machine's 15. Few of them force spilling.
  int registers = kMachine.registers - 1;

  static constexpr Options none() {
    return {false, false, false, false, false, false, false, false, false};
  }
};

}  // namespace qgpu::lower
