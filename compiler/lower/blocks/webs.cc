#include "compiler/lower/blocks/webs.h"

#include <algorithm>

#include "compiler/lower/blocks/operands.h"
#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/rewrite.h"
#include "interpreter/base/failure.h"

namespace qgpu::lower {

using isa::Opcode;

Id Webs::of(Id id) const {
  while (id < parent_.size() && parent_[id] != id) id = parent_[id];
  return id;
}

void Webs::refresh() {
  const std::size_t known = parent_.size();
  parent_.resize(f_.instructions.size());
  for (std::size_t i = known; i < parent_.size(); ++i) parent_[i] = static_cast<Id>(i);
  members_.resize(f_.instructions.size());
  home_ = homes(f_);
  live_.emplace(f_, port_);
  dependences_.clear();
  dependences_.resize(f_.blocks.size());
}

void Webs::build() {
  refresh();
  const Layout layout = layOut(f_);
  std::vector<std::pair<Edge, int>> edges;  // and how deep in loops
  for (const int b : layout.order)
    for (std::size_t n = 0; n < f_.blocks[b].predecessors.size(); ++n) {
      Edge edge{b, n, {}};
      for (const Id phi : f_.blocks[b].phis)
        if (isPhiOf(f_[phi], port_)) edge.phis.push_back(phi);
      edges.push_back({std::move(edge), layout.depth[f_.blocks[b].predecessors[n]]});
    }
  // Inner loops first: a copy there costs most. Results first, then what needs copies anyway.
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  for (auto& [edge, depth] : edges)
    std::erase_if(edge.phis, [&](Id phi) { return join(phi, edge.number); });
  for (auto& [edge, depth] : edges) {
    std::erase_if(edge.phis, [&](Id phi) { return join(phi, edge.number); });
    copyInto(edge);
  }
}

// Whether the phi takes the input as it is.
bool Webs::join(Id phi, std::size_t edge) {
  const Predicate input = f_[phi].inputs[edge];
  if (port_ == Port::Word && f_.isUndefined(input.id)) return true;
  if (!isResult(f_, input, port_) || input.negate) return false;
  if (of(input.id) == of(phi)) return true;
  if (classesInterfere(input.id, phi)) return false;
  unite(input.id, phi);
  return true;
}

Id Webs::makeCopy(Predicate value, int block) {
  Instruction copy;
  if (port_ == Port::Word) {
    copy = {.op = Opcode::Mov, .b = value.id};
  } else if (value.isConstant()) {
    const auto relation = value.isAlways() ? isa::Compare::Eq : isa::Compare::Ne;
    copy = {.op = Opcode::Setp, .compare = relation, .a = f_.constant(0), .b = f_.constant(0)};
  } else {
    copy = {.op = Opcode::Pand, .guard = value, .second = value};
  }
  copy.origin = f_.blocks[block].origin;
  const Id id = f_.add(std::move(copy));
  f_.blocks[block].body.push_back(id);
  return id;
}

// All copies of an edge are made before any is judged: together they are one step, in which each
// may read what another overwrites.
void Webs::copyInto(const Edge& edge) {
  const int from = f_.blocks[edge.block].predecessors[edge.number];
  std::vector<std::pair<Id, Id>> made;  // phis and copies
  for (const Id phi : edge.phis) {
    if (reuseCopy(phi, edge.number, from) || selectCopy(phi, edge.number, edge.block, from))
      continue;
    const Predicate input = f_[phi].inputs[edge.number];
    const Id copy = makeCopy(input, from);
    f_[phi].inputs[edge.number] = {copy};
    copies_.push_back({copy, from, input});
    made.push_back({phi, copy});
    refresh();
  }
  // Where the other way out of `from` needs an old value, the copy moves onto the edge.
  int between = -1;
  for (std::size_t n = 0; n < made.size();) {
    const auto [phi, copy] = made[n++];
    if (home_[copy] != from || !classesInterfere(copy, phi)) continue;
    if (between < 0) between = splitEdge(edge, from);
    move(copy, from, between);
    n = 0;
  }
  std::erase_if(made, [&](const auto& m) { return takeBack(m.second, m.first, edge.number); });
  for (const auto& [phi, copy] : made) unite(copy, phi);
}

// Does without a copy that the others made needless: they have read the old value.
bool Webs::takeBack(Id copy, Id phi, std::size_t edge) {
  const auto entry =
      std::find_if(copies_.begin(), copies_.end(), [&](const Copy& c) { return c.id == copy; });
  const int block = entry->block;
  std::erase(f_.blocks[block].body, copy);
  f_[phi].inputs[edge] = entry->value;
  refresh();
  if (join(phi, edge)) {
    copies_.erase(entry);
    return true;
  }
  f_.blocks[block].body.push_back(copy);
  f_[phi].inputs[edge] = {copy};
  refresh();
  return false;
}

// A copy of the same value into the same web that is there already.
bool Webs::reuseCopy(Id phi, std::size_t edge, int from) {
  for (const Copy& c : copies_) {
    if (c.block != from || c.value != f_[phi].inputs[edge] || of(c.id) != of(phi)) continue;
    f_[phi].inputs[edge] = {c.id};
    return true;
  }
  return false;
}

// A copy into the same web for the other way out of `from`: one select serves both.
bool Webs::selectCopy(Id phi, std::size_t edge, int block, int from) {
  if (port_ == Port::Flag || !f_.blocks[from].conditional()) return false;
  const Predicate here =
      f_.blocks[from].target == block ? f_.blocks[from].condition : !f_.blocks[from].condition;
  for (Copy& c : copies_) {
    if (c.block != from || of(c.id) != of(phi) || !f_[c.id].guard.isAlways()) continue;
    if (servesEdge(c.id, from, block)) continue;
    Instruction select = f_[c.id];
    select.c = select.b;
    select.b = f_[phi].inputs[edge].id;
    select.guard = here;
    if (!planOperands(f_, select)) continue;  // two constants that no slot has room for
    f_[c.id] = select;
    c.value = {};
    f_[phi].inputs[edge] = {c.id};
    refresh();
    return true;
  }
  return false;
}

// Whether a phi of `block` takes `value` from `from` already.
bool Webs::servesEdge(Id value, int from, int block) const {
  const BasicBlock& to = f_.blocks[block];
  const std::size_t edge = to.predecessorIndex(from);
  return std::any_of(to.phis.begin(), to.phis.end(), [&](Id phi) {
    return isPhiOf(f_[phi], port_) && f_[phi].inputs[edge].id == value;
  });
}

int Webs::splitEdge(const Edge& edge, int from) {
  const int between = f_.newBlock();
  BasicBlock& fresh = f_.blocks[between];
  fresh.terminator = Terminator::Jump;
  fresh.target = edge.block;
  fresh.origin = f_.blocks[from].origin;
  fresh.predecessors = {from};
  BasicBlock& source = f_.blocks[from];
  (source.target == edge.block ? source.target : source.other) = between;
  f_.blocks[edge.block].predecessors[edge.number] = between;
  return between;
}

void Webs::move(Id copy, int from, int to) {
  std::erase(f_.blocks[from].body, copy);
  f_.blocks[to].body.push_back(copy);
  for (Copy& c : copies_)
    if (c.id == copy) c.block = to;
  refresh();
}

Id Webs::separate(Id value, int b) {
  const Id copy = makeCopy({value}, b);
  for (const int next : f_.blocks[b].successors()) {
    const std::size_t edge = f_.blocks[next].predecessorIndex(b);
    for (const Id phi : f_.blocks[next].phis)
      if (isPhiOf(f_[phi], port_) && f_[phi].inputs[edge] == Predicate{value} &&
          of(phi) == of(value))
        f_[phi].inputs[edge] = {copy};
  }
  // The value leaves its web, the copy takes its place.
  refresh();
  std::vector<Id> members = std::move(members_[of(value)]);
  for (const Id m : members) {
    parent_[m] = m;
    members_[m].clear();
  }
  std::replace(members.begin(), members.end(), value, copy);
  for (const Id m : members) unite(m, members.front());
  return copy;
}

void Webs::unite(Id x, Id y) {
  const Id root = of(y), other = of(x);
  if (root == other) return;
  if (members_[root].empty()) members_[root] = {root};
  if (members_[other].empty()) members_[other] = {other};
  members_[root].insert(members_[root].end(), members_[other].begin(), members_[other].end());
  members_[other].clear();
  parent_[other] = root;
}

bool Webs::classesInterfere(Id x, Id y) {
  const auto all = [&](Id id) { return members_[id].empty() ? std::vector<Id>{id} : members_[id]; };
  for (const Id u : all(of(x)))
    for (const Id v : all(of(y)))
      if (interfere(u, v)) return true;
  return false;
}

bool Webs::interfere(Id x, Id y) {
  for (std::size_t b = 0; b < f_.blocks.size(); ++b)
    if (interfereIn(static_cast<int>(b), x, y)) return true;
  return false;
}

bool Webs::interfereIn(int b, Id x, Id y) {
  const bool x_in = entersAt(b, x), y_in = entersAt(b, y);
  const bool x_out = live_->out[b].has(x), y_out = live_->out[b].has(y);
  if ((x_in && y_in) || (x_out && y_out)) return true;
  if (x_in && madeIn(b, y)) return x_out || !canFollow(b, x, y);
  if (y_in && madeIn(b, x)) return y_out || !canFollow(b, y, x);
  return false;
}

bool Webs::canFollow(int b, Id x, Id y) {
  const BasicBlock& block = f_.blocks[b];
  if (port_ == Port::Flag && block.conditional() && block.condition.id == x) return false;
  if (!dependences_[b]) dependences_[b] = std::make_unique<Dependences>(f_, b, forward_);
  const Dependences& order = *dependences_[b];
  const int written = order.position(y);
  bool possible = true;
  for (const Id id : block.body)
    eachRead(f_, f_[id], port_, [&](Id read) {
      const int at = order.position(id);
      if (read == x && at != written && order.reaches(written, at)) possible = false;
    });
  return possible;
}

namespace {

// Whether the operation can make the opposite predicate, and it turned round.
bool flip(Instruction& i) {
  if (!i.isOperation()) return false;
  const auto flipped = [](isa::Compare c) {
    return static_cast<isa::Compare>(static_cast<unsigned>(c) ^ 1);
  };
  switch (i.op) {
    case Opcode::Setp: i.compare = flipped(i.compare); return true;
    case Opcode::Pand:
    case Opcode::Por:
      i.op = i.op == Opcode::Pand ? Opcode::Por : Opcode::Pand;
      i.guard = !i.guard;
      i.second = !i.second;
      return true;
    case Opcode::Pxor: i.guard = !i.guard; return true;
    default: return false;
  }
}

}  // namespace

void alignFlagPhis(Function& f) {
  std::vector<int> plain(f.instructions.size(), 0), negated(f.instructions.size(), 0);
  for (const BasicBlock& block : f.blocks)
    for (const Id phi : block.phis)
      if (f[phi].kind == Kind::FlagPhi)
        for (const Predicate& p : f[phi].inputs)
          if (!p.isConstant()) ++(p.negate ? negated : plain)[p.id];
  std::vector<bool> turned(f.instructions.size(), false);
  for (std::size_t id = 0; id < turned.size(); ++id)
    if (negated[id] > plain[id]) turned[id] = flip(f[static_cast<Id>(id)]);
  const auto turn = [&](Predicate& p) {
    if (!p.isConstant() && turned[p.id]) p.negate = !p.negate;
  };
  for (BasicBlock& block : f.blocks) {
    for (const Id id : block.phis)
      if (f[id].kind == Kind::FlagPhi)
        for (Predicate& p : f[id].inputs) turn(p);
    for (const Id id : block.body)
      for (Predicate* p : flagOperands(f[id])) turn(*p);
    if (block.conditional()) turn(block.condition);
  }
}

}  // namespace qgpu::lower
