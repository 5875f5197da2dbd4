// libcuda.so.1 without a GPU: as much of CUDA's driver as the recorder calls, with a few kernels of
// its own. A fault stays until the context is reset, as on a GPU.
#include <cuda.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "golden/recording.h"

struct CUmod_st {
  int count = 0;  // a __device__ variable
};

struct CUfunc_st {
  CUmod_st* module = nullptr;
  std::string name;
};

namespace {

struct Geometry {
  unsigned threads = 0, shared_bytes = 0;
};
using Arguments = void**;

struct Driver {
  bool in_context = false;
  CUresult fault = CUDA_SUCCESS;
  std::map<CUdeviceptr, std::unique_ptr<unsigned char[]>> memory;
  std::map<CUmodule, std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUfunc_st>> functions;

  CUresult state() const { return in_context ? fault : CUDA_ERROR_INVALID_CONTEXT; }
};

Driver& driver() {
  static Driver the_driver;
  return the_driver;
}

template <typename T>
T argument(Arguments arguments, int index) {
  T value;
  std::memcpy(static_cast<void*>(&value), arguments[index], sizeof value);
  return value;
}

// add(int* x, short by): x[i] += by + i, for each thread
CUresult add(CUmod_st&, Geometry geometry, Arguments arguments) {
  int* const x = argument<int*>(arguments, 0);
  for (unsigned i = 0; i < geometry.threads; ++i)
    x[i] += argument<short>(arguments, 1) + static_cast<int>(i);
  return CUDA_SUCCESS;
}
// count(int* x): x[0] = ++ of a __device__ variable
CUresult count(CUmod_st& module, Geometry, Arguments arguments) {
  argument<int*>(arguments, 0)[0] = ++module.count;
  return CUDA_SUCCESS;
}
// shared(int* x): x[0] = bytes of dynamic shared memory
CUresult shared(CUmod_st&, Geometry geometry, Arguments arguments) {
  argument<int*>(arguments, 0)[0] = static_cast<int>(geometry.shared_bytes);
  return CUDA_SUCCESS;
}
// beside(int* x): x[-1] = 0
CUresult beside(CUmod_st&, Geometry, Arguments arguments) {
  argument<int*>(arguments, 0)[-1] = 0;
  return CUDA_SUCCESS;
}
CUresult fault(CUmod_st&, Geometry, Arguments) { return CUDA_ERROR_ILLEGAL_ADDRESS; }

using KernelBody = CUresult (*)(CUmod_st&, Geometry, Arguments);
const std::map<std::string, KernelBody>& kernels() {
  static const std::map<std::string, KernelBody> kKernels = {
      {"add", add}, {"count", count}, {"shared", shared}, {"beside", beside}, {"fault", fault}};
  return kKernels;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  const auto length = qgpu::golden::kFixtureDevice.copy(name, static_cast<std::size_t>(size) - 1);
  name[length] = '\0';
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
  *value = 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxReset(CUdevice) {
  driver() = Driver();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) {
  driver().in_context = true;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return driver().state(); }

CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal address"
          : error == CUDA_ERROR_NOT_FOUND     ? "not found"
                                              : "another error";
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void*) {
  if (driver().state() != CUDA_SUCCESS) return driver().state();
  auto loaded = std::make_unique<CUmod_st>();
  *module = loaded.get();
  driver().modules[*module] = std::move(loaded);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  return driver().modules.erase(module) == 1 ? driver().state() : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (!kernels().contains(name)) return CUDA_ERROR_NOT_FOUND;
  driver().functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{module, name}));
  *function = driver().functions.back().get();
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream, void** arguments, void**) {
  if (driver().state() != CUDA_SUCCESS) return driver().state();
  const Geometry geometry{grid_x * grid_y * grid_z * block_x * block_y * block_z, shared_bytes};
  driver().fault = kernels().at(function->name)(*function->module, geometry, arguments);
  return CUDA_SUCCESS;  // a fault shows when the kernel is waited for
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  if (driver().state() != CUDA_SUCCESS) return driver().state();
  auto memory = std::make_unique<unsigned char[]>(bytes);
  *pointer = reinterpret_cast<CUdeviceptr>(memory.get());
  driver().memory[*pointer] = std::move(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return driver().memory.erase(pointer) == 1 ? driver().state() : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  const auto found = driver().memory.find(to);
  if (found == driver().memory.end()) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(found->second.get(), from, bytes);
  return driver().state();
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  const auto found = driver().memory.find(from);
  if (found == driver().memory.end()) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, found->second.get(), bytes);
  return driver().state();
}

}  // extern "C"
