#include "fuzz/cuda/shrink.h"

#include <algorithm>

#include "fuzz/cuda/walk.h"

namespace qgpu::fuzz::cuda {
namespace {

// The parts of a tree by number: the n-th is the same part of every copy.
std::vector<Statements*> listsOf(KernelTree& tree) {
  std::vector<Statements*> lists;
  const auto add = [&](const auto& self, Statements& list) -> void {
    lists.push_back(&list);
    for (Statement& s : list)
      for (Statements& body : s.bodies) self(self, body);
  };
  add(add, tree.body);
  for (DeviceFunction& f : tree.functions) add(add, f.body);
  return lists;
}

std::vector<Expression*> expressionsOf(KernelTree& tree) {
  std::vector<Expression*> all;
  const auto add = [&](const auto& self, Expression& e) -> void {
    all.push_back(&e);
    for (Expression& operand : e.operands) self(self, operand);
  };
  for (Statements* list : listsOf(tree))
    for (Statement& s : *list) {
      add(add, s.a);
      add(add, s.b);
    }
  for (Variable& v : tree.variables) add(add, v.initial);
  for (DeviceFunction& f : tree.functions) add(add, f.result);
  add(add, tree.result);
  return all;
}

class Shrinker {
 public:
  explicit Shrinker(const KernelTree& tree) : tree_(tree) {}

  std::vector<KernelTree> run() {
    statements();
    shapes();
    parts();
    expressions();
    return std::move(smaller_);
  }

 private:
  template <typename Change>
  void with(const Change& change) {
    KernelTree copy = tree_;
    change(copy);
    if (copy != tree_) smaller_.push_back(std::move(copy));
  }

  void statements() {
    KernelTree counted = tree_;
    const auto lists = listsOf(counted);
    for (std::size_t l = 0; l < lists.size(); ++l) {
      with([&](KernelTree& p) { listsOf(p)[l]->clear(); });
      for (std::size_t s = 0; s < lists[l]->size(); ++s) {
        with([&](KernelTree& p) {
          Statements& list = *listsOf(p)[l];
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(s));
        });
        for (std::size_t b = 0; b < (*lists[l])[s].bodies.size(); ++b)
          with([&](KernelTree& p) { putBody(*listsOf(p)[l], s, b); });
        with([&](KernelTree& p) {
          int& count = (*listsOf(p)[l])[s].count;
          if ((*listsOf(p)[l])[s].kind == Statement::Kind::Loop && count > 1) count = 1;
        });
      }
    }
  }

  // One of its bodies in the place of a statement.
  static void putBody(Statements& list, std::size_t s, std::size_t b) {
    const Statements body = list[s].bodies[b];
    const auto at = list.erase(list.begin() + static_cast<std::ptrdiff_t>(s));
    list.insert(at, body.begin(), body.end());
  }

  void shapes() {
    with([](KernelTree& p) { p.grid = {1, 1, 1}; });
    with([](KernelTree& p) { p.block.y = 1; });
    // A multiple of 4 remains one: shuffles count on it.
    with([](KernelTree& p) {
      const std::uint32_t half = p.block.x / 2;
      if (half > 0 && (p.block.x % 4 != 0 || half % 4 == 0)) p.block.x = half;
    });
    for (std::size_t i = 0; i < tree_.scalars.size(); ++i)
      with([&](KernelTree& p) { p.scalars[i] = 0; });
  }

  bool uses(Op op, std::size_t index) const {
    bool found = false;
    visitExpressions(tree_, [&](const Expression& e) {
      found |= e.op == op && e.index == static_cast<int>(index);
    });
    return found;
  }
  bool assigns(std::size_t variable) const {
    bool found = false;
    visitStatements(tree_,
                    [&](const Statement& s) { found |= s.variable == static_cast<int>(variable); });
    return found;
  }

  // The last of what nothing names.
  void parts() {
    const auto last = [](const auto& list) { return list.size() - 1; };
    if (!tree_.functions.empty() && !uses(Op::Call, last(tree_.functions)))
      with([](KernelTree& p) { p.functions.pop_back(); });
    if (tree_.inputs.size() > 1 && !uses(Op::Input, last(tree_.inputs)))
      with([](KernelTree& p) { p.inputs.pop_back(); });
    if (tree_.scalars.size() > 1 && !uses(Op::Scalar, last(tree_.scalars)))
      with([](KernelTree& p) { p.scalars.pop_back(); });
    const std::size_t v = last(tree_.variables);
    if (v > 0 && !uses(Op::Variable, v) && !assigns(v))
      with([](KernelTree& p) { p.variables.pop_back(); });
  }

  void expressions() {
    KernelTree counted = tree_;
    const auto all = expressionsOf(counted);
    for (std::size_t e = 0; e < all.size(); ++e) {
      for (std::size_t o = 0; o < all[e]->operands.size(); ++o)
        with([&](KernelTree& p) {
          Expression& whole = *expressionsOf(p)[e];
          const Expression operand = whole.operands[o];
          whole = operand;
        });
      if (all[e]->op != Op::Constant)
        with([&](KernelTree& p) {
          Expression& whole = *expressionsOf(p)[e];
          whole = {.op = Op::Constant, .type = whole.type, .value = 1};
        });
      else if (all[e]->value > 1)
        with([&](KernelTree& p) { expressionsOf(p)[e]->value = all[e]->value > 255 ? 7 : 1; });
    }
  }

  const KernelTree& tree_;
  std::vector<KernelTree> smaller_;
};

}  // namespace

std::vector<KernelTree> shrinks(const KernelTree& tree) { return Shrinker(tree).run(); }

KernelTree minimise(
    KernelTree tree,
    const std::function<std::optional<std::size_t>(std::span<const KernelTree>)>& firstFailing) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const std::vector<KernelTree> candidates = shrinks(tree);
    for (std::size_t at = 0; at < candidates.size() && !smaller; at += kCandidates) {
      const auto some =
          std::span(candidates).subspan(at, std::min(kCandidates, candidates.size() - at));
      if (const auto failing = firstFailing(some)) {
        tree = some[*failing];
        smaller = true;
      }
    }
  }
  return tree;
}

}  // namespace qgpu::fuzz::cuda
