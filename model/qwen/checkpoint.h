// A checkpoint folder: config.json and the weights, in one safetensors file or in shards named by
// model.safetensors.index.json. The files are memory-mapped and stay as they are.
//
//   auto checkpoint = Checkpoint::open("Qwen3.5-2B");          // Expected<Checkpoint>
//   const Tensor& up = checkpoint->tensor("layers.0.mlp.up_proj.weight");
//
// After open() every tensor of the text model is there, once, with its type and shape. Refused,
// with the file and the reason: a missing or unknown tensor, another shape or type, a damaged file,
// an index whose file names lead out of the folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/base/safetensors.h"
#include "model/qwen/config.h"

namespace qgpu::model {

class Checkpoint {
 public:
  static Expected<Checkpoint> open(const std::filesystem::path& folder);

  const Config& config() const { return config_; }
  const std::filesystem::path& folder() const { return folder_; }
  // A tensor of tensorsOf(config()), by its name there.
  const Tensor& tensor(std::string_view name) const;
  // The bytes of all files.
  std::size_t fileBytes() const;

 private:
  Expected<void> openFiles();
  Expected<void> bindTensors();

  std::filesystem::path folder_;
  Config config_;
  std::map<std::string, Safetensors> files_;                   // by file name
  std::map<std::string, const Tensor*, std::less<>> stored_;   // by stored name
  std::map<std::string, const Tensor*, std::less<>> tensors_;  // by name
};

// The shard of every tensor, from the text of an index file. Names of files must be plain names
// that end in ".safetensors". Bytes beyond a member "weight_map" are ignored.
Expected<std::map<std::string, std::string>> parseIndex(std::string_view json,
                                                        std::string_view file);

}  // namespace qgpu::model
