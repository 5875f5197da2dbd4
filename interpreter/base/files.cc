#include "interpreter/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace qgpu {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Closes now; false where the system reports a late write error.
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

tl::unexpected<Failure> systemError(const std::filesystem::path& path, std::string_view action) {
  return refuseAt({path.string(), 0, 0},
                  fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

tl::unexpected<Failure> notAFile(const std::filesystem::path& path, mode_t mode) {
  std::string_view what = "is a device";
  if (S_ISDIR(mode)) what = "is a directory";
  if (S_ISFIFO(mode)) what = "is a pipe";  // what can be opened is no socket
  return refuseAt({path.string(), 0, 0}, std::string(what),
                  S_ISDIR(mode) ? "name a file" : "write its content into a file and name that");
}

bool writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Expected<std::string> readFile(const std::filesystem::path& path, std::size_t limit) {
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return systemError(path, "open");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return systemError(path, "examine");
  if (!S_ISREG(info.st_mode)) return notAFile(path, info.st_mode);
  const auto too_large = [&] {
    return refuseAt({path.string(), 0, 0}, fmt::format("is larger than {} bytes", limit),
                    "name the file that was meant, or make it smaller");
  };
  if (static_cast<std::size_t>(info.st_size) > limit) return too_large();
  // The size is a first guess: a file may grow, and those of /proc have none.
  std::string content;
  content.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return systemError(path, "read");
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > limit) return too_large();
  }
}

Expected<std::filesystem::path> outputFile(const std::filesystem::path& path) {
  const std::string name = path.string();
  struct stat info{};
  const bool is_there = ::stat(name.c_str(), &info) == 0;
  const bool is_special = is_there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  if (is_special || name.starts_with("/dev/") || name.starts_with("/proc/"))
    return refuseAt({name, 0, 0}, "is not a regular file and would be replaced",
                    "name a file; what is printed can be redirected");
  if (::lstat(name.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

Expected<void> keepApart(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& input : inputs) {
    std::error_code error;
    if (std::filesystem::equivalent(output, input, error) && !error)
      return refuseAt({output.string(), 0, 0}, "is read and would be overwritten",
                      "give the output another name");
  }
  return {};
}

Expected<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  const auto target = outputFile(path);
  if (!target) return fail(target.error());
  std::string temporary = target->string() + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return systemError(path, "write");
  const auto abandon = [&](std::string_view action) {
    const int error = errno;
    ::unlink(temporary.c_str());  // before a message, for which there may be no memory
    errno = error;
    return systemError(path, action);
  };
  if (!writeAll(file.get(), content) || ::fchmod(file.get(), 0644) != 0) return abandon("write");
  if (::fsync(file.get()) != 0 || !file.close()) return abandon("write");
  if (::rename(temporary.c_str(), target->c_str()) != 0) return abandon("replace");
  return {};
}

}  // namespace qgpu
