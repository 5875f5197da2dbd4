// Lanes of a warp have to be together at shuffles, votes and barriers of the warp.
//
// Of lanes that part the lowest block runs first. So when a block of a loop runs, all that come by
// it in this round are there, provided that no lane is in the next round yet: where only the loop's
// last block leads back, and its lanes do not take turns at a memory word. Any other loop with an
// exchange gets such a block, an empty one through which all its ways back lead.
#include <algorithm>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

class Gatherer {
 public:
  explicit Gatherer(Function& f) : f_(f) {}

  void run() {
    for (const std::vector<int>& loop : layOut(f_).loops)
      if (std::ranges::any_of(loop, [&](int b) { return exchanges(b); })) close(loop);
    while (relaxOne()) mergeBlocks(f_);
  }

 private:
  bool any(int b, bool (*is)(const Instruction&)) const {
    return std::ranges::any_of(f_.blocks[b].body, [&](Id id) { return is(f_[id]); });
  }
  bool gathers(int b) const { return f_.blocks[b].terminator == Terminator::Gather; }
  bool exchanges(int b) const { return gathers(b) || any(b, isConvergent); }

  // ---- Ways back ----

  void close(const std::vector<int>& loop) {
    const std::vector<int> back = waysBack(f_, loop);
    if (back.size() > 1 || any(back.front(), takesTurns)) joinWaysBack(f_, loop);
  }

  // ---- Barriers of the warp and fences without which nothing changes ----

  bool relaxOne() {
    const Layout layout = layOut(f_);
    for (const int b : layout.order) {
      if (!gathers(b) && f_.blocks[b].terminator != Terminator::Fence) continue;
      const int next = f_.blocks[b].target;
      const bool ends_loop = layout.position[next] <= layout.position[b];
      if (hasOneWayIn(next) ? haveToBeApart(b, next)
                            : !isEmpty(b) || leadsAround(b, next) || (ends_loop && lanesWait(b)))
        continue;
      f_.blocks[b].terminator = Terminator::Jump;
      return true;
    }
    return false;
  }

  // Then the two blocks become one.
  bool hasOneWayIn(int next) const { return f_.blocks[next].predecessors.size() == 1; }
  // Some lanes have a way past `b`: without it what stands before and behind would become one.
  bool leadsAround(int b, int next) const {
    const std::vector<int>& ways = f_.blocks[next].predecessors;
    return std::ranges::any_of(f_.blocks[b].predecessors,
                               [&](int p) { return std::ranges::find(ways, p) != ways.end(); });
  }
  bool isEmpty(int b) const { return f_.blocks[b].body.empty() && f_.blocks[b].phis.empty(); }
  // What one lane writes and another reads stays on its side.
  bool haveToBeApart(int b, int next) const {
    const auto uses = [](const Instruction& i) { return i.hasMemory(); };
    return (any(b, writesMemory) && any(next, uses)) || (any(b, uses) && any(next, writesMemory));
  }
  // Lanes come here one after another, as far as one can tell.
  bool lanesWait(int b) const {
    const std::vector<int>& before = f_.blocks[b].predecessors;
    return before.size() > 1 || any(before.front(), takesTurns) || isAwaited(b);
  }

  // See awaitOthers.
  bool isAwaited(int b) const {
    return std::ranges::any_of(f_.blocks, [&](const BasicBlock& block) {
      return std::ranges::find(block.precedes, b) != block.precedes.end();
    });
  }

  Function& f_;
};

}  // namespace

void gather(Function& f) { Gatherer(f).run(); }

}  // namespace qgpu::lower
