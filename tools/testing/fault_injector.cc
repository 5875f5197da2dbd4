// A library for LD_PRELOAD under which a program's n-th request of one kind to the system fails:
// how programs end then is what system_faults_test looks at.
//
//   LD_PRELOAD=libqgpu_fault_injector.so QGPU_FAULT=write:3 QGPU_FAULT_TALLY=tally qgpu ...
//
// QGPU_FAULT is KIND:N, the n-th request fails, or KIND:N:on, it and all after it. The kinds:
//
//   memory  malloc and its relatives, and thereby `new`: ENOMEM      sync    fsync, fdatasync: EIO
//   open    open, openat, mkostemp: EMFILE                           rename  rename: EIO
//   read    read, pread: EIO                                         map     mmap: ENOMEM
//   write   write, pwrite: ENOSPC                                    thread  pthread_create: EAGAIN
//
// Requests are counted from main() on, in the process itself: neither in children nor in what they
// execute. The tally, a file of 16 bytes, says at each time how many requests of the kind there
// were and how many failed. Not seen are the requests that glibc makes of itself, as stdio does.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
// glibc's own allocator, beneath the names that are taken over here.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum class Kind { None, Memory, Open, Read, Write, Sync, Rename, Map, Thread };

struct Tally {
  std::atomic<std::int64_t> requests{0}, failed{0};
};

struct Plan {
  Kind kind = Kind::None;
  std::int64_t nth = 0;
  bool stays = false;  // the requests after it fail as well
};

Plan plan;
Tally* tally = nullptr;
std::atomic<bool> is_armed{false};

Kind kindNamed(std::string_view name) {
  constexpr std::string_view kNames[] = {"none", "memory", "open", "read",  "write",
                                         "sync", "rename", "map",  "thread"};
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Kind>(i);
  return Kind::None;
}

// The function that the program would have called.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Whether this request is one that fails; then errno says why.
bool fails(Kind kind, int error) {
  if (kind != plan.kind || !is_armed) return false;
  const std::int64_t n = ++tally->requests;
  if (plan.stays ? n < plan.nth : n != plan.nth) return false;
  ++tally->failed;
  errno = error;
  return true;
}

void readPlan() {
  const char* const text = std::getenv("QGPU_FAULT");
  const char* const file = std::getenv("QGPU_FAULT_TALLY");
  if (text == nullptr || file == nullptr) return;
  const std::string_view words(text);
  const std::size_t colon = words.find(':');
  if (colon == std::string_view::npos) return;
  const int descriptor = ::open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, sizeof(Tally)) != 0) return;
  void* const shared =
      ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (shared == MAP_FAILED) return;
  tally = static_cast<Tally*>(shared);
  plan = {kindNamed(words.substr(0, colon)), std::atoll(text + colon + 1), words.ends_with(":on")};
}

using Main = int (*)(int, char**, char**);
Main programs_main = nullptr;

int armedMain(int argc, char** argv, char** environment) {
  readPlan();
  for (const char* name : {"LD_PRELOAD", "QGPU_FAULT", "QGPU_FAULT_TALLY"}) ::unsetenv(name);
  pthread_atfork(nullptr, nullptr, [] { is_armed = false; });
  is_armed = tally != nullptr;
  const int status = programs_main(argc, argv, environment);
  is_armed = false;
  return status;
}

}  // namespace

extern "C" {

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
ssize_t read(int file, void* bytes, std::size_t size) {
  static const auto real = next<ssize_t (*)(int, void*, std::size_t)>("read");
  return fails(Kind::Read, EIO) ? -1 : real(file, bytes, size);
}
ssize_t pread(int file, void* bytes, std::size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  return fails(Kind::Read, EIO) ? -1 : real(file, bytes, size, at);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  return fails(Kind::Write, ENOSPC) ? -1 : real(file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  return fails(Kind::Write, ENOSPC) ? -1 : real(file, bytes, size, at);
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

// The same functions under the names that programs with large files use.
int open64(const char*, int, ...) __attribute__((alias("open")));
int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
int mkostemp64(char*, int) __attribute__((alias("mkostemp")));
ssize_t pread64(int, void*, std::size_t, off_t) __attribute__((alias("pread")));
ssize_t pwrite64(int, const void*, std::size_t, off_t) __attribute__((alias("pwrite")));
void* mmap64(void*, std::size_t, int, int, int, off_t) noexcept __attribute__((alias("mmap")));

}  // extern "C"
