// Shuffles and votes among the lanes of a warp.
//
// PTX counts lanes up to 32 and takes the group width in the third operand: ((32 - width) << 8) |
// clamp. The width defaults to warpSize, the lanes of the machine's warp.
#pragma once

__qgpu_device int __qgpu_groups(int width, int clamp) { return ((32 - width) << 8) | clamp; }

#define __QGPU_SHUFFLE(name, builtin, Lane, clamp)                                              \
  __qgpu_device int name(unsigned int mask, int value, Lane lane, int width = warpSize) {       \
    return builtin(mask, value, (int)lane, __qgpu_groups(width, clamp));                        \
  }                                                                                             \
  __qgpu_device unsigned int name(unsigned int mask, unsigned int value, Lane lane,             \
                                  int width = warpSize) {                                       \
    return (unsigned int)name(mask, (int)value, lane, width);                                   \
  }                                                                                             \
  __qgpu_device unsigned long long name(unsigned int mask, unsigned long long value, Lane lane, \
                                        int width = warpSize) {                                 \
    const unsigned int low = name(mask, (unsigned int)value, lane, width);                      \
    const unsigned int high = name(mask, (unsigned int)(value >> 32), lane, width);             \
    return (unsigned long long)high << 32 | low;                                                \
  }                                                                                             \
  __qgpu_device long long name(unsigned int mask, long long value, Lane lane,                   \
                               int width = warpSize) {                                          \
    return (long long)name(mask, (unsigned long long)value, lane, width);                       \
  }                                                                                             \
  __qgpu_device long name(unsigned int mask, long value, Lane lane, int width = warpSize) {     \
    return (long)name(mask, (unsigned long long)value, lane, width);                            \
  }                                                                                             \
  __qgpu_device unsigned long name(unsigned int mask, unsigned long value, Lane lane,           \
                                   int width = warpSize) {                                      \
    return (unsigned long)name(mask, (unsigned long long)value, lane, width);                   \
  }                                                                                             \
  __qgpu_device float name(unsigned int mask, float value, Lane lane, int width = warpSize) {   \
    const int bits = name(mask, __builtin_bit_cast(int, value), lane, width);                   \
    return __builtin_bit_cast(float, bits);                                                     \
  }                                                                                             \
  __qgpu_device double name(unsigned int mask, double value, Lane lane, int width = warpSize) { \
    const long long bits = name(mask, __builtin_bit_cast(long long, value), lane, width);       \
    return __builtin_bit_cast(double, bits);                                                    \
  }

__QGPU_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, int, 31)
__QGPU_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, unsigned int, 0)
__QGPU_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, unsigned int, 31)
__QGPU_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, int, 31)
#undef __QGPU_SHUFFLE

__qgpu_device int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
__qgpu_device int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
__qgpu_device int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}
__qgpu_device unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
__qgpu_device unsigned int __activemask() { return __nvvm_activemask(); }
