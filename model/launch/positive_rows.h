// Finds the rows of a projection that are worth more than 0, without summing those that cannot be.
//
// Nearly every dim of a circuit holds 0 or 1. Over such dims a row is worth at most its constant
// and its positive factors. Where that maximum less one factor is not positive, the dim must hold
// what favours the row: a necessary literal. Most rows are minterms, all of whose literals are
// necessary. The rows stand in a tree by their necessary literals, those that most rows share
// first, so that one test dismisses many rows; what is left of a row is summed at its leaf.
//
// A dim that holds anything else is an exception: rows that use it are summed without the tree.
// Rows that differ in their constants only, a ladder (one for each value that a number may
// reach, say), are summed once.
//
//   PositiveRows rows(std::move(whole_rows), hidden, {});
//   for (auto [row, sum] : rows.find(residual)) ...;   // rows.original(row): as they were given
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/launch/batch_residual.h"
#include "model/launch/dim_set.h"
#include "model/launch/residual.h"
#include "model/launch/row_list.h"

namespace qgpu::model {

class PositiveRows {
 public:
  struct Open {
    std::uint32_t row = 0;
    std::int32_t sum = 0;
  };

  // Without `search`, every row is summed at every token.
  PositiveRows(const std::vector<WholeRow>& rows, std::size_t hidden, bool search);

  // Of a settled residual stream; valid until the next call. Rows are numbered in the order of the
  // tree, which keeps those that open together close to each other.
  std::span<const Open> find(const Residual& residual);
  // The same at all positions of a settled batch: found(row, sum) for each row that some position
  // opens, where the sum is 0 at positions that do not.
  using Found = std::function<void(std::uint32_t row, const Number& sum)>;
  void findAll(BatchResidual& batch, const Found& found);

  std::size_t size() const { return original_.size(); }
  std::size_t original(std::size_t row) const { return original_[row]; }

 private:
  class Builder;
  // In preorder. A node that fails sends the search to `skip`, one that holds to the next node.
  // Its leaves are those from `first_leaf` to before the next node's.
  struct Node {
    std::uint16_t dim = 0;
    bool positive = false;
    std::uint32_t skip = 0;
    std::uint32_t first_leaf = 0;
  };
  // A row of the same number: once its node is reached, `sum` and what is left of its terms. Rows
  // that have the same left stand side by side and share it.
  struct Leaf {
    std::int32_t sum = 0;
    std::uint32_t rest = kNothing;  // in rests_
  };
  static constexpr std::uint32_t kNothing = 0xffffffff;
  struct Rung {
    std::uint32_t row = 0;
    std::int32_t constant = 0;
  };
  struct Subtree {
    std::uint32_t begin = 0, end = 0;
  };

  void walk(const Subtree& subtree, const Residual& residual);
  void openLeaves(std::uint32_t begin, std::uint32_t end, const Residual& residual);
  void sumExceptions(const Residual& residual);
  void sumLadder(std::size_t ladder, const Residual& residual);

  // One call of findAll.
  struct Search {
    BatchResidual& batch;
    const Found& found;
  };
  void walk(const Search& search, const Subtree& subtree);
  void openLeaves(const Search& search, std::uint32_t begin, std::uint32_t end, const Lanes& lanes);
  void markExceptions(const BatchResidual& batch);
  void climb(const Search& search, std::uint32_t ladder, const Lanes& lanes);

  bool search_ = true;
  std::vector<std::uint32_t> original_;
  std::vector<Node> nodes_;  // and one more, for the end of the leaves
  std::vector<Leaf> leaves_;
  RowList rests_;
  Subtree always_;                 // the trees whose root is a dim that must be 0
  std::uint32_t free_leaves_ = 0;  // the first leaves: rows without necessary literals
  DimSet roots_;                   // dims that have a tree for 1, and where it is
  std::vector<Subtree> tree_of_;

  RowList ladders_;          // what their rows have in common
  std::vector<Rung> rungs_;  // of all ladders, the largest constants of each first
  std::vector<std::uint32_t> rungs_end_, ladder_of_;
  DimSet uses_;  // dims that some ladder uses, and which ladders
  std::vector<std::uint32_t> uses_starts_, uses_ladders_;

  std::vector<std::uint64_t> excepted_;  // of each ladder: when it last was an exception
  std::vector<Lanes> excepted_at_;       // in a batch: at which positions
  std::vector<std::uint32_t> exceptions_;
  std::uint64_t token_ = 0;
  bool has_exceptions_ = false;
  std::vector<Open> open_;  // room for all; so many are
  std::size_t opened_ = 0;
};

}  // namespace qgpu::model
