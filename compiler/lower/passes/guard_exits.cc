// A loop variable whose old value is wanted where the loop is left:
//
//   B: v = ...                          B: v = ...
//      branch p to H else E       =>       w = p ? v : phi
//   H: phi takes v; E reads phi            branch p to H else E;  H: phi takes w; E reads w
//
// w can live in the phi's register: only lanes that go on change it. Otherwise the new value would
// have to be moved in a block of its own, on the way round.
#include <algorithm>

#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/liveness.h"
#include "compiler/lower/ir/repair.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

class ExitGuard {
 public:
  explicit ExitGuard(Function& f) : f_(f), b_(f) {}

  void run() {
    for (int n = 0; n < kMost && guardOne(); ++n) {
    }
  }

 private:
  bool guardOne() {
    const Liveness live(f_, Port::Word);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b)
      for (const Id phi : f_.blocks[b].phis) {
        if (f_[phi].kind != Kind::Phi) continue;
        for (std::size_t edge = 0; edge < f_[phi].inputs.size(); ++edge)
          if (guard(static_cast<int>(b), phi, edge, live)) return true;
      }
    return false;
  }

  bool guard(int b, Id phi, std::size_t edge, const Liveness& live) {
    const int from = f_.blocks[b].predecessors[edge];
    const BasicBlock& source = f_.blocks[from];
    const Id value = f_[phi].inputs[edge].id;
    if (!source.conditional() || value == phi || f_.isUndefined(value)) return false;
    const bool straight = source.target == b;
    const int other = straight ? source.other : source.target;
    if (other == b || !isWanted(phi, from, other, live)) return false;
    b_.setBlock(from);
    b_.setOrigin(source.origin);
    const Predicate stays = straight ? source.condition : !source.condition;
    const Id kept = b_.append({.op = isa::Opcode::Mov, .b = value, .c = phi, .guard = stays}).word;
    f_[phi].inputs[edge] = {kept};
    keepForOthers(b, phi, edge);
    std::vector<std::pair<int, Predicate>> ends = {{from, {kept}}};
    if (from != b) ends.push_back({b, {phi}});
    repair(f_, phi, Port::Word, b, ends);
    return true;
  }

  // Other phis may take this one's old value on the way round, where `kept` is the new one already:
  // a, b = b, a + b. They take what a move made of it.
  void keepForOthers(int b, Id phi, std::size_t edge) {
    for (const Id other : f_.blocks[b].phis) {
      if (f_[other].kind != Kind::Phi || f_[other].inputs[edge].id != phi) continue;
      f_[other].inputs[edge] = {b_.append({.op = isa::Opcode::Mov, .b = phi}).word};
    }
  }

  // Whether the old value is read on the other way.
  bool isWanted(Id phi, int from, int other, const Liveness& live) const {
    if (live.in[other].has(phi)) return true;
    const BasicBlock& block = f_.blocks[other];
    const std::size_t edge = block.predecessorIndex(from);
    return std::any_of(block.phis.begin(), block.phis.end(), [&](Id p) {
      return f_[p].kind == Kind::Phi && f_[p].inputs[edge].id == phi;
    });
  }

  static constexpr int kMost = 100;

  Function& f_;
  Builder b_;
};

}  // namespace

void guardExits(Function& f) { ExitGuard(f).run(); }

}  // namespace qgpu::lower
