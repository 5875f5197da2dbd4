#include "compiler/cuda/compile_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/cuda/front_end_library.h"
#include "compiler/cuda/wire.h"

namespace qgpu::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The stack of a compile. clang moves deep recursion to stacks of its own, LLVM does not.
constexpr std::size_t kStackBytes = 64u << 20;
// How much real time a compile may take for each unit of processor time, and how long after that
// its caller waits for the end of the child.
constexpr int kRealTimeFactor = 8;
constexpr milliseconds kGrace{2000};

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return value_; }
  bool open() const { return value_ >= 0; }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_;
};

struct Pair {
  Descriptor ours, theirs;
};

std::optional<Pair> makePair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool writeAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Everything up to the end of the stream, or nothing if it takes until `deadline`.
std::optional<std::string> readAll(int socket, std::optional<Clock::time_point> deadline) {
  std::string bytes;
  char buffer[16384];
  for (;;) {
    if (deadline) {
      const auto left = std::chrono::ceil<milliseconds>(*deadline - Clock::now()).count();
      pollfd wait{socket, POLLIN, 0};
      const int ready = poll(&wait, 1, static_cast<int>(std::max<long>(left, 0)));
      if (ready == 0) return std::nullopt;
      if (ready < 0 && errno == EINTR) continue;
    }
    const ssize_t received = recv(socket, buffer, sizeof buffer, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(received));
  }
}

// ---- The server's side.

// Of the one compile that a child process is for.
int response_socket = -1;
std::string source_name;

void respondAndExit(const Expected<CompiledPtx>& response) {
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  setitimer(ITIMER_REAL, &never, nullptr);
  writeAll(response_socket, encodeResponse(response));
  _exit(0);
}

void stopCompile(const Failure& refusal) {
  Failure complete = refusal;
  complete.location.file = source_name;
  respondAndExit(fail(complete));
}

// What to say when the time is over, ready before: a signal handler must not allocate.
std::string time_is_over;

void onTimeOver(int) {
  writeAll(response_socket, time_is_over);
  _exit(0);
}

itimerval timerOf(milliseconds time) {
  itimerval timer{};
  timer.it_value.tv_sec = time.count() / 1000;
  timer.it_value.tv_usec = time.count() % 1000 * 1000 + 1;  // 0 would be no timer
  return timer;
}

// Processor time, so that a busy machine does not change what compiles; and, if that does not pass,
// real time.
void setTimers(milliseconds limit) {
  Failure refusal;
  refusal.location.file = source_name;
  refusal.message = fmt::format("compiling takes longer than the limit of {} ms", limit.count());
  refusal.hint = "simplify the source: the machine holds a small kernel";
  time_is_over = encodeResponse(fail(refusal));
  std::signal(SIGPROF, onTimeOver);
  std::signal(SIGALRM, onTimeOver);
  const itimerval processor = timerOf(limit), real = timerOf(limit * kRealTimeFactor);
  setitimer(ITIMER_PROF, &processor, nullptr);
  setitimer(ITIMER_REAL, &real, nullptr);
}

void setMemory(std::size_t limit) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
  const rlimit memory{limit, limit};
  setrlimit(RLIMIT_AS, &memory);
#else
  static_cast<void>(limit);
#endif
}

[[noreturn]] void compileAndExit(int socket) {
  response_socket = socket;
  const auto bytes = readAll(socket, std::nullopt);
  const auto request = decodeRequest(bytes.value_or(""));
  if (!request) _exit(1);  // the caller has gone
  const auto front_end = frontEnd();
  if (!front_end) respondAndExit(fail(front_end.error()));
  source_name = request->file_name;
  setTimers(request->options.limits.time);
  setMemory(request->options.limits.memory_bytes);
  (*front_end)->set_stop_handler(stopCompile);
  respondAndExit((*front_end)->compile(request->source, request->file_name, request->options));
  _exit(0);
}

