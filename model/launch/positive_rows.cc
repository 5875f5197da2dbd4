#include "model/launch/positive_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace qgpu::model {
namespace {

struct Literal {
  std::uint16_t dim = 0;
  bool positive = false;
  friend bool operator==(const Literal&, const Literal&) = default;
  friend auto operator<=>(const Literal& a, const Literal& b) {
    // Trees for a dim that is 0 come before those for a dim that is 1.
    return a.positive != b.positive ? a.positive <=> b.positive : a.dim <=> b.dim;
  }
};

float mostOf(const WholeRow& row) {
  float most = row.constant;
  for (const auto& [dim, factor] : row.terms) most += std::max(factor, 0.0f);
  return most;
}

bool isNecessary(float most, float factor) { return most - std::fabs(factor) <= 0; }

}  // namespace

// Orders the rows by their necessary literals and lays out the tree.
class PositiveRows::Builder {
 public:
  Builder(const std::vector<WholeRow>& rows, std::size_t hidden)
      : rows_(rows), paths_(rows.size()) {
    std::vector<std::uint32_t> popularity(hidden);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float most = mostOf(rows[r]);
      for (const auto& [dim, factor] : rows[r].terms)
        if (most > 0 && isNecessary(most, factor)) {
          paths_[r].push_back({dim, factor > 0});
          ++popularity[dim];
        }
    }
    for (std::vector<Literal>& path : paths_) sortPath(path, popularity);
  }

  // Rows that are never positive over zeros and ones come last, and into no leaf.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const bool a_can = mostOf(rows_[a]) > 0, b_can = mostOf(rows_[b]) > 0;
      if (a_can != b_can) return a_can;
      return paths_[a] != paths_[b] ? paths_[a] < paths_[b] : a < b;
    });
    return order;
  }

  void layOut(PositiveRows& to) {
    for (std::uint32_t row = 0; row < to.original_.size(); ++row) {
      const std::uint32_t original = to.original_[row];
      if (mostOf(rows_[original]) <= 0) break;
      const bool same_node = descend(to, paths_[original], row);
      addLeaf(to, rows_[original], same_node);
    }
    ascend(to, 0);
    to.nodes_.push_back({0, false, 0, static_cast<std::uint32_t>(to.leaves_.size())});
    to.free_leaves_ = to.nodes_.front().first_leaf;
    plant(to);
  }

  void stackLadders(PositiveRows& to) const {
    using Terms = std::vector<std::pair<std::uint16_t, float>>;
    std::map<Terms, std::vector<Rung>> ladders;
    for (std::uint32_t row = 0; row < to.original_.size(); ++row) {
      const WholeRow& whole = rows_[to.original_[row]];
      ladders[whole.terms].push_back({row, static_cast<std::int32_t>(whole.constant)});
    }
    to.ladder_of_.resize(to.original_.size());
    for (auto& [terms, rungs] : ladders) {
      std::ranges::sort(rungs, [](const Rung& a, const Rung& b) {
        return a.constant != b.constant ? a.constant > b.constant : a.row < b.row;
      });
      for (const Rung& rung : rungs)
        to.ladder_of_[rung.row] = static_cast<std::uint32_t>(to.ladders_.size());
      to.ladders_.add({0, terms});
      to.rungs_.insert(to.rungs_.end(), rungs.begin(), rungs.end());
      to.rungs_end_.push_back(static_cast<std::uint32_t>(to.rungs_.size()));
    }
  }

 private:
  // The most popular first; before all, one that must hold 1: few dims do at any one token.
  static void sortPath(std::vector<Literal>& path, const std::vector<std::uint32_t>& popularity) {
    std::ranges::sort(path, [&](const Literal& a, const Literal& b) {
      return popularity[a.dim] != popularity[b.dim] ? popularity[a.dim] > popularity[b.dim]
                                                    : a.dim < b.dim;
    });
    const auto first = std::ranges::find_if(path, &Literal::positive);
    if (first != path.end()) std::rotate(path.begin(), first, first + 1);
  }

  void addLeaf(PositiveRows& to, const WholeRow& row, bool same_node) {
    const float most = mostOf(row);
    Leaf leaf{static_cast<std::int32_t>(row.constant), kNothing};
    WholeRow rest;
    for (const auto& term : row.terms)
      if (!isNecessary(most, term.second))
        rest.terms.push_back(term);
      else if (term.second > 0)
        leaf.sum += static_cast<std::int32_t>(term.second);
    if (!rest.terms.empty()) {
      if (!same_node || rest.terms != last_rest_) to.rests_.add(rest);
      leaf.rest = static_cast<std::uint32_t>(to.rests_.size() - 1);
    }
    last_rest_ = std::move(rest.terms);
    to.leaves_.push_back(leaf);
  }

  // To the node of a path; whether it is where the last one led.
  bool descend(PositiveRows& to, const std::vector<Literal>& path, std::uint32_t row) {
    std::size_t common = 0;
    while (common < open_.size() && common < path.size() &&
           path[common] == literalOf(to.nodes_[open_[common]]))
      ++common;
    const bool same = common == open_.size() && common == path.size();
    ascend(to, common);
    for (std::size_t i = common; i < path.size(); ++i) {
      open_.push_back(static_cast<std::uint32_t>(to.nodes_.size()));
      to.nodes_.push_back({path[i].dim, path[i].positive, 0, row});
    }
    return same;
  }
  void ascend(PositiveRows& to, std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back())
      to.nodes_[open_.back()].skip = static_cast<std::uint32_t>(to.nodes_.size());
  }
  static Literal literalOf(const Node& node) { return {node.dim, node.positive}; }

  // Notes where the trees are.
  static void plant(PositiveRows& to) {
    const auto end = static_cast<std::uint32_t>(to.nodes_.size() - 1);
    std::uint32_t at = 0;
    while (at < end && !to.nodes_[at].positive) at = to.nodes_[at].skip;
    to.always_ = {0, at};
    for (; at < end; at = to.nodes_[at].skip) {
      to.roots_.insert(to.nodes_[at].dim);
      to.tree_of_[to.nodes_[at].dim] = {at, to.nodes_[at].skip};
    }
  }

  const std::vector<WholeRow>& rows_;
  std::vector<std::vector<Literal>> paths_;
  std::vector<std::uint32_t> open_;  // the nodes above the row that is laid out
  std::vector<std::pair<std::uint16_t, float>> last_rest_;
};

