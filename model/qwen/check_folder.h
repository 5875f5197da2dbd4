// What is in a model folder, what is missing and where to get it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/qwen/config.h"

namespace qgpu::model {

struct FolderItem {
  std::string what;  // "config.json", "weights", ...
  bool good = false;
  std::string detail;  // the shape or size that was found, or the reason why it is not good
};

struct FolderReport {
  std::vector<FolderItem> items;
  bool is_qwen_2b = false;  // the published shape
  std::string advice;       // where the missing files come from; empty if nothing is missing

  bool good() const;
  // One line for each item, then the advice.
  std::string text() const;
};

// Checks config.json, every weight's name, type, shape and place, tokenizer.json and whether the
// tokens that the chat format needs are in it; and every large file's SHA-256 where it is known:
// `hf download --local-dir` notes it in .cache/huggingface/download/NAME.metadata. Reads headers,
// and the weights only to hash them. `on_hashed` hears of the bytes.
FolderReport checkModelFolder(const std::filesystem::path& folder,
                              const std::function<void(std::size_t bytes)>& on_hashed = {});

}  // namespace qgpu::model
