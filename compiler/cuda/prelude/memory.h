// Loads and stores with a cache hint. The machine has no cache: they are plain, except that __ldg
// keeps its promise that nobody writes the word (ld.global.nc).
#pragma once

#define __QGPU_LDG(T, U, suffix)                                                                \
  __qgpu_device T __ldg(const T* p) { return (T)__nvvm_ldg_##suffix((const U*)p); }

__QGPU_LDG(char, char, c)
__QGPU_LDG(signed char, signed char, sc)
__QGPU_LDG(unsigned char, unsigned char, uc)
__QGPU_LDG(short, short, s)
__QGPU_LDG(unsigned short, unsigned short, us)
__QGPU_LDG(int, int, i)
__QGPU_LDG(unsigned int, unsigned int, ui)
__QGPU_LDG(long, long, l)
__QGPU_LDG(unsigned long, unsigned long, ul)
__QGPU_LDG(long long, long long, ll)
__QGPU_LDG(unsigned long long, unsigned long long, ull)
__QGPU_LDG(float, float, f)
__QGPU_LDG(double, double, d)
#undef __QGPU_LDG

// The vector types: one part after another.
template <class T>
__qgpu_device T __ldg(const T* p) {
  return *p;
}

#define __QGPU_LOAD(name)                                                                       \
  template <class T>                                                                            \
  __qgpu_device T name(const T* p) {                                                            \
    return *p;                                                                                  \
  }
__QGPU_LOAD(__ldca)
__QGPU_LOAD(__ldcg)
__QGPU_LOAD(__ldcs)
__QGPU_LOAD(__ldlu)
template <class T>
__qgpu_device T __ldcv(const T* p) {
  return *(const volatile T*)p;
}
#undef __QGPU_LOAD

#define __QGPU_STORE(name)                                                                      \
  template <class T>                                                                            \
  __qgpu_device void name(T* p, T value) {                                                      \
    *p = value;                                                                                 \
  }
__QGPU_STORE(__stcg)
__QGPU_STORE(__stcs)
__QGPU_STORE(__stwb)
template <class T>
__qgpu_device void __stwt(T* p, T value) {
  *(volatile T*)p = value;
}
#undef __QGPU_STORE

#define __QGPU_IS_SPACE(name, space)                                                            \
  __qgpu_device unsigned int name(const void* p) { return __nvvm_isspacep_##space(p); }
__QGPU_IS_SPACE(__isGlobal, global)
__QGPU_IS_SPACE(__isShared, shared)
__QGPU_IS_SPACE(__isConstant, const)
__QGPU_IS_SPACE(__isLocal, local)
#undef __QGPU_IS_SPACE
