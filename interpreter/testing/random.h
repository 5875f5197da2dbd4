// Random numbers that are the same on every platform: splitmix64.
//
//   Random random(seed);
//   random.below(6);            // 0 .. 5
//   random.chance(30);          // true in 30 of 100
//   random.pick({1, 2, 3});
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace qgpu::isatest {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // 0 .. count - 1; count is positive and small, so the bias is none that a test could see.
  int below(int count) {
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <typename Container>
  const auto& pick(const Container& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + below(static_cast<int>(from.size())));
  }

  // A word: often small, a boundary or a power of two and its neighbours, else anything.
  std::uint32_t word() {
    const auto any = static_cast<std::uint32_t>(next());
    switch (below(8)) {
      case 0: return any % 4;
      case 1: return any % 256;
      case 2: return 0u - any % 256;
      case 3: return pick({0x7fffffffu, 0x80000000u, 0xffffffffu, 0u, 1u, 0x55555555u});
      case 4: return (1u << any % 32) - (any >> 8 & 1);
      case 5: return any >> any % 32;
      default: return any;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace qgpu::isatest
