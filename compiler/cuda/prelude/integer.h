// Integer arithmetic of the CUDA Math API. Where PTX has no single instruction that the machine
// has too, the function is written in plain C++, which the optimiser can see through.
#pragma once

#define __QGPU_MIN_MAX(R, A, B)                                                                \
  __qgpu_both constexpr R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                   \
  __qgpu_both constexpr R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }

__QGPU_MIN_MAX(int, int, int)
__QGPU_MIN_MAX(unsigned int, unsigned int, unsigned int)
__QGPU_MIN_MAX(unsigned int, int, unsigned int)
__QGPU_MIN_MAX(unsigned int, unsigned int, int)
__QGPU_MIN_MAX(long, long, long)
__QGPU_MIN_MAX(unsigned long, unsigned long, unsigned long)
__QGPU_MIN_MAX(unsigned long, long, unsigned long)
__QGPU_MIN_MAX(unsigned long, unsigned long, long)
__QGPU_MIN_MAX(long long, long long, long long)
__QGPU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
__QGPU_MIN_MAX(unsigned long long, long long, unsigned long long)
__QGPU_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef __QGPU_MIN_MAX

__qgpu_both constexpr unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__qgpu_both constexpr unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__qgpu_both constexpr long long llmin(long long a, long long b) { return min(a, b); }
__qgpu_both constexpr long long llmax(long long a, long long b) { return max(a, b); }
__qgpu_both constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
__qgpu_both constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

// The most negative value is its own absolute value, as on a GPU.
__qgpu_both constexpr int abs(int x) { return x < 0 ? (int)(0u - (unsigned int)x) : x; }
__qgpu_both constexpr long abs(long x) { return x < 0 ? (long)(0ul - (unsigned long)x) : x; }
__qgpu_both constexpr long long abs(long long x) {
  return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}
__qgpu_both constexpr long labs(long x) { return abs(x); }
__qgpu_both constexpr long long llabs(long long x) { return abs(x); }

__qgpu_device int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
__qgpu_device unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
__qgpu_device long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__qgpu_device unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
__qgpu_device int __mul24(int a, int b) {
  const int low_a = (int)((unsigned int)a << 8) >> 8, low_b = (int)((unsigned int)b << 8) >> 8;
  return (int)((unsigned int)low_a * (unsigned int)low_b);
}
__qgpu_device unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}

__qgpu_device int __popc(unsigned int x) { return __builtin_popcount(x); }
__qgpu_device int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__qgpu_device int __clz(int x) { return __builtin_clzg((unsigned int)x, 32); }
__qgpu_device int __clzll(long long x) { return __builtin_clzg((unsigned long long)x, 64); }
__qgpu_device int __ffs(int x) { return __builtin_ffs(x); }
__qgpu_device int __ffsll(long long x) { return __builtin_ffsll(x); }
__qgpu_device unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__qgpu_device unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
// prmt takes the highest bit of a nibble for the sign of the byte; CUDA's function knows no such bit.
__qgpu_device unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  return __nvvm_prmt(a, b, selector & 0x7777);
}

// The 32 bits that a shift of the pair high:low brings to the end; the amount is taken modulo 32.
extern "C" __device__ unsigned int __qgpu_fshl(unsigned int, unsigned int,
                                               unsigned int) __asm__("llvm.fshl.i32");
extern "C" __device__ unsigned int __qgpu_fshr(unsigned int, unsigned int,
                                               unsigned int) __asm__("llvm.fshr.i32");
__qgpu_device unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return __qgpu_fshl(high, low, by);
}
__qgpu_device unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return __qgpu_fshr(high, low, by);
}
// The same with amounts above 32 taken as 32.
__qgpu_device unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                            unsigned int by) {
  return by >= 32 ? low : __qgpu_fshl(high, low, by);
}
__qgpu_device unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                            unsigned int by) {
  return by >= 32 ? high : __qgpu_fshr(high, low, by);
}

__qgpu_device unsigned int __sad(int a, int b, unsigned int c) {
  return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
__qgpu_device unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a > b ? a - b : b - a) + c;
}
// Averages without overflow, rounded down (h) or up (rh).
__qgpu_device int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
__qgpu_device int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
__qgpu_device unsigned int __uhadd(unsigned int a, unsigned int b) {
  return (a & b) + ((a ^ b) >> 1);
}
__qgpu_device unsigned int __urhadd(unsigned int a, unsigned int b) {
  return (a | b) - ((a ^ b) >> 1);
}

// Dot products of the bytes of two words (dp4a), or of the halves of a and two bytes of b (dp2a).
#define __QGPU_DOT(R, Byte, Half)                                                               \
  __qgpu_device R __dp4a(R a, R b, R c) {                                                       \
    return c + (Byte)a * (Byte)b + (Byte)(a >> 8) * (Byte)(b >> 8) +                            \
           (Byte)(a >> 16) * (Byte)(b >> 16) + (Byte)(a >> 24) * (Byte)(b >> 24);               \
  }                                                                                             \
  __qgpu_device R __dp2a_lo(R a, R b, R c) {                                                    \
    return c + (R)(Half)a * (Byte)b + (R)(Half)(a >> 16) * (Byte)(b >> 8);                      \
  }                                                                                             \
  __qgpu_device R __dp2a_hi(R a, R b, R c) { return __dp2a_lo(a, b >> 16, c); }

__QGPU_DOT(int, signed char, short)
__QGPU_DOT(unsigned int, unsigned char, unsigned short)
#undef __QGPU_DOT
