#include "compiler/cuda/compile_server.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

#include "compiler/cuda/compile_child.h"
#include "compiler/cuda/front_end_library.h"
#include "compiler/cuda/sockets.h"
#include "compiler/cuda/wire.h"
#include "interpreter/base/time_limit.h"

namespace qgpu::cuda {
namespace {

// The stack of a compile. clang moves deep recursion to stacks of its own, LLVM does not.
constexpr std::size_t kStackBytes = 64u << 20;
// How long after a compile's own limit of real time its caller waits for the end of the child.
constexpr std::chrono::milliseconds kGrace{2000};
// The answer where the system has no process for a compile; no response begins like this.
constexpr std::string_view kNoProcess = "no process";
constexpr std::string_view kWarmUp =
    "__global__ void k(int *p) { for (; *p; ++p) atomicAdd(p, 1); }";

// Gives up what belongs to the process that we are a copy of: its files, and its handlers of
// signals and of missing memory. Returns the control socket's new number.
int becomeServer(int control) {
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, SIG_DFL);
  std::set_new_handler(nullptr);
  std::signal(SIGCHLD, SIG_IGN);  // children end without being waited for
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  constexpr int kControl = 3;
  if (control != kControl) dup2(control, kControl);
  close_range(kControl + 1, ~0u, 0);
  const int nowhere = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < kControl; ++standard) dup2(nowhere, standard);
  if (nowhere > kControl) close(nowhere);
  return kControl;
}

[[noreturn]] void serve(int inherited) {
  const int control = becomeServer(inherited);
  const auto front_end = frontEnd();
  if (front_end) (*front_end)->prepare();
  bool warm = false;
  while (const auto socket = receiveDescriptor(control)) {
    const pid_t child = fork();
    if (child == 0) {
      close(control);
      compileAndExit(socket->get());
    }
    if (child < 0) writeAll(socket->get(), kNoProcess);
    // While the first caller's compile runs, what LLVM loads lazily is loaded for those after it.
    if (front_end && !std::exchange(warm, true)) (*front_end)->compile(kWarmUp, "warm.cu", {});
  }
  _exit(0);
}

// What the thread that forks the server is given, and what it gives back.
struct Start {
  int control;
  int error = 0;  // as errno has it; 0 where the server runs
};

// Forks twice, so that the server is nobody's child to wait for. Runs on a thread of its own, whose
// stack is the server's and every compile's.
void* forkServer(void* argument) {
  Start& start = *static_cast<Start*>(argument);
  const pid_t between = fork();
  if (between == 0) {
    const pid_t server = fork();
    if (server == 0) serve(start.control);
    _exit(server > 0 ? 0 : errno);
  }
  if (between < 0) {
    start.error = errno;
    return nullptr;
  }
  int status = 0;
  while (waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  start.error = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
  return nullptr;
}

// No fault of the source's, so no Refusal of it.
[[noreturn]] void cannotStart(int error) {
  throw std::system_error(error, std::generic_category(),
                          "a compile cannot be started in a process of its own");
}

class Server {
 public:
  // Hands a socket to the server, starting it if it does not run.
  void send(int socket) {
    const std::lock_guard lock(mutex_);
    if (trySend(socket)) return;
    start();
    if (!trySend(socket)) cannotStart(errno);
  }

 private:
  bool trySend(int socket) { return control_.open() && sendDescriptor(control_.get(), socket); }

  void start() {
    const std::unique_lock nobody_compiles(compilingHere());
    auto sockets = makeSockets(SocketKind::Messages);
    if (!sockets) cannotStart(errno);
    Start start{sockets->theirs.get()};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread{};
    if (const int error = pthread_create(&thread, &attributes, forkServer, &start); error != 0)
      start.error = error;
    else
      pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    if (start.error != 0) cannotStart(start.error);
    control_ = std::move(sockets->ours);
  }

  std::mutex mutex_;
  Descriptor control_;
};

Server& server() {
  static Server instance;
  return instance;
}

Failure brokeDown(std::string_view file_name) {
  Failure refusal;
  refusal.location.file = file_name;
  refusal.message =
      "the compiler broke down on this source (out of stack or memory, or a fault of its own)";
  refusal.hint = "simplify the source: less nesting, fewer and smaller expressions";
  return refusal;
}

}  // namespace

std::shared_mutex& compilingHere() {
  static std::shared_mutex mutex;
  return mutex;
}

Expected<CompiledPtx> compileInChild(std::string_view source, std::string_view file_name,
                                     const CudaOptions& options) {
  auto sockets = makeSockets(SocketKind::Stream);
  if (!sockets) cannotStart(errno);
  server().send(sockets->theirs.get());
  sockets->theirs.close();
  const int socket = sockets->ours.get();
  if (!writeAll(socket, encodeRequest(source, file_name, options))) cannotStart(errno);
  shutdown(socket, SHUT_WR);
  const auto deadline =
      std::chrono::steady_clock::now() + options.limits.time * kRealTimeFactor + kGrace;
  const auto bytes = readAll(socket, deadline);
  if (bytes == kNoProcess) cannotStart(EAGAIN);
  if (!bytes && errno != ETIMEDOUT)
    throw std::system_error(errno, std::generic_category(), "the answer of a compile is lost");
  if (auto response = decodeResponse(bytes.value_or(""))) return std::move(*response);
  return fail(brokeDown(file_name));
}

}  // namespace qgpu::cuda
