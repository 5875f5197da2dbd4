#include "interpreter/base/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace qgpu {

Expected<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return refuse(fmt::format("no folder for temporary files: {}", error.message()),
                  "set TMPDIR to one");
  std::string name = (parent / "qgpu_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return refuse(fmt::format("no temporary folder {}: {}", name, std::strerror(errno)));
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder() {
  auto made = make();
  check(made.has_value(), "a temporary folder can be made");
  path_ = std::exchange(made->path_, {});
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace qgpu
