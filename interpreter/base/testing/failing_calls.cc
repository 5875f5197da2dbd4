#include "interpreter/base/testing/failing_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "interpreter/base/failure.h"

namespace qgpu::testing {
namespace {

struct Plan {
  std::string_view call;
  int error = 0;
  int times = 0;
};
thread_local Plan plan;

bool fails(std::string_view call) {
  if (plan.times == 0 || plan.call != call) return false;
  --plan.times;
  errno = plan.error;
  return true;
}

}  // namespace

FailingCall::FailingCall(std::string_view call, int error, int times) {
  check(plan.times == 0, "one call fails at a time");
  plan = {call, error, times};
}
FailingCall::~FailingCall() { plan = {}; }
int FailingCall::left() const { return plan.times; }

}  // namespace qgpu::testing

// The calls, as the kernel has them.
extern "C" {

ssize_t read(int fd, void* bytes, size_t count) {
  return qgpu::testing::fails("read") ? -1 : ::syscall(SYS_read, fd, bytes, count);
}
ssize_t write(int fd, const void* bytes, size_t count) {
  return qgpu::testing::fails("write") ? -1 : ::syscall(SYS_write, fd, bytes, count);
}
int fstat(int fd, struct stat* info) noexcept {
  return qgpu::testing::fails("fstat") ? -1 : ::fstatat(fd, "", info, AT_EMPTY_PATH);
}
int fchmod(int fd, mode_t mode) noexcept {
  return qgpu::testing::fails("fchmod") ? -1 : static_cast<int>(::syscall(SYS_fchmod, fd, mode));
}
int fsync(int fd) {
  return qgpu::testing::fails("fsync") ? -1 : static_cast<int>(::syscall(SYS_fsync, fd));
}
int close(int fd) {
  const auto result = static_cast<int>(::syscall(SYS_close, fd));
  return qgpu::testing::fails("close") ? -1 : result;
}
int rename(const char* from, const char* to) noexcept {
  return qgpu::testing::fails("rename")
             ? -1
             : static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  if (qgpu::testing::fails("mmap")) return MAP_FAILED;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): so the system gives an address
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, fd, offset));
}

}  // extern "C"
