// The basic blocks of a PTX function as its text has them: cut at labels and behind branches.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ptx/ast.h"

namespace qgpu::lower {

// Instructions first .. last - 1.
struct TextBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class TextBlocks {
 public:
  explicit TextBlocks(const ptx::Function& kernel);

  int count() const { return static_cast<int>(blocks_.size()); }
  const TextBlock& block(int b) const { return blocks_[b]; }
  int blockOf(ptx::LabelId label) const { return block_at_[kernel_.labels[label].instruction]; }
  // The block that follows in the text, where control may get there; -1 at the end of the function.
  int fallThrough(int b) const { return b + 1 < count() ? b + 1 : -1; }
  // The blocks that can be reached from block 0, each after its predecessors but for loops.
  const std::vector<int>& order() const { return order_; }
  // Edges into a block, from blocks that can be reached.
  int predecessorCount(int b) const { return predecessors_[b]; }

  // Ends a block: a branch, return or trap, guarded or not.
  static bool isTerminator(const ptx::Instruction& i);

 private:
  void cut();
  std::vector<int> successors(int b) const;
  void sort();

  const ptx::Function& kernel_;
  std::vector<TextBlock> blocks_;
  std::vector<int> block_at_;  // by instruction, and one behind the last
  std::vector<int> order_;
  std::vector<int> predecessors_;
};

}  // namespace qgpu::lower
