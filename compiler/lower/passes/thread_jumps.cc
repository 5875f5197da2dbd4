// Jumps past a test that their way decides, by what a phi takes on it or by a branch that it took
// before.
//
//   P: ...            jump J           P: ...  jump T
//   J: s = phi 3, ... branch s == 3    =>
//
// Compilers leave such state variables behind where a loop has several ways out.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/fold.h"
#include "compiler/lower/ir/repair.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

constexpr std::size_t kMostOperations = 6;  // in a test that is jumped past
constexpr int kMostThreads = 200;

class JumpThreader {
 public:
  explicit JumpThreader(Function& f) : f_(f) {}

  void run() {
    for (int n = 0; n < kMostThreads && threadOne(); ++n) removeUnreachable(f_);
  }

 private:
  bool threadOne() {
    const Dominators dominators(f_);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const int test = static_cast<int>(b);
      if (!isTest(test)) continue;
      for (std::size_t edge = 0; edge < f_.blocks[b].predecessors.size(); ++edge)
        if (thread(test, edge, dominators)) return true;
    }
    return false;
  }

  bool isTest(int b) const {
    const BasicBlock& block = f_.blocks[b];
    if (!block.conditional() || block.condition.isConstant()) return false;
    return block.body.size() <= kMostOperations &&
           std::all_of(block.body.begin(), block.body.end(), [&](Id id) {
             return isPure(f_[id]) && f_[id].row().unit != isa::Unit::Divider;
           });
  }

  // What the values of the test are for those that come by one edge.
  struct Known {
    std::map<Id, Id> words;
    std::map<Id, Predicate> flags;
  };

  Known evaluate(int test, std::size_t edge, const Dominators& dominators) {
    const Known before = assumed(f_.blocks[test].predecessors[edge], dominators);
    Known known = before;
    for (const Id phi : f_.blocks[test].phis) {
      const Predicate input = f_[phi].inputs[edge];
      if (f_[phi].kind == Kind::Phi)
        known.words[phi] = input.id;
      else
        known.flags[phi] = mapped(input, false, before);
    }
    for (const Id id : f_.blocks[test].body) {
      Instruction i = f_[id];
      for (Id* operand : wordOperands(i)) *operand = mapped({*operand}, true, known).id;
      for (Predicate* p : flagOperands(i)) *p = mapped(*p, false, known);
      known.flags.erase(id);  // a loop may have come by before
      if (const auto value = foldConstants(f_, i)) {
        known.words[id] = value->word;
        known.flags[id] = value->flag;
      }
    }
    return known;
  }

  // The conditions that every way to `b` has passed.
  Known assumed(int b, const Dominators& dominators) const {
    Known known;
    for (int at = b; at > 0; at = dominators.immediate(at)) {
      const BasicBlock& block = f_.blocks[at];
      if (block.predecessors.size() != 1) continue;
      const BasicBlock& before = f_.blocks[block.predecessors.front()];
      if (!before.conditional() || before.condition.isConstant()) continue;
      const bool holds = (before.target == at) != before.condition.negate;
      known.flags.try_emplace(before.condition.id,
                              holds ? Predicate::always() : Predicate::never());
    }
    return known;
  }

  bool thread(int test, std::size_t edge, const Dominators& dominators) {
    const int from = f_.blocks[test].predecessors[edge];
    if (from == test) return false;
    const Known known = evaluate(test, edge, dominators);
    const Predicate condition = f_.blocks[test].condition;
    const auto decided = known.flags.find(condition.id);
    if (decided == known.flags.end() || !decided->second.isConstant()) return false;
    const bool holds = decided->second.isAlways() != condition.negate;
    const int target = holds ? f_.blocks[test].target : f_.blocks[test].other;
    if (target == test || !isSound(test, from, target, dominators)) return false;
    if (!outsideIsKnown(test, known)) return false;
    redirect(test, edge, from, target, known);
    return true;
  }

  // No loop gets a second way in.
  bool isSound(int test, int from, int target, const Dominators& dominators) const {
    const auto& predecessors = f_.blocks[test].predecessors;
    const bool heads_loop = std::any_of(predecessors.begin(), predecessors.end(),
                                        [&](int p) { return dominators.dominates(test, p); });
    if (!heads_loop) return true;
    if (!dominators.dominates(test, from)) return false;
    return dominators.dominates(target, from) || !reaches(target, from);
  }
  bool reaches(int from, int to) const {
    std::vector<bool> seen(f_.blocks.size(), false);
    std::vector<int> work = {from};
    while (!work.empty()) {
      const int b = work.back();
      work.pop_back();
      if (b == to) return true;
      if (seen[b]) continue;
      seen[b] = true;
      for (const int next : f_.blocks[b].successors()) work.push_back(next);
    }
    return false;
  }

  // Results of the test that are read elsewhere must be known on the way past it.
  bool outsideIsKnown(int test, const Known& known) const {
    for (const Id id : f_.blocks[test].body) {
      if (readOutside(test, id, Port::Word) && known.words.count(id) == 0) return false;
      if (readOutside(test, id, Port::Flag) && known.flags.count(id) == 0) return false;
    }
    return true;
  }

  bool readOutside(int test, Id value, Port port) const {
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const BasicBlock& block = f_.blocks[b];
      for (const Id phi : block.phis)
        if (isPhiOf(f_[phi], port))
          for (const Predicate& p : f_[phi].inputs)
            if (p.id == value) return true;
      if (static_cast<int>(b) == test) continue;
      for (const Id id : block.body) {
        bool read = false;
        eachRead(f_, f_[id], port, [&](Id operand) { read |= operand == value; });
        if (read) return true;
      }
      if (port == Port::Flag && block.conditional() && block.condition.id == value) return true;
    }
    return false;
  }

  void redirect(int test, std::size_t edge, int from, int target, const Known& known) {
    const int way = f_.blocks[from].conditional() ? split(test, edge, from) : from;
    std::vector<Predicate> inputs;
    for (const Predicate& p : edgeInputs(f_, test, target)) inputs.push_back(p);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
      const bool is_word = f_[f_.blocks[target].phis[n]].kind == Kind::Phi;
      inputs[n] = mapped(inputs[n], is_word, known);
    }
    redirectEdge(f_, way, test, target, inputs);
    const std::vector<Id> phis = f_.blocks[test].phis, body = f_.blocks[test].body;
    for (const auto* list : {&phis, &body})
      for (const Id id : *list) repairValue(id, test, way, known);
  }

  static Predicate mapped(Predicate p, bool is_word, const Known& known) {
    if (is_word) {
      const auto at = known.words.find(p.id);
      return at == known.words.end() ? p : Predicate{at->second};
    }
    const auto at = known.flags.find(p.id);
    if (p.isConstant() || at == known.flags.end()) return p;
    return {at->second.id, at->second.negate != p.negate};
  }

  void repairValue(Id id, int test, int way, const Known& known) {
    if (const auto at = known.words.find(id); at != known.words.end() && at->second != kNone)
      if (readOutside(test, id, Port::Word))
        repair(f_, id, Port::Word, test, {{test, {id}}, {way, {at->second}}});
    if (const auto at = known.flags.find(id); at != known.flags.end())
      if (readOutside(test, id, Port::Flag))
        repair(f_, id, Port::Flag, test, {{test, {id}}, {way, at->second}});
  }

  // An empty block on the edge.
  int split(int test, std::size_t edge, int from) {
    const int way = f_.newBlock();
    BasicBlock& fresh = f_.blocks[way];
    fresh.terminator = Terminator::Jump;
    fresh.target = test;
    fresh.origin = f_.blocks[from].origin;
    fresh.predecessors = {from};
    BasicBlock& source = f_.blocks[from];
    (source.target == test ? source.target : source.other) = way;
    f_.blocks[test].predecessors[edge] = way;
    return way;
  }

  Function& f_;
};

}  // namespace

void threadJumps(Function& f) { JumpThreader(f).run(); }

}  // namespace qgpu::lower
