// Whole numbers at the positions of a part of a trace at once, bit by bit.
//
// Bit p of plane k is bit k of the number at position p, in two's complement; `sign` stands for all
// planes beyond the last. Sums ripple through the planes, so that a number costs what its bits cost
// and most, which are 0 or 1, cost one plane.
//
//   Number n;
//   add(n, mask, 0);         // + 1 where mask
//   subtract(n, mask, 3);    // - 8 there
//   positive(n)              // the positions where n > 0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "interpreter/base/failure.h"

namespace qgpu::model {

inline constexpr int kBatch = 512;

// A bit for each position.
struct Lanes {
  std::array<std::uint64_t, kBatch / 64> w{};

  friend Lanes operator&(Lanes a, const Lanes& b) { return a &= b; }
  friend Lanes operator|(Lanes a, const Lanes& b) { return a |= b; }
  friend Lanes operator^(Lanes a, const Lanes& b) { return a ^= b; }
  Lanes& operator&=(const Lanes& b) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] &= b.w[i];
    return *this;
  }
  Lanes& operator|=(const Lanes& b) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] |= b.w[i];
    return *this;
  }
  Lanes& operator^=(const Lanes& b) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] ^= b.w[i];
    return *this;
  }
  Lanes without(const Lanes& b) const {
    Lanes r;
    for (std::size_t i = 0; i < w.size(); ++i) r.w[i] = w[i] & ~b.w[i];
    return r;
  }
  bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : w) all |= word;
    return all != 0;
  }
  bool has(std::size_t position) const { return (w[position / 64] >> position % 64 & 1) != 0; }
  void insert(std::size_t position) { w[position / 64] |= std::uint64_t{1} << position % 64; }
  void erase(std::size_t position) { w[position / 64] &= ~(std::uint64_t{1} << position % 64); }
  friend bool operator==(const Lanes&, const Lanes&) = default;

  // The first n positions.
  static Lanes first(std::size_t n) {
    Lanes r;
    for (std::size_t i = 0; i < r.w.size(); ++i)
      r.w[i] = n >= 64 * (i + 1) ? ~std::uint64_t{0}
               : n <= 64 * i     ? 0
                                 : (std::uint64_t{1} << (n - 64 * i)) - 1;
    return r;
  }
  // use(position), ascending.
  template <typename Use>
  void forEach(Use use) const {
    for (std::size_t i = 0; i < w.size(); ++i)
      for (std::uint64_t left = w[i]; left != 0; left &= left - 1)
        use(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
};

struct Number {
  // Sums stay below 2^24 in size.
  static constexpr int kMostPlanes = 26;

  int planes = 0;
  Lanes sign;
  std::array<Lanes, kMostPlanes> plane;

  Number() {}  // planes that are not in use stay as they are
  static Number bits(const Lanes& lanes) {
    Number n;
    n.planes = 1;
    n.plane[0] = lanes;
    return n;
  }
  Number(const Number& other) { *this = other; }
  Number& operator=(const Number& other) {
    planes = other.planes;
    sign = other.sign;
    for (int k = 0; k < planes; ++k) plane[k] = other.plane[k];
    return *this;
  }

  Lanes at(int k) const { return k < planes ? plane[k] : sign; }
  std::int32_t valueAt(std::size_t position) const {
    std::int32_t value = sign.has(position) ? -(std::int32_t{1} << planes) : 0;
    for (int k = 0; k < planes; ++k)
      value |= static_cast<std::int32_t>(plane[k].has(position)) << k;
    return value;
  }
};

// Whatever holds planes of its own kind: a Number, a dim of a batch's residual streams.
template <typename Planes>
void extend(Planes& n, int planes) {
  check(planes <= Number::kMostPlanes, "a sum of a batch fits its planes");
  for (; n.planes < planes; ++n.planes) n.plane[n.planes] = n.sign;
}

// n += 2^k where `carry`.
template <typename Planes>
void add(Planes&& n, Lanes carry, int k) {
  if (k > n.planes) extend(n, k);
  for (; carry.any(); ++k) {
    if (k == n.planes) {
      if (!carry.without(n.sign).any()) return n.sign ^= carry, void();
      extend(n, k + 1);
      n.sign = n.sign.without(carry);
      n.plane[k] ^= carry;
      return;
    }
    const Lanes sum = n.plane[k] ^ carry;
    carry = carry.without(sum);
    n.plane[k] = sum;
  }
}

// n -= 2^k where `borrow`.
template <typename Planes>
void subtract(Planes&& n, Lanes borrow, int k) {
  if (k > n.planes) extend(n, k);
  for (; borrow.any(); ++k) {
    if (k == n.planes) {
      if (!(borrow & n.sign).any()) return n.sign |= borrow, void();
      extend(n, k + 1);
      n.sign |= borrow;
      n.plane[k] ^= borrow;
      return;
    }
    n.plane[k] ^= borrow;
    borrow &= n.plane[k];
  }
}

// n += factor where `lanes`.
template <typename Planes>
void addConstant(Planes&& n, const Lanes& lanes, std::int32_t factor) {
  for (auto left = static_cast<std::uint32_t>(factor < 0 ? -factor : factor); left != 0;
       left &= left - 1)
    factor < 0 ? subtract(n, lanes, std::countr_zero(left)) : add(n, lanes, std::countr_zero(left));
}

// n += factor * x.
template <typename Planes, typename Other>
void addProduct(Planes&& n, const Other& x, std::int32_t factor) {
  for (auto left = static_cast<std::uint32_t>(factor < 0 ? -factor : factor); left != 0;
       left &= left - 1) {
    const int shift = std::countr_zero(left);
    for (int k = 0; k < x.planes; ++k)
      factor < 0 ? subtract(n, x.plane[k], k + shift) : add(n, x.plane[k], k + shift);
    if (x.sign.any())
      factor < 0 ? add(n, x.sign, x.planes + shift) : subtract(n, x.sign, x.planes + shift);
  }
}

// Drops planes that say what the sign says.
template <typename Planes>
void trim(Planes&& n) {
  while (n.planes > 0 && n.plane[n.planes - 1] == n.sign) --n.planes;
}

// Zero where not `lanes`.
inline void restrict(Number& n, const Lanes& lanes) {
  for (int k = 0; k < n.planes; ++k) n.plane[k] &= lanes;
  n.sign &= lanes;
}

inline Lanes nonzero(const Number& n) {
  Lanes any = n.sign;
  for (int k = 0; k < n.planes; ++k) any |= n.plane[k];
  return any;
}
inline Lanes positive(const Number& n) { return nonzero(n).without(n.sign); }

}  // namespace qgpu::model
