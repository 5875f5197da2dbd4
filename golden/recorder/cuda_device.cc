// A GPU, through CUDA's driver interface: it loads modules as they lie in files, and afresh for
// each run.
#include <cuda.h>

#include <fstream>
#include <iterator>

#include "device.h"

namespace qgpu::recorder {
namespace {

std::string textOf(CUresult result) {
  const char* name = nullptr;
  const char* meaning = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &meaning);
  return std::string(name != nullptr ? name : "an error without a name") + ": " +
         (meaning != nullptr ? meaning : "it is unknown to this driver");
}

// The module's bytes; the driver wants PTX to end in a zero.
std::string readModule(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return bytes.empty() ? bytes : bytes + '\0';
}

class CudaDevice : public Device {
 public:
  CudaDevice(CUdevice device, std::string modules)
      : device_(device), modules_(std::move(modules)) {}
  ~CudaDevice() override { cuDevicePrimaryCtxRelease(device_); }

  std::string name() const override {
    char text[256] = {};
    cuDeviceGetName(text, sizeof text - 1, device_);
    return text;
  }
  std::string computeCapability() const override {
    int major = 0, minor = 0;
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
    return std::to_string(major) + "." + std::to_string(minor);
  }

  std::string run(const Launch& launch, std::vector<Bytes>& memory) override {
    const bool is_ptx =
        launch.module.size() > 4 && launch.module.compare(launch.module.size() - 4, 4, ".ptx") == 0;
    const std::string path = modules_ + "/" + launch.module + (is_ptx ? "" : ".fatbin");
    const std::string image = readModule(path);
    if (image.empty()) return "its module " + path + " is missing: nvcc did not compile it";
    const CUresult result = runImage(launch, image.data(), memory);
    if (result == CUDA_SUCCESS) return {};
    startAgain();
    return textOf(result);
  }

  CUresult start() const {
    CUcontext context = nullptr;
    const CUresult result = cuDevicePrimaryCtxRetain(&context, device_);
    return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
  }

 private:
  // A kernel's fault ends its context, and with it all that was allocated there.
  void startAgain() const {
    cuDevicePrimaryCtxReset(device_);
    cuDevicePrimaryCtxRelease(device_);
    start();
  }

  static CUresult runImage(const Launch& launch, const void* image, std::vector<Bytes>& memory) {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    if (const CUresult r = cuModuleLoadData(&module, image); r != CUDA_SUCCESS) return r;
    if (const CUresult r = cuModuleGetFunction(&kernel, module, launch.symbol.c_str());
        r != CUDA_SUCCESS)
      return r;
    std::vector<CUdeviceptr> allocations(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (const CUresult r = cuMemAlloc(&allocations[i], memory[i].size()); r != CUDA_SUCCESS)
        return r;
      if (const CUresult r = cuMemcpyHtoD(allocations[i], memory[i].data(), memory[i].size());
          r != CUDA_SUCCESS)
        return r;
    }
    if (const CUresult r = start(launch, kernel, allocations); r != CUDA_SUCCESS) return r;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (const CUresult r = cuMemcpyDtoH(memory[i].data(), allocations[i], memory[i].size());
          r != CUDA_SUCCESS)
        return r;
      cuMemFree(allocations[i]);
    }
    return cuModuleUnload(module);
  }

  // Starts the kernel and waits for its end.
  static CUresult start(const Launch& launch, CUfunction kernel,
                        const std::vector<CUdeviceptr>& allocations) {
    std::vector<CUdeviceptr> pointers;
    for (const CUdeviceptr allocation : allocations) pointers.push_back(allocation + kGuardBytes);
    std::vector<void*> arguments;
    std::size_t array = 0;
    for (const Parameter& parameter : launch.parameters)
      arguments.push_back(parameter.is_array ? static_cast<void*>(&pointers[array++])
                                             : const_cast<std::uint8_t*>(parameter.bytes.data()));
    const CUresult started = cuLaunchKernel(
        kernel, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
        launch.block[2], launch.shared_bytes, nullptr, arguments.data(), nullptr);
    return started == CUDA_SUCCESS ? cuCtxSynchronize() : started;
  }

  CUdevice device_;
  std::string modules_;
};

}  // namespace

std::unique_ptr<Device> openDevice(const std::string& modules, std::string& complaint) {
  CUdevice handle = 0;
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS) result = cuDeviceGet(&handle, 0);
  if (result == CUDA_SUCCESS) {
    auto device = std::make_unique<CudaDevice>(handle, modules);
    result = device->start();
    if (result == CUDA_SUCCESS) return device;
  }
  complaint = textOf(result);
  return nullptr;
}

}  // namespace qgpu::recorder
