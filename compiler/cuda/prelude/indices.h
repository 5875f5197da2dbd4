// threadIdx, blockIdx, blockDim, gridDim and warpSize. Their members are properties that read a
// special register of PTX, so a copy (`auto t = threadIdx`) or a reference reads the same value.
#pragma once

#define __QGPU_SPECIAL_REGISTER(member, name)                                         \
  __declspec(property(get = __qgpu_get_##member)) unsigned int member;                \
  __qgpu_device_member unsigned int __qgpu_get_##member() const {                     \
    return __nvvm_read_ptx_sreg_##name##_##member();                                  \
  }

#define __QGPU_INDEX(variable, name)                                                  \
  struct __qgpu_##name {                                                              \
    __QGPU_SPECIAL_REGISTER(x, name)                                                  \
    __QGPU_SPECIAL_REGISTER(y, name)                                                  \
    __QGPU_SPECIAL_REGISTER(z, name)                                                  \
    __qgpu_device_member operator uint3() const { return {x, y, z}; }                 \
    __qgpu_device_member operator dim3() const { return dim3(x, y, z); }              \
  };                                                                                  \
  extern const __device__ __qgpu_##name variable;

__QGPU_INDEX(threadIdx, tid)
__QGPU_INDEX(blockIdx, ctaid)
__QGPU_INDEX(blockDim, ntid)
__QGPU_INDEX(gridDim, nctaid)

// The front end gives this constant its value, the lanes of the machine's warp.
extern const __device__ int warpSize;

#undef __QGPU_INDEX
#undef __QGPU_SPECIAL_REGISTER
