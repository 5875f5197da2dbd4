// Any bytes are a safetensors file or are refused; what is accepted lies inside them.
#include <cstdint>
#include <cstring>
#include <vector>

#include "interpreter/base/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // In a buffer of its own, aligned as a mapping is, so that a read past its end is seen.
  std::vector<std::uint64_t> words((size + 7) / 8);
  if (size > 0) std::memcpy(words.data(), data, size);
  const auto bytes = std::as_bytes(std::span(words)).first(size);
  const auto file = qgpu::Safetensors::parse(bytes, "fuzz");
  if (!file) return 0;
  std::size_t total = 0;
  unsigned sum = 0;
  for (const auto& [name, tensor] : file->tensors()) {
    total += tensor.bytes.size();
    for (const std::byte b : tensor.bytes) sum += static_cast<unsigned>(b);
  }
  qgpu::check(total <= size && sum <= 255 * size, "tensors do not overlap");
  return 0;
}
