#include <algorithm>
#include <ranges>

#include "compiler/lower/ir/flow.h"

namespace qgpu::lower {
namespace {

// Tarjan's strongly connected components, from the inside of one to those within it: without its
// header a loop falls apart into the loops it contains.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Function& f) : f_(f) {
    const std::size_t n = f.blocks.size();
    level_.assign(n, -1);
    layout_.position.assign(n, 0);
    layout_.depth.assign(n, 0);
    position_.assign(n, 0);
  }

  Layout run() {
    std::vector<int> all = reversePostOrder(f_);
    for (std::size_t i = 0; i < all.size(); ++i) position_[all[i]] = static_cast<int>(i);
    place(all, 0);
    return std::move(layout_);
  }

 private:
  struct Node {
    int number = -1, low = 0;
    bool open = false;
  };

  std::vector<int> following(int b) const {
    const BasicBlock& block = f_.blocks[b];
    std::vector<int> all = block.successors();
    all.insert(all.end(), block.precedes.begin(), block.precedes.end());
    return all;
  }

  // Places the blocks of one region, in the order of its components.
  void place(const std::vector<int>& region, int depth) {
    const int level = ++levels_;
    for (const int b : region) level_[b] = level;
    std::vector<std::vector<int>> found;
    node_.assign(f_.blocks.size(), {});
    counter_ = 0;
    // Later roots first: what is found last comes first.
    for (const int b : std::views::reverse(region))
      if (node_[b].number < 0) connect(b, level, found);
    std::reverse(found.begin(), found.end());
    for (std::vector<int>& component : found) placeComponent(component, depth);
  }

  void placeComponent(std::vector<int>& component, int depth) {
    const auto earlier = [&](int a, int b) { return position_[a] < position_[b]; };
    std::sort(component.begin(), component.end(), earlier);
    const int header = component.front();
    const auto next = following(header);
    const bool loops =
        component.size() > 1 || std::find(next.begin(), next.end(), header) != next.end();
    if (loops) layout_.loops.push_back(component);
    layout_.position[header] = static_cast<int>(layout_.order.size());
    layout_.order.push_back(header);
    layout_.depth[header] = depth + (loops ? 1 : 0);
    component.erase(component.begin());
    level_[header] = 0;
    if (!component.empty()) place(component, depth + 1);
  }

  void connect(int root, int level, std::vector<std::vector<int>>& found) {
    struct Visit {
      int block;
      std::vector<int> next;
      std::size_t done = 0;
    };
    std::vector<Visit> stack;
    std::vector<int> open;
    const auto enter = [&](int b) {
      node_[b] = {counter_, counter_, true};
      ++counter_;
      open.push_back(b);
      stack.push_back({b, following(b)});
      // The last successor found comes first in the end.
      std::sort(stack.back().next.begin(), stack.back().next.end(),
                [&](int x, int y) { return position_[x] > position_[y]; });
    };
    enter(root);
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.done < top.next.size()) {
        const int next = top.next[top.done++];
        if (level_[next] != level) continue;
        if (node_[next].number < 0)
          enter(next);
        else if (node_[next].open)
          node_[top.block].low = std::min(node_[top.block].low, node_[next].number);
        continue;
      }
      const int b = top.block;
      stack.pop_back();
      if (!stack.empty())
        node_[stack.back().block].low = std::min(node_[stack.back().block].low, node_[b].low);
      if (node_[b].low == node_[b].number) close(b, open, found);
    }
  }

  void close(int root, std::vector<int>& open, std::vector<std::vector<int>>& found) {
    found.emplace_back();
    for (int b = -1; b != root;) {
      b = open.back();
      open.pop_back();
      node_[b].open = false;
      found.back().push_back(b);
    }
  }

  const Function& f_;
  Layout layout_;
  std::vector<int> position_;  // in reverse post-order
  std::vector<int> level_;     // the region a block is in
  std::vector<Node> node_;
  int levels_ = 0;
  int counter_ = 0;
};

}  // namespace

Layout layOut(const Function& f) { return LayoutBuilder(f).run(); }

}  // namespace qgpu::lower
