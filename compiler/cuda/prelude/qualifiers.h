// The words of CUDA C++ that are not C++: where a function runs and where a variable lives.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
// Everything is inlined: the machine has no calls. So this word changes nothing.
#define __noinline__
#define __inline_hint__
#define __maxnreg__(n)
#define __block_size__(...)
#define __cluster_dims__(...)
#define __device_builtin__
#define __cudart_builtin__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

#define __qgpu_device __inline__ __attribute__((device, always_inline, nodebug))
#define __qgpu_both __inline__ __attribute__((host, device, always_inline, nodebug))
#define __qgpu_member __inline__ __attribute__((host, device, always_inline, nodebug))
#define __qgpu_device_member __inline__ __attribute__((device, always_inline, nodebug))
