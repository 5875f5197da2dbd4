// A folder that appears whole or not at all.
//
//   auto folder = NewFolder::create("out", 4'500'000'000);   // Expected<NewFolder>
//   ... write into folder->path() ...
//   auto done = folder->keep();                              // now it is "out"
#pragma once

#include <cstdint>
#include <filesystem>

#include "interpreter/base/failure.h"

namespace qgpu::model {

class NewFolder {
 public:
  // A temporary folder beside `path`. Refused: a `path` that is there and is not an empty folder, a
  // disk with less than `bytes` free.
  static Expected<NewFolder> create(const std::filesystem::path& path, std::uintmax_t bytes);
  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();  // removes what was not kept

  const std::filesystem::path& path() const { return temporary_; }
  Expected<void> keep();

 private:
  NewFolder() = default;

  std::filesystem::path wanted_, temporary_;
};

}  // namespace qgpu::model
