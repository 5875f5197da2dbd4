#include "compiler/lower/blocks/placed.h"

#include <algorithm>
#include <map>

#include "compiler/lower/blocks/uniformity.h"
#include "interpreter/base/failure.h"

namespace qgpu::lower {

namespace {

bool isBare(const Function& f, int b, Terminator end) {
  const BasicBlock& block = f.blocks[b];
  return block.body.empty() && block.terminator == end;
}

}  // namespace

namespace {

// Where a jump leads in the end. A loop of empty blocks goes nowhere: it keeps one of them.
int finalTarget(const Function& f, int b) {
  for (std::size_t steps = 0; steps < f.blocks.size(); ++steps) {
    if (!isBare(f, b, Terminator::Jump) || f.blocks[b].target == b) return b;
    b = f.blocks[b].target;
  }
  return b;
}

}  // namespace

End endOf(const Function& f, int b) {
  using enum End::Kind;
  const BasicBlock& block = f.blocks[b];
  if (block.terminator == Terminator::Exit) return {Exit, {}, -1, -1};
  if (block.terminator == Terminator::Trap) return {Trap, {}, -1, -1};
  const int target = finalTarget(f, block.target);
  if (block.terminator == Terminator::Barrier) return {Barrier, {}, target, -1};
  const int other = block.conditional() ? finalTarget(f, block.other) : target;
  const bool exits = isBare(f, target, Terminator::Exit);
  if (target == other) {
    if (exits) return {Exit, {}, -1, -1};
    if (isBare(f, target, Terminator::Trap)) return {Trap, {}, -1, -1};
    return {Jump, {}, target, -1};
  }
  if (exits && isBare(f, other, Terminator::Exit)) return {Exit, {}, -1, -1};
  if (exits) return {ExitIf, block.condition, other, -1};
  if (isBare(f, other, Terminator::Exit)) return {ExitIf, !block.condition, target, -1};
  return {Branch, block.condition, target, other};
}

std::vector<int> Placed::successors(const Function& f, int block) const {
  if (!blocks[block].last) return {block + 1};
  std::vector<int> next;
  const End end = endOf(f, blocks[block].home);
  for (const int b : {end.target, end.other})
    if (b >= 0) next.push_back(first[b]);
  return next;
}

namespace {

// What the values of a basic block cost to carry, and which can be made again.
class ValueReader {
 public:
  ValueReader(const Function& f, const Costs& costs)
      : f_(f), costs_(costs), uniform_(f), live_words_(f, Port::Word), live_flags_(f, Port::Flag) {}

  ValueCosts read(int block) const {
    ValueCosts values;
    for (const Id id : f_.blocks[block].body) {
      const Instruction& i = f_[id];
      values.word_leaves.push_back(hasWord(i) && live_words_.out[block].has(id));
      values.flag_leaves.push_back(hasFlag(i) && live_flags_.out[block].has(id));
      const int word = uniform_.isUniform(id) ? costs_.uniform : costs_.value;
      values.word.push_back(hasWord(i) && !values.word_leaves.back() ? word : 0);
      values.flag.push_back(hasFlag(i) && !values.flag_leaves.back() ? costs_.flag : 0);
      values.rematerialisable.push_back(values.word.back() != 0 && isRepeatable(block, i));
    }
    addIncoming(values, block, Port::Word, live_words_);
    addIncoming(values, block, Port::Flag, live_flags_);
    return values;
  }

 private:
  bool isRepeatable(int block, const Instruction& i) const {
    if (hasFlag(i) || i.cluster != 0 || writesMemory(i) || isConvergent(i)) return false;
    if (i.row().unit == isa::Unit::Divider || !flagOperands(i).empty()) return false;
    for (const Id operand : wordOperands(i))
      if (!f_[operand].isLeaf()) return false;
    if (!i.hasMemory()) return true;
    if (i.memory.is_volatile) return false;
    const std::vector<Id>& body = f_.blocks[block].body;
    return std::none_of(body.begin(), body.end(), [&](Id other) {
      return writesMemory(f_[other]) && mustKeepOrder(f_, i, f_[other]);
    });
  }

  void addIncoming(ValueCosts& values, int block, Port port, const Liveness& live) const {
    const BasicBlock& b = f_.blocks[block];
    std::map<Id, std::size_t> index;
    const auto add = [&](Id id) {
      index[id] = values.incoming.size();
      values.incoming.push_back({port, live.out[block].has(id), {}});
    };
    for (const Id id : live.in[block].members()) add(id);
    for (const Id phi : b.phis)
      if (isPhiOf(f_[phi], port)) add(phi);
    for (std::size_t n = 0; n < b.body.size(); ++n)
      eachRead(f_, f_[b.body[n]], port, [&](Id id) {
        if (const auto at = index.find(id); at != index.end())
          values.incoming[at->second].readers.push_back(static_cast<int>(n));
      });
  }

  const Function& f_;
  const Costs& costs_;
  Uniformity uniform_;
  Liveness live_words_, live_flags_;
};

}  // namespace

namespace {

// The basic blocks that something leads to, in the order of the layout.
std::vector<int> neededBlocks(const Function& f, const Layout& layout) {
  std::vector<bool> needed(f.blocks.size(), false);
  needed[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const int b : layout.order) {
      if (!needed[b]) continue;
      const End end = endOf(f, b);
      for (const int next : {end.target, end.other}) {
        if (next < 0 || needed[next]) continue;
        needed[next] = changed = true;
      }
    }
  }
  std::vector<int> order;
  for (const int b : layout.order)
    if (needed[b]) order.push_back(b);
  return order;
}

}  // namespace

Placed placeBlocks(Function& f, Webs& words, Webs& flags, bool forward,
                   const ScheduleOptions& options) {
  std::vector<Units> units;
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    units.push_back(makeUnits(f, static_cast<int>(b), forward, words, flags));
  const ValueReader reader(f, options.costs);
  const Layout layout = layOut(f);
  Placed placed;
  placed.first.assign(f.blocks.size(), -1);
  placed.depth = layout.depth;
  for (const int b : neededBlocks(f, layout)) {
    placed.first[b] = static_cast<int>(placed.blocks.size());
    const ValueCosts values = reader.read(b);
    for (const auto& nodes : schedule(f, b, units[b], values, options)) {
      placed.blocks.push_back({b, {}, false, false});
      for (const int node : nodes) {
        const Id id = f.blocks[b].body[node];
        placed.blocks.back().slots.push_back(id);
        placed.blocks.back().divides |= f[id].row().unit == isa::Unit::Divider;
      }
    }
    placed.blocks.back().last = true;
  }
  return placed;
}

int fewestBlocks(const Function& f) {
  int total = 0;
  for (const BasicBlock& block : f.blocks) {
    int slots = 0, writes = 0;
    for (const Id id : block.body) {
      if (f[id].is(isa::Opcode::Quo) || f[id].is(isa::Opcode::Rem)) continue;
      slots += f[id].row().unit == isa::Unit::Divider ? kMachine.slots : 1;
      writes += writesMemory(f[id]) ? 1 : 0;
    }
    total += std::max((slots + kMachine.slots - 1) / kMachine.slots, writes);
  }
  return total;
}

}  // namespace qgpu::lower
