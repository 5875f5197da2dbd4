// CUDA's integer functions (CUDA Math API, "Integer Intrinsics"), each written from its definition.
#pragma once

#include <cstdint>
#include <cstdlib>

// The usual arithmetic conversions decide which overload a call takes, as in CUDA's own headers.
constexpr int min(int a, int b) { return a < b ? a : b; }
constexpr unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
constexpr unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
constexpr long min(long a, long b) { return a < b ? a : b; }
constexpr unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
constexpr long long min(long long a, long long b) { return a < b ? a : b; }
constexpr unsigned long long min(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
constexpr int max(int a, int b) { return a < b ? b : a; }
constexpr unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
constexpr unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
constexpr unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
constexpr long max(long a, long b) { return a < b ? b : a; }
constexpr unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
constexpr long long max(long long a, long long b) { return a < b ? b : a; }
constexpr unsigned long long max(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
constexpr unsigned umin(unsigned a, unsigned b) { return min(a, b); }
constexpr unsigned umax(unsigned a, unsigned b) { return max(a, b); }
constexpr long long llmin(long long a, long long b) { return min(a, b); }
constexpr long long llmax(long long a, long long b) { return max(a, b); }

// High halves of products.
constexpr int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
constexpr long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
// Low 32 bits of the product of the low 24 bits of both operands.
constexpr int __mul24(int a, int b) {
  const auto low24 = [](int v) {
    return static_cast<std::int64_t>(
        static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8);
  };
  return static_cast<int>(static_cast<std::uint32_t>(low24(a) * low24(b)));
}
constexpr unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }

// Counting and reversing bits.
constexpr int __popcll(unsigned long long v) {
  int count = 0;
  for (; v != 0; v >>= 1) count += static_cast<int>(v & 1);
  return count;
}
constexpr int __popc(unsigned v) { return __popcll(v); }
constexpr int __clzll(long long v) {
  int count = 0;
  for (auto bits = static_cast<unsigned long long>(v); count < 64 && bits >> 63 == 0; bits <<= 1)
    ++count;
  return count;
}
constexpr int __clz(int v) {
  return __clzll(static_cast<long long>(static_cast<unsigned>(v))) - 32;
}
constexpr int __ffsll(long long v) {
  for (int i = 0; i < 64; ++i)
    if (static_cast<unsigned long long>(v) >> i & 1) return i + 1;
  return 0;
}
constexpr int __ffs(int v) { return __ffsll(static_cast<long long>(static_cast<unsigned>(v))); }
constexpr unsigned long long __brevll(unsigned long long v) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= (v >> i & 1) << (63 - i);
  return reversed;
}
constexpr unsigned __brev(unsigned v) { return static_cast<unsigned>(__brevll(v) >> 32); }

// Byte i of the result is byte (nibble i of `selector`, low three bits) of y:x.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
// hi:lo shifted; the plain forms take the shift modulo 32, the c forms clamp it to 32.
constexpr unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(hi) << 32 | lo) << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(hi) << 32 | lo) >> (shift & 31));
}
constexpr unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
constexpr unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

// |a - b| + c, and averages that do not overflow.
constexpr unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                : static_cast<unsigned>(a) - static_cast<unsigned>(b)) +
         c;
}
constexpr unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a < b ? b - a : a - b) + c;
}
constexpr int __hadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1);
}
constexpr int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1);
}
constexpr unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) >> 1);
}
constexpr unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b + 1) >> 1);
}

template <typename T>
T __ldg(const T* address) {
  return *address;
}
