// The SIMD-in-a-word intrinsics of CUDA on the two halves or the four bytes of a word.
#pragma once

// Applies an expression in the parts `a` and `b` to each part of two words.
#define __QGPU_PARTS(name, count, Part, expression)                                             \
  __qgpu_device unsigned int name(unsigned int u, unsigned int v) {                             \
    constexpr int bits = 32 / count;                                                            \
    constexpr unsigned int mask = 0xffffffffu >> (32 - bits);                                   \
    unsigned int result = 0;                                                                    \
    _Pragma("unroll") for (int i = 0; i < count; ++i) {                                         \
      const Part a = (Part)(u >> (bits * i)), b = (Part)(v >> (bits * i));                      \
      result |= ((unsigned int)(expression) & mask) << (bits * i);                              \
    }                                                                                           \
    return result;                                                                              \
  }

#define __QGPU_BOTH_WIDTHS(name, sign, expression)                                              \
  __QGPU_PARTS(name##2, 2, __qgpu_##sign##16, expression)                                       \
  __QGPU_PARTS(name##4, 4, __qgpu_##sign##8, expression)

typedef signed char __qgpu_s8;
typedef unsigned char __qgpu_u8;
typedef short __qgpu_s16;
typedef unsigned short __qgpu_u16;

// Comparisons: all ones (vcmp) or 1 (vset) in the parts where they hold.
#define __QGPU_COMPARE(name, sign, operation)                                                   \
  __QGPU_BOTH_WIDTHS(__vcmp##name, sign, a operation b ? -1 : 0)                                \
  __QGPU_BOTH_WIDTHS(__vset##name, sign, a operation b ? 1 : 0)

__QGPU_COMPARE(eq, u, ==)
__QGPU_COMPARE(ne, u, !=)
__QGPU_COMPARE(lts, s, <)
__QGPU_COMPARE(les, s, <=)
__QGPU_COMPARE(gts, s, >)
__QGPU_COMPARE(ges, s, >=)
__QGPU_COMPARE(ltu, u, <)
__QGPU_COMPARE(leu, u, <=)
__QGPU_COMPARE(gtu, u, >)
__QGPU_COMPARE(geu, u, >=)

__QGPU_BOTH_WIDTHS(__vmaxs, s, a > b ? a : b)
__QGPU_BOTH_WIDTHS(__vmins, s, a < b ? a : b)
__QGPU_BOTH_WIDTHS(__vmaxu, u, a > b ? a : b)
__QGPU_BOTH_WIDTHS(__vminu, u, a < b ? a : b)
__QGPU_BOTH_WIDTHS(__vabsdiffu, u, a > b ? a - b : b - a)
__QGPU_BOTH_WIDTHS(__vabsdiffs, s, a > b ? a - b : b - a)
__QGPU_BOTH_WIDTHS(__vhaddu, u, (a + b) >> 1)
__QGPU_BOTH_WIDTHS(__vavgu, u, (a + b + 1) >> 1)
__QGPU_BOTH_WIDTHS(__vavgs, s, (a + b + (a + b >= 0)) >> 1)

// Sums and differences need no parts: the top bit of each is added apart from the others.
__qgpu_device unsigned int __vadd4(unsigned int a, unsigned int b) {
  return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}
__qgpu_device unsigned int __vadd2(unsigned int a, unsigned int b) {
  return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}
__qgpu_device unsigned int __vsub4(unsigned int a, unsigned int b) {
  return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
}
__qgpu_device unsigned int __vsub2(unsigned int a, unsigned int b) {
  return ((a | 0x80008000u) - (b & 0x7fff7fffu)) ^ ((a ^ ~b) & 0x80008000u);
}
__qgpu_device unsigned int __vneg4(unsigned int a) { return __vsub4(0, a); }
__qgpu_device unsigned int __vneg2(unsigned int a) { return __vsub2(0, a); }
__qgpu_device unsigned int __vabs4(unsigned int a) { return __vabsdiffs4(a, 0); }
__qgpu_device unsigned int __vabs2(unsigned int a) { return __vabsdiffs2(a, 0); }

// Sums of absolute differences over the parts.
__qgpu_device unsigned int __vsadu4(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffu4(a, b);
  return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}
__qgpu_device unsigned int __vsadu2(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffu2(a, b);
  return (d & 0xffff) + (d >> 16);
}

#undef __QGPU_COMPARE
#undef __QGPU_BOTH_WIDTHS
#undef __QGPU_PARTS
