// What launches run on: a GPU (cuda_device.cc), or in tests something in its place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch_list.h"

namespace qgpu::recorder {

// Bytes before and after each array that belong to nobody. The kernel gets the address behind the
// first of them.
inline constexpr std::size_t kGuardBytes = 256;

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;               // "Tesla T4"
  virtual std::string computeCapability() const = 0;  // "7.5"

  // Runs a launch once, in a module loaded afresh, so that __device__ variables have their first
  // values. memory[i] is what the allocation of the i-th array holds, guards included, before the
  // launch and after it. Returns what went wrong, or "".
  virtual std::string run(const Launch& launch, std::vector<Bytes>& memory) = 0;
};

// The device of this program; nullptr, with `complaint`, where there is none. `modules` is the
// folder of the compiled kernels.
std::unique_ptr<Device> openDevice(const std::string& modules, std::string& complaint);

}  // namespace qgpu::recorder
