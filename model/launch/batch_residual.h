// The residual streams of up to kBatch positions of a trace, bit by bit (number.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/launch/dim_set.h"
#include "model/launch/number.h"
#include "model/launch/residual.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

class BatchResidual {
 public:
  explicit BatchResidual(std::size_t hidden);

  // Nothing but the constants at `size` positions, at most kBatch.
  void begin(std::span<const Entry> constants, std::size_t size);
  // As Residual::begin: a machine token at a position.
  void embed(std::size_t position, std::span<const std::uint16_t> ones);
  std::size_t size() const { return size_; }
  std::size_t hidden() const { return planes_.size(); }
  // The positions in use.
  const Lanes& positions() const { return positions_; }

  // dim += factor * number, at all positions.
  template <typename Planes>
  void add(std::size_t dim, const Planes& number, std::int32_t factor) {
    addProduct(this->dim(dim), number, factor);
    changed_.insert(dim);
    used_.insert(dim);
  }
  // Brings the sets up to date. False where some position is not what the lifted layers are exact
  // for, as Residual::settle says it; the batch may be a little stricter.
  bool settle();

  // As of the last settle(). Dims with a position that holds 1, and with one that holds neither
  // 0 nor 1; constants are in neither.
  const DimSet& ones() const { return ones_; }
  const DimSet& others() const { return others_; }
  // Where a dim holds 1, and where it does not hold 0.
  const Lanes& one(std::size_t dim) const { return one_[dim]; }
  const Lanes& nonzero(std::size_t dim) const { return nonzero_[dim]; }
  Lanes other(std::size_t dim) const { return nonzero_[dim].without(one_[dim]); }
  const Lanes& negative(std::size_t dim) const { return sign_[dim]; }
  Lanes minusOne(std::size_t dim) const;

  // A dim as a number, for reading.
  struct Column {
    Lanes* first = nullptr;
    std::size_t stride = 0;
    Lanes& operator[](int k) const { return first[static_cast<std::size_t>(k) * stride]; }
  };
  struct Dim {
    int& planes;
    Lanes& sign;
    Column plane;
  };
  Dim dim(std::size_t d) { return {planes_[d], sign_[d], {&plane_[d], planes_.size()}}; }

  // One position, and back: after begin(), of a residual stream that Residual::settle() accepts.
  void get(std::size_t position, Residual& residual) const;
  void put(std::size_t position, const Residual& residual);

 private:
  void file(std::size_t dim);

  std::size_t size_ = 0;
  Lanes positions_;
  std::span<const Entry> constants_;
  DimSet is_constant_;
  // Plane k of dim d is plane_[k * hidden + d]: the first planes of all dims lie together.
  std::vector<int> planes_;
  std::vector<Lanes> sign_, plane_;
  std::vector<Lanes> one_, nonzero_;
  DimSet ones_, others_, changed_;
  DimSet used_;  // since begin()
  bool fits_ = true;
};

}  // namespace qgpu::model
