// Atomic functions on 32-bit and 64-bit integers in global and shared memory, and compare-and-swap
// on 16 bits.
//
// The variants with a scope (_block, _system) are the plain ones: there is one memory, and what is
// atomic for the whole launch is atomic for a part of it.
#pragma once

#define __QGPU_ATOMIC(name, T, U, builtin)                                                      \
  __qgpu_device T name(T* p, T v) { return (T)builtin((volatile U*)p, (U)v); }                  \
  __qgpu_device T name##_block(T* p, T v) { return name(p, v); }                                \
  __qgpu_device T name##_system(T* p, T v) { return name(p, v); }

// The types that CUDA documents: int, unsigned, unsigned long long; min, max and the bitwise ones
// also take long long.
#define __QGPU_ATOMIC_INTEGERS(name, builtin)                                                   \
  __QGPU_ATOMIC(name, int, int, builtin##_i)                                                    \
  __QGPU_ATOMIC(name, unsigned int, int, builtin##_i)                                           \
  __QGPU_ATOMIC(name, unsigned long long, long long, builtin##_ll)

__QGPU_ATOMIC_INTEGERS(atomicAdd, __nvvm_atom_add_gen)
__QGPU_ATOMIC_INTEGERS(atomicExch, __nvvm_atom_xchg_gen)
__QGPU_ATOMIC_INTEGERS(atomicAnd, __nvvm_atom_and_gen)
__QGPU_ATOMIC_INTEGERS(atomicOr, __nvvm_atom_or_gen)
__QGPU_ATOMIC_INTEGERS(atomicXor, __nvvm_atom_xor_gen)
__QGPU_ATOMIC(atomicAnd, long long, long long, __nvvm_atom_and_gen_ll)
__QGPU_ATOMIC(atomicOr, long long, long long, __nvvm_atom_or_gen_ll)
__QGPU_ATOMIC(atomicXor, long long, long long, __nvvm_atom_xor_gen_ll)
__QGPU_ATOMIC(atomicMin, int, int, __nvvm_atom_min_gen_i)
__QGPU_ATOMIC(atomicMin, unsigned int, unsigned int, __nvvm_atom_min_gen_ui)
__QGPU_ATOMIC(atomicMin, long long, long long, __nvvm_atom_min_gen_ll)
__QGPU_ATOMIC(atomicMin, unsigned long long, unsigned long long, __nvvm_atom_min_gen_ull)
__QGPU_ATOMIC(atomicMax, int, int, __nvvm_atom_max_gen_i)
__QGPU_ATOMIC(atomicMax, unsigned int, unsigned int, __nvvm_atom_max_gen_ui)
__QGPU_ATOMIC(atomicMax, long long, long long, __nvvm_atom_max_gen_ll)
__QGPU_ATOMIC(atomicMax, unsigned long long, unsigned long long, __nvvm_atom_max_gen_ull)
__QGPU_ATOMIC(atomicInc, unsigned int, unsigned int, __nvvm_atom_inc_gen_ui)
__QGPU_ATOMIC(atomicDec, unsigned int, unsigned int, __nvvm_atom_dec_gen_ui)
__QGPU_ATOMIC(atomicAdd, float, float, __nvvm_atom_add_gen_f)
__QGPU_ATOMIC(atomicAdd, double, double, __nvvm_atom_add_gen_d)

// PTX has no subtraction either.
#define __QGPU_ATOMIC_SUB(T)                                                                    \
  __qgpu_device T atomicSub(T* p, T v) { return atomicAdd(p, (T)(0u - (unsigned int)v)); }      \
  __qgpu_device T atomicSub_block(T* p, T v) { return atomicSub(p, v); }                        \
  __qgpu_device T atomicSub_system(T* p, T v) { return atomicSub(p, v); }
__QGPU_ATOMIC_SUB(int)
__QGPU_ATOMIC_SUB(unsigned int)
#undef __QGPU_ATOMIC_SUB

#define __QGPU_ATOMIC_CAS(T, U, builtin)                                                        \
  __qgpu_device T atomicCAS(T* p, T expected, T desired) {                                      \
    return (T)builtin((volatile U*)p, (U)expected, (U)desired);                                 \
  }                                                                                             \
  __qgpu_device T atomicCAS_block(T* p, T e, T d) { return atomicCAS(p, e, d); }                \
  __qgpu_device T atomicCAS_system(T* p, T e, T d) { return atomicCAS(p, e, d); }

__QGPU_ATOMIC_CAS(int, int, __nvvm_atom_cas_gen_i)
__QGPU_ATOMIC_CAS(unsigned int, int, __nvvm_atom_cas_gen_i)
__QGPU_ATOMIC_CAS(unsigned long long, long long, __nvvm_atom_cas_gen_ll)

// Of the word around it, again while the other half changes.
__qgpu_device unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short desired) {
  const unsigned int upper = (unsigned int)(unsigned long long)p & 2, shift = 8 * upper;
  unsigned int* word = (unsigned int*)((char*)p - upper);
  unsigned int seen = *(volatile unsigned int*)word, assumed;
  do {
    assumed = seen;
    if ((unsigned short)(assumed >> shift) != expected) break;
    seen = atomicCAS(word, assumed, (assumed & ~(0xffffu << shift)) | (unsigned int)desired << shift);
  } while (seen != assumed);
  return (unsigned short)(seen >> shift);
}
__qgpu_device unsigned short atomicCAS_block(unsigned short* p, unsigned short e, unsigned short d) { return atomicCAS(p, e, d); }
__qgpu_device unsigned short atomicCAS_system(unsigned short* p, unsigned short e, unsigned short d) { return atomicCAS(p, e, d); }

// Exchanging a float moves bits only.
__qgpu_device float atomicExch(float* p, float v) {
  return __builtin_bit_cast(float, atomicExch((int*)p, __builtin_bit_cast(int, v)));
}

#undef __QGPU_ATOMIC_CAS
#undef __QGPU_ATOMIC_INTEGERS
#undef __QGPU_ATOMIC
