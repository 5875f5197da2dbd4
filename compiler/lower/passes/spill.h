// Values that no register is left for.
//
// A word goes to a memory word of its thread, in what the arrays leave free: it is stored where it
// is made and loaded where it is read. A predicate goes to a word that is 1 or 0, and is compared
// out of it again. A word that costs one instruction to make is made again instead.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/lower/ir/ir.h"
#include "compiler/lower/placement.h"

namespace qgpu::lower {

// The memory that spilled words may use: for each of them one word for every thread of a thread
// block.
class SpillMemory {
 public:
  SpillMemory(const Placement& placement, std::uint32_t threads);

  // The next word's place for thread Tid; nothing when no memory is left.
  std::optional<MemoryOperand> take();
  int words() const { return words_; }

 private:
  std::uint32_t free_global_, free_shared_, threads_;
  int first_object_, words_ = 0;
};

// `web` is all values that share the register; copies of others' values into it are among them.
// Returns the number of loads and stores added.
int spillWords(Function& f, const std::vector<Id>& web, const MemoryOperand& place);
// Whether the web is one value that can be made where it is read.
bool isRematerialisable(const Function& f, const std::vector<Id>& web);
void rematerialise(Function& f, Id value);
void demoteFlags(Function& f, const std::vector<Id>& web);

}  // namespace qgpu::lower
