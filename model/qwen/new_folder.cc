#include "model/qwen/new_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace qgpu::model {
namespace fs = std::filesystem;

Expected<NewFolder> NewFolder::create(const fs::path& path, std::uintmax_t bytes) {
  NewFolder folder;
  std::error_code error;
  folder.wanted_ = fs::absolute(path, error).lexically_normal();
  if (!folder.wanted_.has_filename()) folder.wanted_ = folder.wanted_.parent_path();
  const Location where{path.string(), 0, 0};
  if (fs::exists(folder.wanted_, error) &&
      (!fs::is_directory(folder.wanted_, error) || !fs::is_empty(folder.wanted_, error)))
    return refuseAt(where, "is there already", "name a new or an empty folder");
  const fs::path parent = folder.wanted_.parent_path();
  fs::create_directories(parent, error);
  const fs::space_info space = fs::space(parent, error);
  if (!error && space.available < bytes)
    return refuseAt(where, fmt::format("{:.1f} GB are needed, the disk has {:.1f} GB left",
                                       static_cast<double>(bytes) * 1e-9,
                                       static_cast<double>(space.available) * 1e-9));
  std::string name = folder.wanted_.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0755) != 0)
    return refuseAt(where, fmt::format("cannot be made: {}", std::strerror(errno)));
  folder.temporary_ = name;
  return folder;
}

NewFolder::NewFolder(NewFolder&& other) noexcept
    : wanted_(std::move(other.wanted_)), temporary_(std::exchange(other.temporary_, {})) {}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Expected<void> NewFolder::keep() {
  std::error_code error;
  fs::rename(temporary_, wanted_, error);  // over an empty folder too
  if (error)
    return refuseAt({wanted_.string(), 0, 0}, fmt::format("cannot be made: {}", error.message()));
  temporary_.clear();
  return {};
}

}  // namespace qgpu::model