// The next caller's socket; nothing when the process that we serve has ended.
std::optional<int> receiveSocket(int control) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t received = 0;
  do received = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (received <= 0 || header == nullptr) return std::nullopt;
  int socket = -1;
  std::memcpy(&socket, CMSG_DATA(header), sizeof socket);
  return socket;
}

// Gives up what belongs to the process that we are a copy of: its files, its signal handlers.
void becomeServer(int control) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) std::signal(signal, SIG_DFL);
  std::signal(SIGCHLD, SIG_IGN);  // children end without being waited for
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  if (control > 3) close_range(3, static_cast<unsigned>(control) - 1, 0);
  close_range(static_cast<unsigned>(control) + 1, ~0u, 0);
  const int nowhere = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(nowhere, standard);
  if (nowhere > 2) ::close(nowhere);
}

[[noreturn]] void serve(int control) {
  becomeServer(control);
  const auto front_end = frontEnd();
  if (front_end) (*front_end)->prepare();
  bool warm = false;
  while (const auto socket = receiveSocket(control)) {
    if (fork() == 0) {
      ::close(control);
      compileAndExit(*socket);
    }
    ::close(*socket);
    // While the first caller's compile runs, the passes are loaded for the ones after it.
    if (front_end && !std::exchange(warm, true))
      (*front_end)
          ->compile("__global__ void k(int *p) { for (; *p; ++p) atomicAdd(p, 1); }", "warm.cu",
                    {});
  }
  _exit(0);
}

// Forks twice, so that the server is nobody's child to wait for. Runs on a thread of its own, whose
// stack is the server's and every compile's.
void* forkServer(void* control) {
  const pid_t between = fork();
  if (between == 0) {
    if (fork() == 0) serve(*static_cast<int*>(control));
    _exit(0);
  }
  if (between > 0)
    while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
  return nullptr;
}

// ---- The caller's side.

class Server {
 public:
  // Hands a socket to the server, starting it if it does not run.
  bool send(int socket) {
    const std::lock_guard lock(mutex_);
    return trySend(socket) || (start() && trySend(socket));
  }

 private:
  bool start() {
    auto pair = makePair(SOCK_SEQPACKET);
    if (!pair) return false;
    control_ = std::move(pair->ours);
    int theirs = pair->theirs.get();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread{};
    const bool started = pthread_create(&thread, &attributes, forkServer, &theirs) == 0;
    if (started) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return started;
  }

  bool trySend(int socket) {
    if (!control_.open()) return false;
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof socket);
    std::memcpy(CMSG_DATA(header), &socket, sizeof socket);
    return sendmsg(control_.get(), &message, MSG_NOSIGNAL) == 1;
  }

  std::mutex mutex_;
  Descriptor control_;
};

Server& server() {
  static Server instance;
  return instance;
}

Failure brokeDown(std::string_view file_name) {
  return {FailureKind::Refusal,
          {std::string(file_name)},
          "the compiler broke down on this source (out of stack or memory, or a fault of its own)",
          "simplify the source: less nesting, fewer and smaller expressions"};
}

}  // namespace

Expected<CompiledPtx> compileInChild(std::string_view source, std::string_view file_name,
                                     const CudaOptions& options) {
  auto pair = makePair(SOCK_STREAM);
  if (!pair || !server().send(pair->theirs.get()))
    return refuse("a compile cannot be started in a process of its own",
                  fmt::format("the system says: {}", std::strerror(errno)));
  pair->theirs.close();
  writeAll(pair->ours.get(), encodeRequest(source, file_name, options));
  shutdown(pair->ours.get(), SHUT_WR);
  const auto deadline = Clock::now() + options.limits.time * kRealTimeFactor + kGrace;
  const auto bytes = readAll(pair->ours.get(), deadline);
  if (auto response = decodeResponse(bytes.value_or(""))) return std::move(*response);
  return fail(brokeDown(file_name));
}

}  // namespace qgpu::cuda
