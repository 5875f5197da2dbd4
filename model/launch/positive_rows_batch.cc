// The search of positive_rows.h at all positions of a batch at once.
#include "model/launch/positive_rows.h"

namespace qgpu::model {
namespace {

Number sumOf(std::span<const RowList::Term> terms, BatchResidual& batch) {
  Number sum;
  for (const RowList::Term& t : terms) addProduct(sum, batch.dim(t.dim), t.factor);
  return sum;
}

}  // namespace

void PositiveRows::findAll(BatchResidual& batch, const Found& found) {
  const Search search{batch, found};
  ++token_;
  exceptions_.clear();
  has_exceptions_ = batch.others().meets(uses_) || !search_;
  if (has_exceptions_) markExceptions(batch);
  for (const std::uint32_t ladder : exceptions_) climb(search, ladder, excepted_at_[ladder]);
  if (!search_) return;
  openLeaves(search, 0, free_leaves_, batch.positions());
  walk(search, always_);
  batch.ones().forEachIn(roots_, [&](std::size_t dim) { walk(search, tree_of_[dim]); });
}

// Without a search every position is an exception to every row.
void PositiveRows::markExceptions(const BatchResidual& batch) {
  excepted_at_.resize(ladders_.size());
  const auto mark = [&](std::uint32_t ladder, const Lanes& lanes) {
    if (excepted_[ladder] != token_) {
      excepted_[ladder] = token_;
      excepted_at_[ladder] = {};
      exceptions_.push_back(ladder);
    }
    excepted_at_[ladder] |= lanes;
  };
  if (!search_)
    for (std::uint32_t l = 0; l < ladders_.size(); ++l) mark(l, batch.positions());
  else
    batch.others().forEachIn(uses_, [&](std::size_t dim) {
      for (std::uint32_t i = uses_starts_[dim]; i < uses_starts_[dim + 1]; ++i)
        mark(uses_ladders_[i], batch.other(dim));
    });
}

void PositiveRows::climb(const Search& search, std::uint32_t ladder, const Lanes& lanes) {
  Number sum = sumOf(ladders_.terms(ladder), search.batch);
  restrict(sum, lanes);
  std::int32_t constant = 0;
  for (std::uint32_t i = ladder == 0 ? 0 : rungs_end_[ladder - 1]; i < rungs_end_[ladder]; ++i) {
    addConstant(sum, lanes, rungs_[i].constant - constant);
    constant = rungs_[i].constant;
    const Lanes open = positive(sum);
    if (!open.any()) break;
    Number gate = sum;
    restrict(gate, open);
    search.found(rungs_[i].row, gate);
  }
}

void PositiveRows::walk(const Search& search, const Subtree& subtree) {
  struct Above {
    std::uint32_t end = 0;
    Lanes lanes;  // that hold all literals on the way
  };
  std::vector<Above> above = {{subtree.end, search.batch.positions()}};
  for (std::uint32_t i = subtree.begin; i < subtree.end;) {
    while (above.back().end <= i) above.pop_back();
    const Node& node = nodes_[i];
    const Lanes& lanes = above.back().lanes;
    const Lanes held = node.positive ? lanes & search.batch.one(node.dim)
                                     : lanes.without(search.batch.nonzero(node.dim));
    if (!held.any()) {
      i = node.skip;
      continue;
    }
    if (node.first_leaf != nodes_[i + 1].first_leaf)
      openLeaves(search, node.first_leaf, nodes_[i + 1].first_leaf, held);
    if (node.skip > i + 1) above.push_back({node.skip, held});
    ++i;
  }
}

void PositiveRows::openLeaves(const Search& search, std::uint32_t begin, std::uint32_t end,
                              const Lanes& lanes) {
  std::uint32_t summed = kNothing;
  Number rest;
  for (std::uint32_t row = begin; row < end; ++row) {
    const std::uint32_t ladder = ladder_of_[row];
    const Lanes here = has_exceptions_ && excepted_[ladder] == token_
                           ? lanes.without(excepted_at_[ladder])
                           : lanes;
    const Leaf& leaf = leaves_[row];
    if (leaf.rest == kNothing && leaf.sum == 1) {
      if (here.any()) search.found(row, Number::bits(here));
      continue;
    }
    if (leaf.rest != summed) {
      summed = leaf.rest;
      rest = summed == kNothing ? Number() : sumOf(rests_.terms(summed), search.batch);
    }
    Number sum = rest;
    restrict(sum, here);
    addConstant(sum, here, leaf.sum);
    restrict(sum, positive(sum));
    if (nonzero(sum).any()) search.found(row, sum);
  }
}

}  // namespace qgpu::model
