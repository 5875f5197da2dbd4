// A library for LD_PRELOAD under which a program's n-th request of one kind to the system fails:
// how programs end then is what system_faults_test looks at.
//
//   LD_PRELOAD=libqgpu_fault_injector.so QGPU_FAULT=write:3 QGPU_FAULT_TALLY=tally qgpu ...
//
// QGPU_FAULT is KIND:N, the n-th request fails, or KIND:N:on, it and all after it; several are
// joined by commas, and "" fails nothing. The kinds:
//
//   memory   malloc and its relatives, and thereby `new`: ENOMEM
//   open     open, openat, opendir, mkostemp, mkdtemp: EMFILE
//   read     read, pread, recv, recvmsg: EIO
//   write    write, pwrite, send, sendmsg: ENOSPC
//   sync     fsync, fdatasync: EIO
//   rename   rename: EIO
//   map      mmap: ENOMEM
//   thread   pthread_create: EAGAIN
//   process  fork: EAGAIN
//   channel  pipe, pipe2, socketpair: EMFILE
//   part     no failure: a read or write, as above, moves about half of what is asked, and every
//            third one, like every third poll and waitpid, is interrupted (EINTR) before it begins
//
// Requests are counted from main() on in the process itself, or with QGPU_FAULT_IN=children in the
// processes that it forks; never in what they execute. The tally (fault_tally.h) is a file that
// says at each time how many requests of each kind there were and how many failed. Not seen are
// the requests that glibc makes of itself, as stdio does.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tools/testing/fault_tally.h"

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's.
// Its own allocator, beneath the names that are taken over here.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace {

using qgpu::testing::FaultTally;
using qgpu::testing::kFaultKinds;

enum class Kind { Memory, Open, Read, Write, Sync, Rename, Map, Thread, Process, Channel, Part };
constexpr std::size_t kKinds = std::size(kFaultKinds);
static_assert(kKinds == static_cast<std::size_t>(Kind::Part) + 1);

// When requests of a kind fail: from `first` to `last`.
struct Plan {
  std::int64_t first = 0, last = -1;
};

std::array<Plan, kKinds> plans;
FaultTally* tally = nullptr;
bool is_in_children = false;
std::atomic<bool> is_armed{false};

// The function that the program would have called.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The number of this request of its kind where it is one that fails, otherwise 0.
std::int64_t due(Kind kind) {
  if (!is_armed) return 0;
  const auto k = static_cast<std::size_t>(kind);
  const std::int64_t n = __atomic_add_fetch(&tally->requests[k], 1, __ATOMIC_RELAXED);
  if (n < plans[k].first || n > plans[k].last) return 0;
  __atomic_add_fetch(&tally->failed, 1, __ATOMIC_RELAXED);
  return n;
}

// Whether this request is one that fails; then errno says why.
bool fails(Kind kind, int error) {
  if (due(kind) == 0) return false;
  errno = error;
  return true;
}

// Whether this request is one that a signal interrupts.
bool isInterrupted() {
  const std::int64_t n = due(Kind::Part);
  if (n % 3 != 1) return false;
  errno = EINTR;
  return true;
}

// Of a request to move `size` bytes how many are moved; nothing where it is interrupted.
struct Transfer {
  std::size_t size = 0;
  bool is_interrupted = false;
};
Transfer transferOf(std::size_t size) {
  const std::int64_t n = due(Kind::Part);
  if (n == 0) return {size};
  if (n % 3 == 1) {
    errno = EINTR;
    return {0, true};
  }
  return {(size + 1) / 2};
}

// "write:3", "write:3:on"
void readPlan(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (colon == std::string_view::npos || text.substr(0, colon) != kFaultKinds[k]) continue;
    const std::int64_t n = std::atoll(text.data() + colon + 1);
    plans[k] = {n, text.ends_with(":on") ? INT64_MAX : n};
  }
}

void readPlans(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    readPlan(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void arm() {
  const char* const text = std::getenv("QGPU_FAULT");
  const char* const file = std::getenv("QGPU_FAULT_TALLY");
  const char* const where = std::getenv("QGPU_FAULT_IN");
  if (text == nullptr || file == nullptr) return;
  const int descriptor = ::open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, sizeof(FaultTally)) != 0) return;
  void* const shared =
      ::mmap(nullptr, sizeof(FaultTally), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (shared == MAP_FAILED) return;
  readPlans(text);
  is_in_children = where != nullptr && std::string_view(where) == "children";
  tally = static_cast<FaultTally*>(shared);
  pthread_atfork(nullptr, nullptr, [] { is_armed = is_in_children; });
  is_armed = !is_in_children;
}

using Main = int (*)(int, char**, char**);
Main programs_main = nullptr;

int armedMain(int argc, char** argv, char** environment) {
  arm();
  for (const char* name : {"LD_PRELOAD", "QGPU_FAULT", "QGPU_FAULT_TALLY", "QGPU_FAULT_IN"})
    ::unsetenv(name);
  const int status = programs_main(argc, argv, environment);
  is_armed = false;
  return status;
}

}  // namespace

