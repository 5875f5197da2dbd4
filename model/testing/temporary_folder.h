// A folder for a test's files, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "interpreter/base/failure.h"

namespace qgpu::model {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "qgpu_XXXXXX").string();
    check(::mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path testData(const std::string& name) {
  return std::filesystem::path(QGPU_SOURCE_DIR) / "model" / "testdata" / name;
}

}  // namespace qgpu::model
