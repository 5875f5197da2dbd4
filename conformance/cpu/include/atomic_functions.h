// CUDA's atomic functions. Threads are fibres, so a plain read and write is atomic already; the
// runner may switch to another thread after it.
#pragma once

#include "conformance/cpu/device.h"

namespace qgpu::cpu {

// Replaces *address by change(*address) and gives the old value.
template <typename T, typename Change>
T atomically(T* address, Change change) {
  const T old = *address;
  *address = change(old);
  afterAtomic();
  return old;
}

}  // namespace qgpu::cpu

inline int atomicAdd(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) {
    return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(v));
  });
}
inline unsigned atomicAdd(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return old + v; });
}
inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long v) {
  return qgpu::cpu::atomically(address, [v](unsigned long long old) { return old + v; });
}
inline int atomicSub(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) {
    return static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(v));
  });
}
inline unsigned atomicSub(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return old - v; });
}
inline int atomicExch(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int) { return v; });
}
inline unsigned atomicExch(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned) { return v; });
}
inline int atomicMin(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) { return v < old ? v : old; });
}
inline unsigned atomicMin(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return v < old ? v : old; });
}
inline int atomicMax(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) { return v > old ? v : old; });
}
inline unsigned atomicMax(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return v > old ? v : old; });
}
inline int atomicAnd(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) { return old & v; });
}
inline unsigned atomicAnd(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return old & v; });
}
inline int atomicOr(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) { return old | v; });
}
inline unsigned atomicOr(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return old | v; });
}
inline int atomicXor(int* address, int v) {
  return qgpu::cpu::atomically(address, [v](int old) { return old ^ v; });
}
inline unsigned atomicXor(unsigned* address, unsigned v) {
  return qgpu::cpu::atomically(address, [v](unsigned old) { return old ^ v; });
}
inline int atomicCAS(int* address, int expected, int v) {
  return qgpu::cpu::atomically(address, [=](int old) { return old == expected ? v : old; });
}
inline unsigned atomicCAS(unsigned* address, unsigned expected, unsigned v) {
  return qgpu::cpu::atomically(address, [=](unsigned old) { return old == expected ? v : old; });
}
inline unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                unsigned short v) {
  return qgpu::cpu::atomically(address,
                               [=](unsigned short old) { return old == expected ? v : old; });
}
// Counts up to `limit` and then starts again at 0.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return qgpu::cpu::atomically(address,
                               [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}
// Counts down to 0 and then starts again at `limit`.
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return qgpu::cpu::atomically(
      address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

// The other operations on 64 bits; min, max and the bitwise ones for signed numbers too.
#define QGPU_CPU_WIDE_ATOMIC(name, T, next)                                  \
  inline T name(T* address, T v) {                                           \
    return qgpu::cpu::atomically(address, [v](T old) -> T { return next; }); \
  }
QGPU_CPU_WIDE_ATOMIC(atomicExch, unsigned long long, v)
QGPU_CPU_WIDE_ATOMIC(atomicMin, unsigned long long, v < old ? v : old)
QGPU_CPU_WIDE_ATOMIC(atomicMin, long long, v < old ? v : old)
QGPU_CPU_WIDE_ATOMIC(atomicMax, unsigned long long, v > old ? v : old)
QGPU_CPU_WIDE_ATOMIC(atomicMax, long long, v > old ? v : old)
QGPU_CPU_WIDE_ATOMIC(atomicAnd, unsigned long long, old& v)
QGPU_CPU_WIDE_ATOMIC(atomicAnd, long long, old& v)
QGPU_CPU_WIDE_ATOMIC(atomicOr, unsigned long long, old | v)
QGPU_CPU_WIDE_ATOMIC(atomicOr, long long, old | v)
QGPU_CPU_WIDE_ATOMIC(atomicXor, unsigned long long, old ^ v)
QGPU_CPU_WIDE_ATOMIC(atomicXor, long long, old ^ v)
#undef QGPU_CPU_WIDE_ATOMIC
inline unsigned long long atomicCAS(unsigned long long* address, unsigned long long expected,
                                    unsigned long long v) {
  return qgpu::cpu::atomically(address,
                               [=](unsigned long long old) { return old == expected ? v : old; });
}
