// Types of the CUDA runtime API that host code names in parameters, members and variables. The
// functions are called in bodies only, which are skipped; a few are here for initial values.
#pragma once

enum cudaError { cudaSuccess = 0, cudaErrorUnknown = 999 };
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef int CUdevice;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
struct cudaArray;
typedef struct cudaArray* cudaArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
struct cudaDeviceProp;
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaChannelFormatDesc;
struct cudaGraphicsResource;

__host__ const char* cudaGetErrorString(cudaError_t error);
__host__ const char* cudaGetErrorName(cudaError_t error);
__host__ cudaError_t cudaGetLastError();
__host__ cudaError_t cudaDeviceSynchronize();
__host__ cudaError_t cudaFree(void* memory);
template <class T> __host__ cudaError_t cudaMalloc(T** memory, size_t bytes);
__host__ cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

// What clang turns kernel<<<grid, block>>>(...) into.
extern "C" __host__ int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                          cudaStream_t stream = nullptr);
