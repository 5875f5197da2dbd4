// For tests: a folder for files, removed at its end, and those that lie in model/testdata.
#pragma once

#include <filesystem>
#include <string>

#include "interpreter/base/temporary_folder.h"

namespace qgpu::model {

using qgpu::TemporaryFolder;

inline std::filesystem::path testData(const std::string& name) {
  return std::filesystem::path(QGPU_SOURCE_DIR) / "model" / "testdata" / name;
}

}  // namespace qgpu::model
