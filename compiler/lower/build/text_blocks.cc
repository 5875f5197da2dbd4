#include "compiler/lower/build/text_blocks.h"

#include <algorithm>

namespace qgpu::lower {

using ptx::Opcode;

bool TextBlocks::isTerminator(const ptx::Instruction& i) {
  switch (i.opcode) {
    case Opcode::Bra:
    case Opcode::Brx:
    case Opcode::Ret:
    case Opcode::Exit:
    case Opcode::Trap: return true;
    default: return false;
  }
}

TextBlocks::TextBlocks(const ptx::Function& kernel) : kernel_(kernel) {
  cut();
  sort();
}

void TextBlocks::cut() {
  const std::size_t size = kernel_.body.size();
  std::vector<bool> starts(size + 1, false);
  starts[0] = true;
  for (const ptx::LabelInfo& label : kernel_.labels) starts[label.instruction] = true;
  for (std::size_t n = 0; n < size; ++n)
    if (isTerminator(kernel_.body[n])) starts[n + 1] = true;
  block_at_.assign(size + 1, 0);
  for (std::size_t n = 0; n <= size; ++n) {
    const auto at = static_cast<std::uint32_t>(n);
    // Behind the last instruction there is a block only if a label stands there or it falls
    // through.
    if (starts[n]) blocks_.push_back({at, at});
    block_at_[n] = count() - 1;
    if (n < size) blocks_.back().last = at + 1;
  }
}

std::vector<int> TextBlocks::successors(int b) const {
  std::vector<int> next;
  const TextBlock& block = blocks_[b];
  const bool ends = block.last > block.first && isTerminator(kernel_.body[block.last - 1]);
  if (ends) {
    const ptx::Instruction& i = kernel_.body[block.last - 1];
    if (i.opcode == Opcode::Bra)
      next.push_back(blockOf(std::get<ptx::LabelRef>(i.operands[0].value).id));
    if (i.opcode == Opcode::Brx)
      for (const ptx::LabelId label :
           kernel_.tables[std::get<ptx::TableRef>(i.operands[1].value).index].labels)
        next.push_back(blockOf(label));
    if (!i.guard.present()) return next;
  }
  if (fallThrough(b) >= 0) next.push_back(fallThrough(b));
  return next;
}

void TextBlocks::sort() {
  predecessors_.assign(blocks_.size(), 0);
  std::vector<bool> seen(blocks_.size(), false);
  struct Visit {
    int block;
    std::vector<int> next;
    std::size_t done = 0;
  };
  std::vector<Visit> stack;
  const auto enter = [&](int b) {
    seen[b] = true;
    stack.push_back({b, successors(b)});
    for (const int next : stack.back().next) ++predecessors_[next];
  };
  enter(0);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.done == top.next.size()) {
      order_.push_back(top.block);
      stack.pop_back();
    } else if (const int next = top.next[top.done++]; !seen[next]) {
      enter(next);
    }
  }
  std::reverse(order_.begin(), order_.end());
}

}  // namespace qgpu::lower
