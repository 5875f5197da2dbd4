// A regular file mapped read-only into memory: gigabytes are "opened" at once and pages are read
// when they are touched.
//
//   auto file = MappedFile::open("model.safetensors");   // Expected<MappedFile>
//   file->bytes();                                       // std::span<const std::byte>
//
// The mapping outlives a removal or replacement of the file (writeFileAtomically replaces). A
// program that truncates the file in place takes the pages away: reading them then ends the
// process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "interpreter/base/failure.h"

namespace qgpu {

class MappedFile {
 public:
  // Refused: a missing or unreadable file, anything that is not a regular file.
  static Expected<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace qgpu