PositiveRows::PositiveRows(const std::vector<WholeRow>& rows, std::size_t hidden, bool search)
    : search_(search), roots_(hidden), tree_of_(hidden), uses_(hidden), uses_starts_(hidden + 1) {
  Builder builder(rows, hidden);
  original_ = builder.order();
  builder.layOut(*this);
  builder.stackLadders(*this);
  excepted_.resize(ladders_.size());
  open_.resize(rows.size());

  for (std::size_t l = 0; l < ladders_.size(); ++l)
    for (const RowList::Term& t : ladders_.terms(l)) ++uses_starts_[t.dim + 1u];
  std::partial_sum(uses_starts_.begin(), uses_starts_.end(), uses_starts_.begin());
  uses_ladders_.resize(uses_starts_.back());
  std::vector<std::uint32_t> at(uses_starts_.begin(), uses_starts_.end() - 1);
  for (std::uint32_t l = 0; l < ladders_.size(); ++l)
    for (const RowList::Term& t : ladders_.terms(l)) {
      uses_ladders_[at[t.dim]++] = l;
      uses_.insert(t.dim);
    }
}

std::span<const PositiveRows::Open> PositiveRows::find(const Residual& residual) {
  opened_ = 0;
  if (!search_) {
    for (std::size_t l = 0; l < ladders_.size(); ++l) sumLadder(l, residual);
    return {open_.data(), opened_};
  }
  ++token_;
  has_exceptions_ = residual.others().meets(uses_);
  if (has_exceptions_) sumExceptions(residual);
  openLeaves(0, free_leaves_, residual);
  walk(always_, residual);
  residual.ones().forEachIn(roots_, [&](std::size_t dim) { walk(tree_of_[dim], residual); });
  return {open_.data(), opened_};
}

void PositiveRows::walk(const Subtree& subtree, const Residual& residual) {
  for (std::uint32_t i = subtree.begin; i < subtree.end;) {
    const Node& node = nodes_[i];
    if ((residual[node.dim] == 1.0f) != node.positive) {
      i = node.skip;
      continue;
    }
    ++i;
    if (node.first_leaf != nodes_[i].first_leaf)
      openLeaves(node.first_leaf, nodes_[i].first_leaf, residual);
  }
}

void PositiveRows::openLeaves(std::uint32_t begin, std::uint32_t end, const Residual& residual) {
  std::uint32_t summed = kNothing;
  std::int32_t rest = 0;
  for (std::uint32_t row = begin; row < end; ++row) {
    if (has_exceptions_ && excepted_[ladder_of_[row]] == token_) continue;
    const Leaf& leaf = leaves_[row];
    if (leaf.rest != summed) {
      summed = leaf.rest;
      rest = summed == kNothing ? 0 : rests_.sum(summed, residual);
    }
    if (leaf.sum + rest > 0) open_[opened_++] = {row, leaf.sum + rest};
  }
}

// Every row that uses a dim which holds neither 0 nor 1, once.
void PositiveRows::sumExceptions(const Residual& residual) {
  residual.others().forEachIn(uses_, [&](std::size_t dim) {
    for (std::uint32_t i = uses_starts_[dim]; i < uses_starts_[dim + 1]; ++i) {
      const std::uint32_t ladder = uses_ladders_[i];
      if (excepted_[ladder] == token_) continue;
      excepted_[ladder] = token_;
      sumLadder(ladder, residual);
    }
  });
}

void PositiveRows::sumLadder(std::size_t ladder, const Residual& residual) {
  const std::int32_t sum = ladders_.sum(ladder, residual);
  const std::uint32_t begin = ladder == 0 ? 0 : rungs_end_[ladder - 1];
  for (std::uint32_t i = begin; i < rungs_end_[ladder]; ++i) {
    if (sum + rungs_[i].constant <= 0) break;
    open_[opened_++] = {rungs_[i].row, sum + rungs_[i].constant};
  }
}

}  // namespace qgpu::model
