// Loops that wait for another lane: spin locks and flags.
//
// Of lanes that part the lowest block runs first, so a loop that waits would keep the lanes it
// waits for from running. Where they write what it looks at, be it behind the loop, as who holds a
// lock lets go of it, or on another way, the loop's way back is laid behind that: the others go on
// first.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

// The address of an access: the same one has the same words.
struct Watched {
  MemoryOperand memory;
  Id index = kNone;

  friend bool operator==(const Watched&, const Watched&) = default;
};

// Where nothing is simplified, phis of one value are still there.
Id behindPhis(const Function& f, Id id) {
  constexpr int kMost = 8;
  for (int n = 0; n < kMost && id != kNone && f[id].kind == Kind::Phi; ++n) {
    const auto only = onlyInput(f, id);
    if (!only) break;
    id = only->id;
  }
  return id;
}

Watched watched(const Function& f, const Instruction& i) {
  Watched w{i.memory, behindPhis(f, i.b)};
  w.memory.is_volatile = false;
  if (!f.isConstant(w.index) || w.memory.scaled) return w;
  w.memory.offset += static_cast<std::int32_t>(f[w.index].immediate);
  w.memory.object = std::max(w.memory.object, f[w.index].memory.object);
  w.index = kNone;
  return w;
}

class Waiter {
 public:
  explicit Waiter(Function& f) : f_(f) {}

  void run() {
    for (const std::vector<int>& loop : layOut(f_).loops)
      if (const std::vector<Watched> words = watchedBy(loop); !words.empty()) await(loop, words);
  }

 private:
  // What a loop looks at again and again to know where to go.
  std::vector<Watched> watchedBy(const std::vector<int>& loop) const {
    std::vector<Watched> found;
    std::vector<Id> conditions;
    for (const int b : loop) conditions.push_back(f_.blocks[b].condition.id);
    const std::vector<bool> decides = whatMakes(f_, conditions);
    for (const int b : loop)
      for (const Id id : f_.blocks[b].body)
        if (decides[id] && (isAtomic(f_[id]) || f_[id].memory.is_volatile))
          found.push_back(watched(f_, f_[id]));
    return found;
  }

  void await(const std::vector<int>& loop, const std::vector<Watched>& words) {
    const Layout layout = layOut(f_);
    const Dominators dominators(f_);
    const std::vector<bool> behind = reached(loop, &layout), anywhere = reached(loop, nullptr);
    const auto mayFollow = [&](int b) {
      const bool others_go_there = !anywhere[b] && !dominators.dominates(b, loop.front());
      return behind[b] || others_go_there;
    };
    std::vector<int> writers;
    for (const int b : layout.order)
      if (std::ranges::find(loop, b) == loop.end() && mayFollow(b) && writes(b, words))
        writers.push_back(b);
    if (writers.empty() || lanesMeetBefore(writers, behind)) return;
    const int last = joinWaysBack(f_, loop);
    for (const int b : writers) f_.blocks[b].precedes.push_back(last);
  }

  bool writes(int b, const std::vector<Watched>& words) const {
    return std::ranges::any_of(f_.blocks[b].body, [&](Id id) {
      const Instruction& i = f_[id];
      return writesMemory(i) && !i.is(isa::Opcode::AtomCas) &&
             std::ranges::find(words, watched(f_, i)) != words.end();
    });
  }

  // The blocks that lanes come to behind the loop; with a layout as far as they need not wait for
  // others of the thread block, and in the same round of a loop around it.
  std::vector<bool> reached(const std::vector<int>& loop, const Layout* layout) const {
    std::vector<bool> found(f_.blocks.size(), false);
    std::vector<int> work = loop;
    while (!work.empty()) {
      const int b = work.back();
      work.pop_back();
      if (layout && f_.blocks[b].terminator == Terminator::Barrier) continue;
      for (const int next : f_.blocks[b].successors()) {
        if (found[next] || std::ranges::find(loop, next) != loop.end()) continue;
        if (layout && layout->position[next] <= layout->position[b]) continue;
        found[next] = true;
        work.push_back(next);
      }
    }
    return found;
  }

  // Whether lanes exchange something on the way to a writer: there they must not come one by one.
  bool lanesMeetBefore(const std::vector<int>& writers, const std::vector<bool>& behind) const {
    std::vector<bool> found(f_.blocks.size(), false);
    std::vector<int> work;
    const auto add = [&](int b) {
      if (!behind[b] || found[b]) return;
      found[b] = true;
      work.push_back(b);
    };
    for (const int b : writers) add(b);
    while (!work.empty()) {
      const BasicBlock& block = f_.blocks[work.back()];
      work.pop_back();
      if (std::ranges::any_of(block.body, [&](Id id) { return isConvergent(f_[id]); })) return true;
      for (const int p : block.predecessors) {
        if (behind[p] && f_.blocks[p].terminator == Terminator::Gather) return true;
        add(p);
      }
    }
    return false;
  }

  Function& f_;
};

}  // namespace

void awaitOthers(Function& f) { Waiter(f).run(); }

}  // namespace qgpu::lower
