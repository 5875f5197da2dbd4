#include "conformance/cpu/grid.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "conformance/cpu/include/device_variables.h"
#include "conformance/cpu/shared_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) \
  (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) \
  (static_cast<void>(address), static_cast<void>(size))
#endif

namespace qgpu::cpu {
namespace {

constexpr std::size_t kGuardBytes = 256;

std::byte patternOf(Order order) {
  switch (order) {
    case Order::Forward: return std::byte{0xa5};
    case Order::Backward: return std::byte{0x5a};
    case Order::Interleaved: return std::byte{0x3c};
  }
  bug("an order has a pattern");
}

// An array's bytes with a guard on either side, which nobody may touch.
class GuardedArray {
 public:
  GuardedArray(const std::vector<std::uint8_t>& bytes, std::byte pattern)
      : size_(bytes.size()), pattern_(pattern), memory_(2 * kGuardBytes + bytes.size(), pattern) {
    for (std::size_t i = 0; i < size_; ++i) data()[i] = std::byte{bytes[i]};
    // AddressSanitizer then reports reads too.
    ASAN_POISON_MEMORY_REGION(memory_.data(), kGuardBytes);
    ASAN_POISON_MEMORY_REGION(data() + size_, kGuardBytes);
  }
  ~GuardedArray() { unlock(); }
  GuardedArray(GuardedArray&&) noexcept = default;

  std::byte* data() { return memory_.data() + kGuardBytes; }
  std::size_t size() const { return size_; }
  bool guardsIntact() {
    unlock();
    const auto intact = [this](const std::byte* first) {
      return std::all_of(first, first + kGuardBytes, [this](std::byte b) { return b == pattern_; });
    };
    return intact(memory_.data()) && intact(data() + size_);
  }
  std::vector<std::uint8_t> bytes() {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(data());
    return {first, first + size_};
  }

 private:
  void unlock() { ASAN_UNPOISON_MEMORY_REGION(memory_.data(), memory_.size()); }

  std::size_t size_;
  std::byte pattern_;
  std::vector<std::byte> memory_;
};

struct BoundArguments {
  std::vector<GuardedArray> arrays;
  std::vector<Argument> arguments;
};

BoundArguments prepare(const launch::Launch& launch, std::vector<std::vector<std::uint8_t>>& values,
                       Order order) {
  BoundArguments bound;
  bound.arrays.reserve(launch.parameters.size());
  values.reserve(launch.parameters.size());
  for (const launch::Parameter& parameter : launch.parameters) {
    if (parameter.kind == launch::ParameterKind::Array) {
      bound.arrays.emplace_back(parameter.bytes, patternOf(order));
      bound.arguments.push_back(
          {parameter.name, true, bound.arrays.back().data(), parameter.bytes.size()});
    } else {
      values.push_back(parameter.bytes);
      bound.arguments.push_back(
          {parameter.name, false, values.back().data(), parameter.bytes.size()});
    }
  }
  return bound;
}

Expected<void> runBlocks(const std::function<void()>& thread, const launch::Launch& launch,
                         Order order) {
  const auto count = static_cast<unsigned>(launch.grid.count());
  gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
  blockDim = {launch.block.x, launch.block.y, launch.block.z};
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = order == Order::Backward ? count - 1 - i : i;
    blockIdx = {number % launch.grid.x, number / launch.grid.x % launch.grid.y,
                number / launch.grid.x / launch.grid.y};
    const auto shared = sharedMemory();
    std::fill(shared.begin(), shared.end(), patternOf(order));
    if (auto done = Block(thread, blockDim, order).run(); !done) return done;
  }
  return {};
}

}  // namespace

Expected<launch::Arrays> runGrid(const Kernel& kernel, const launch::Launch& launch, Order order,
                                 unsigned warp_size) {
  warpSize = static_cast<int>(warp_size);
  std::vector<std::vector<std::uint8_t>> values;
  BoundArguments bound = prepare(launch, values, order);
  const auto thread = kernel.bind(bound.arguments);
  if (!thread) return fail(thread.error());
  if (auto done = runBlocks(*thread, launch, order); !done) return fail(done.error());
  launch::Arrays results;
  std::size_t next = 0;
  for (const launch::Parameter& parameter : launch.parameters) {
    if (parameter.kind != launch::ParameterKind::Array) continue;
    GuardedArray& array = bound.arrays[next++];
    if (!array.guardsIntact())
      return trap("the kernel wrote beside array '" + parameter.name + "'");
    results[parameter.name] = array.bytes();
  }
  return results;
}

}  // namespace qgpu::cpu
