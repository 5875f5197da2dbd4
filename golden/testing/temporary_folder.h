// A folder for a test's files; gone with the object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "interpreter/base/failure.h"

namespace qgpu::golden {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string form = (std::filesystem::temp_directory_path() / "golden-XXXXXX").string();
    check(mkdtemp(form.data()) != nullptr, "a temporary folder can be made");
    path_ = form;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace qgpu::golden
