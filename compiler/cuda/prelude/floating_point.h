// Floating point is compiled as far as PTX; the machine has integers only, and the next stage says
// so at the line. Here are the names, so that the refusal is that one and not an unknown name.
#pragma once

__qgpu_both constexpr float fabsf(float x) { return __builtin_fabsf(x); }
__qgpu_both constexpr double fabs(double x) { return __builtin_fabs(x); }
__qgpu_both constexpr float abs(float x) { return __builtin_fabsf(x); }
__qgpu_both constexpr double abs(double x) { return __builtin_fabs(x); }
__qgpu_both constexpr float fminf(float a, float b) { return __builtin_fminf(a, b); }
__qgpu_both constexpr float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__qgpu_both constexpr double fmin(double a, double b) { return __builtin_fmin(a, b); }
__qgpu_both constexpr double fmax(double a, double b) { return __builtin_fmax(a, b); }
__qgpu_both constexpr float min(float a, float b) { return fminf(a, b); }
__qgpu_both constexpr float max(float a, float b) { return fmaxf(a, b); }
__qgpu_both constexpr double min(double a, double b) { return fmin(a, b); }
__qgpu_both constexpr double max(double a, double b) { return fmax(a, b); }

#define __QGPU_ONE(name)                                                                        \
  extern "C" __host__ __device__ float name##f(float);                                          \
  extern "C" __host__ __device__ double name(double);
#define __QGPU_TWO(name)                                                                        \
  extern "C" __host__ __device__ float name##f(float, float);                                   \
  extern "C" __host__ __device__ double name(double, double);

__QGPU_ONE(sqrt) __QGPU_ONE(rsqrt) __QGPU_ONE(cbrt) __QGPU_ONE(exp) __QGPU_ONE(exp2)
__QGPU_ONE(expm1) __QGPU_ONE(log) __QGPU_ONE(log2) __QGPU_ONE(log10) __QGPU_ONE(log1p)
__QGPU_ONE(sin) __QGPU_ONE(cos) __QGPU_ONE(tan) __QGPU_ONE(asin) __QGPU_ONE(acos)
__QGPU_ONE(atan) __QGPU_ONE(sinh) __QGPU_ONE(cosh) __QGPU_ONE(tanh) __QGPU_ONE(floor)
__QGPU_ONE(ceil) __QGPU_ONE(round) __QGPU_ONE(trunc) __QGPU_ONE(rint) __QGPU_ONE(erf)
__QGPU_TWO(pow) __QGPU_TWO(fmod) __QGPU_TWO(atan2) __QGPU_TWO(hypot)
#undef __QGPU_ONE
#undef __QGPU_TWO

#define __QGPU_FAST(name) extern "C" __device__ float name(float);
__QGPU_FAST(__expf) __QGPU_FAST(__logf) __QGPU_FAST(__sinf) __QGPU_FAST(__cosf)
__QGPU_FAST(__saturatef) __QGPU_FAST(__fsqrt_rn)
#undef __QGPU_FAST
extern "C" __device__ float __powf(float, float);
extern "C" __device__ float __fdividef(float, float);
extern "C" __host__ __device__ float fmaf(float, float, float);
extern "C" __host__ __device__ double fma(double, double, double);

__qgpu_device int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__qgpu_device float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__qgpu_device unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__qgpu_device float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }

#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
