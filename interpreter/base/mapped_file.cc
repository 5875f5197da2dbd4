#include "interpreter/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace qgpu {
namespace {

tl::unexpected<Failure> systemError(const std::filesystem::path& path, std::string_view action) {
  return refuseAt({path.string(), 0, 0},
                  fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

Expected<std::span<const std::byte>> map(const std::filesystem::path& path, int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return systemError(path, "examine");
  if (!S_ISREG(info.st_mode))
    return refuseAt({path.string(), 0, 0}, "is not a regular file", "name a file");
  if (info.st_size == 0) return std::span<const std::byte>{};
  const auto size = static_cast<std::size_t>(info.st_size);
  const void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return systemError(path, "map");
  return std::span(static_cast<const std::byte*>(data), size);
}

}  // namespace

Expected<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return systemError(path, "open");
  auto bytes = map(path, fd);
  ::close(fd);
  return bytes.map([](std::span<const std::byte> b) { return MappedFile(b); });
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace qgpu
