#include "interpreter/testing/generate_layout.h"

#include <algorithm>

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::isatest {
namespace {

constexpr int kMaxDepth = 2;

class LayoutMaker {
 public:
  explicit LayoutMaker(Random& random) : random_(random) {}

  Layout make(int blocks) {
    layout_.blocks.resize(static_cast<std::size_t>(blocks));
    fill(0, blocks - 1, {});
    return std::move(layout_);
  }

 private:
  // Blocks first .. last, which stand in the loops of `path`.
  void fill(int first, int last, const std::vector<int>& path) {
    for (int b = first; b <= last; ++b) {
      layout_.blocks[b].loops = path;
      if (b == last || path.size() == kMaxDepth || !random_.chance(40)) continue;
      b = addLoop(b, std::min(last, b + random_.between(1, 4)), path);
    }
  }

  // A loop after `before`; returns its last block.
  int addLoop(int before, int latch, std::vector<int> path) {
    const int number = static_cast<int>(layout_.loops.size());
    const int counter = kMachine.registers - 1 - static_cast<int>(path.size());
    layout_.loops.push_back({before + 1, latch, counter});
    layout_.blocks[before].enters = number;
    path.push_back(number);
    fill(before + 1, latch - 1, path);
    layout_.blocks[latch].loops = path;
    layout_.blocks[latch].closes = number;
    return latch;
  }

  Random& random_;
  Layout layout_;
};

bool startsWith(const std::vector<int>& path, const std::vector<int>& prefix) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

}  // namespace

std::vector<int> Layout::targets(int block) const {
  std::vector<int> found;
  const BlockPlan& plan = blocks[block];
  if (plan.enters >= 0) found.push_back(loops[plan.enters].head);
  for (int t = block + 1; t < static_cast<int>(blocks.size()); ++t)
    if (startsWith(plan.loops, blocks[t].loops)) found.push_back(t);
  return found;
}

Layout randomLayout(Random& random) {
  const int size = random.below(100);
  const int blocks = size < 8    ? 1
                     : size < 45 ? random.between(2, 6)
                     : size < 88 ? random.between(6, 15)
                                 : random.between(16, kMachine.blocks);
  return LayoutMaker(random).make(blocks);
}

}  // namespace qgpu::isatest
