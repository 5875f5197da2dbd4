// A folder for files that nobody keeps: gone with the object, and all in it.
//
//   const auto folder = TemporaryFolder::make();   // Expected<TemporaryFolder>
//   writeFileAtomically(folder->path() / "kernels.cc", text);
//
// Tests, which cannot go on without one, say `const TemporaryFolder folder;`.
#pragma once

#include <filesystem>
#include <string>

#include "interpreter/base/failure.h"

namespace qgpu {

class TemporaryFolder {
 public:
  // Below TMPDIR, or /tmp. Refused: no such folder, or no room in it.
  static Expected<TemporaryFolder> make();
  // The same, where it is a bug that it cannot be made.
  TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: moved from
};

}  // namespace qgpu
