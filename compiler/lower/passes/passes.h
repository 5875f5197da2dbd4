// The passes over the intermediate representation, in the order in which they run.
#pragma once

#include "compiler/lower/ir/ir.h"
#include "compiler/lower/placement.h"

namespace qgpu::lower {

// Trivial phis, blocks and instructions without use: what building leaves behind. Never off.
void cleanUp(Function& f);
// Folds again with better operands, and gives equal values one name.
void simplify(Function& f);
// Which memory a generic access means, by following its address to where it comes from; and which
// arrays are only read.
void resolveSpaces(Function& f, const Placement& placement);
// Jumps through empty blocks, and blocks with one way in and out, become one.
void mergeBlocks(Function& f);

// Jumps past tests that the way they come by decides.
void threadJumps(Function& f);
// Loop variables whose old value is wanted behind the loop change only in lanes that go on.
void guardExits(Function& f);

struct IfConversion {
  double most_moved = 3;  // machine blocks that a way may take and still be moved
  bool eager = false;  // move what takes as many blocks either way, too: more for all lanes to run
};
void ifConvert(Function& f, const IfConversion& limits);
// Loops that wait for what other lanes write end each round behind those. Never off.
void awaitOthers(Function& f);
// Loops whose lanes exchange something end each round together; barriers of the warp that order
// nothing go. Never off.
void gather(Function& f);
// Two instructions as one: multiply and add, compare and subtract, select and what it selects.
void combine(Function& f);
// Loads as memory operands of the instructions that read them.
void fuseMemory(Function& f);

}  // namespace qgpu::lower
