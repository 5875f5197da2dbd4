// Any text is a config.json, or an index of shards, or is refused.
#include <cstdint>
#include <string_view>

#include "model/qwen/checkpoint.h"
#include "model/qwen/tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto config = qgpu::model::parseConfig(text, "fuzz")) {
    const auto again = qgpu::model::parseConfig(qgpu::model::configJson(*config), "again");
    qgpu::check(again && qgpu::model::configJson(*again) == qgpu::model::configJson(*config),
                "a config that was read can be written and read again");
  }
  if (const auto index = qgpu::model::parseIndex(text, "fuzz"))
    for (const auto& [tensor, file] : *index)
      qgpu::check(file.find('/') == file.npos && file.front() != '.', "shards stay in the folder");
  return 0;
}
