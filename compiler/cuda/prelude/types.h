// Integer names, their limits and CUDA's short vectors. Sizes are LP64, as on a GPU: int 4 bytes,
// long, pointers and size_t 8.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;
typedef int64_t intmax_t, ssize_t;
typedef uint64_t uintmax_t;
typedef long time_t, clock_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef decltype(nullptr) nullptr_t;

#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define INTPTR_MAX LONG_MAX
#define UINTPTR_MAX ULONG_MAX
#define RAND_MAX INT_MAX
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

// NAME1 to NAME4 with their make_ functions; the alignments of 2 and 4 elements are CUDA's.
#define __QGPU_VECTOR(name, T, align2, align4)                                                  \
  struct name##1 { T x; };                                                                      \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                  \
  struct name##3 { T x, y, z; };                                                                \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                            \
  __qgpu_both constexpr name##1 make_##name##1(T x) { return {x}; }                             \
  __qgpu_both constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }                     \
  __qgpu_both constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }             \
  __qgpu_both constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

__QGPU_VECTOR(char, signed char, 2, 4)
__QGPU_VECTOR(uchar, unsigned char, 2, 4)
__QGPU_VECTOR(short, short, 4, 8)
__QGPU_VECTOR(ushort, unsigned short, 4, 8)
__QGPU_VECTOR(int, int, 8, 16)
__QGPU_VECTOR(uint, unsigned int, 8, 16)
__QGPU_VECTOR(long, long, 16, 16)
__QGPU_VECTOR(ulong, unsigned long, 16, 16)
__QGPU_VECTOR(longlong, long long, 16, 16)
__QGPU_VECTOR(ulonglong, unsigned long long, 16, 16)
__QGPU_VECTOR(float, float, 8, 16)
__QGPU_VECTOR(double, double, 16, 16)
#undef __QGPU_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __qgpu_member constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __qgpu_member constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __qgpu_member constexpr operator uint3() const { return {x, y, z}; }
};
