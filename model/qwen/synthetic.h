// Checkpoints of random weights, in the stock form, for tests and measurements without the real
// weights. Small ones in a moment; the shape of Qwen3.5-2B (3.8 GB) in about the time that the disk
// takes.
//
//   auto done = writeSyntheticCheckpoint("/tmp/tiny", {.config = tinyConfig(), .seed = 1});
//   auto model = TextModel::open("/tmp/tiny", {});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "interpreter/base/failure.h"
#include "model/qwen/config.h"

namespace qgpu::model {

struct SyntheticOptions {
  Config config = {};
  std::uint64_t seed = 0;
  std::size_t shard_bytes = std::size_t{2}
                            << 30;  // a new shard begins before a tensor that passes it
  bool multimodal_names = false;    // "model.language_model." before every name
  // Hears of the bytes of weights as they are written; may be empty.
  std::function<void(std::size_t bytes)> on_written = {};
};

// Writes config.json, the weights (bf16, in one file or in shards with an index) and, where the
// vocabulary has room for it, a tokenizer.json into `folder`, which is made if need be. The same
// options give the same bytes. Needs memory for one block of values, whatever the size.
Expected<void> writeSyntheticCheckpoint(const std::filesystem::path& folder,
                                        const SyntheticOptions& options);

// The published shape of Qwen3.5-2B's text model: 24 layers, 1,881,825,088 parameters.
Config qwen2bConfig();

// Four layers (three linear, one full) of width 64 with a vocabulary of 320.
Config tinyConfig();

// The same with linear heads as wide as Qwen3.5's, which the compiled machine can stand in front
// of.
Config smallConfig();

// A tokenizer.json without merges: the 256 bytes, and the 33 added tokens of Qwen3.5 from
// `first_added` on.
std::string byteTokenizerJson(TokenId first_added);

}  // namespace qgpu::model