extern "C" {

// NOLINTNEXTLINE(bugprone-reserved-identifier): glibc's name
int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  programs_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(armedMain, argc, argv, init, fini, loader_fini,
                                          stack_end);
}

void* malloc(std::size_t size) {
  return fails(Kind::Memory, ENOMEM) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fails(Kind::Memory, ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return fails(Kind::Memory, ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(Kind::Memory, ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (fails(Kind::Memory, ENOMEM)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  return fails(Kind::Open, EMFILE) ? -1 : real(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto real = next<int (*)(int, const char*, int, ...)>("openat");
  return fails(Kind::Open, EMFILE) ? -1 : real(folder, path, flags, mode);
}
int mkostemp(char* pattern, int flags) {
  static const auto real = next<int (*)(char*, int)>("mkostemp");
  return fails(Kind::Open, EMFILE) ? -1 : real(pattern, flags);
}
char* mkdtemp(char* pattern) noexcept {
  static const auto real = next<char* (*)(char*)>("mkdtemp");
  return fails(Kind::Open, EMFILE) ? nullptr : real(pattern);
}
DIR* opendir(const char* path) {
  static const auto real = next<DIR* (*)(const char*)>("opendir");
  return fails(Kind::Open, EMFILE) ? nullptr : real(path);
}

ssize_t read(int file, void* bytes, std::size_t size) {
  static const auto real = next<ssize_t (*)(int, void*, std::size_t)>("read");
  if (fails(Kind::Read, EIO)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(file, bytes, part.size);
}
ssize_t pread(int file, void* bytes, std::size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  if (fails(Kind::Read, EIO)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(file, bytes, part.size, at);
}
ssize_t recv(int socket, void* bytes, std::size_t size, int flags) {
  static const auto real = next<ssize_t (*)(int, void*, std::size_t, int)>("recv");
  if (fails(Kind::Read, EIO)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(socket, bytes, part.size, flags);
}
ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static const auto real = next<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  return fails(Kind::Read, EIO) || isInterrupted() ? -1 : real(socket, message, flags);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (fails(Kind::Write, ENOSPC)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(file, bytes, part.size);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  if (fails(Kind::Write, ENOSPC)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(file, bytes, part.size, at);
}
ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t, int)>("send");
  if (fails(Kind::Write, ENOSPC)) return -1;
  const Transfer part = transferOf(size);
  return part.is_interrupted ? -1 : real(socket, bytes, part.size, flags);
}
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static const auto real = next<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  return fails(Kind::Write, ENOSPC) || isInterrupted() ? -1 : real(socket, message, flags);
}
int poll(pollfd* files, nfds_t count, int timeout) {
  static const auto real = next<int (*)(pollfd*, nfds_t, int)>("poll");
  return isInterrupted() ? -1 : real(files, count, timeout);
}
pid_t waitpid(pid_t child, int* status, int options) {
  static const auto real = next<pid_t (*)(pid_t, int*, int)>("waitpid");
  return isInterrupted() ? -1 : real(child, status, options);
}
int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails(Kind::Sync, EIO) ? -1 : real(file);
}
int fdatasync(int file) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return fails(Kind::Sync, EIO) ? -1 : real(file);
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails(Kind::Rename, EIO) ? -1 : real(from, to);
}
void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t at) noexcept {
  static const auto real = next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  return fails(Kind::Map, ENOMEM) ? MAP_FAILED : real(where, size, protection, flags, file, at);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = next<Create>("pthread_create");
  return fails(Kind::Thread, EAGAIN) ? EAGAIN : real(thread, attributes, start, argument);
}
pid_t fork() noexcept {
  static const auto real = next<pid_t (*)()>("fork");
  return fails(Kind::Process, EAGAIN) ? -1 : real();
}
int pipe(int* ends) noexcept {
  static const auto real = next<int (*)(int*)>("pipe");
  return fails(Kind::Channel, EMFILE) ? -1 : real(ends);
}
int pipe2(int* ends, int flags) noexcept {
  static const auto real = next<int (*)(int*, int)>("pipe2");
  return fails(Kind::Channel, EMFILE) ? -1 : real(ends, flags);
}
int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  static const auto real = next<int (*)(int, int, int, int*)>("socketpair");
  return fails(Kind::Channel, EMFILE) ? -1 : real(domain, type, protocol, ends);
}

// The same functions under the names that programs with large files use.
int open64(const char*, int, ...) __attribute__((alias("open")));
int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
int mkostemp64(char*, int) __attribute__((alias("mkostemp")));
ssize_t pread64(int, void*, std::size_t, off_t) __attribute__((alias("pread")));
ssize_t pwrite64(int, const void*, std::size_t, off_t) __attribute__((alias("pwrite")));
void* mmap64(void*, std::size_t, int, int, int, off_t) noexcept __attribute__((alias("mmap")));

}  // extern "C"
