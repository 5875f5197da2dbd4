#include "compiler/cuda/compile_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "compiler/cuda/compile_child.h"
#include "compiler/cuda/front_end_library.h"
#include "compiler/cuda/sockets.h"
#include "compiler/cuda/wire.h"

namespace qgpu::cuda {
namespace {

// The stack of a compile. clang moves deep recursion to stacks of its own, LLVM does not.
constexpr std::size_t kStackBytes = 64u << 20;
// How long after a compile's own limit of real time its caller waits for the end of the child.
constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::string_view kWarmUp =
    "__global__ void k(int *p) { for (; *p; ++p) atomicAdd(p, 1); }";

// Gives up what belongs to the process that we are a copy of: its files, and its handlers of
// signals and of missing memory. Returns the control socket's new number.
int becomeServer(int control) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) std::signal(signal, SIG_DFL);
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
    if (fork() == 0) {
      close(control);
      compileAndExit(socket->get());
    }
    // While the first caller's compile runs, what LLVM loads lazily is loaded for those after it.
    if (front_end && !std::exchange(warm, true)) (*front_end)->compile(kWarmUp, "warm.cu", {});
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

class Server {
 public:
  // Hands a socket to the server, starting it if it does not run.
  bool send(int socket) {
    const std::lock_guard lock(mutex_);
    return trySend(socket) || (start() && trySend(socket));
  }

 private:
  bool trySend(int socket) { return control_.open() && sendDescriptor(control_.get(), socket); }

  bool start() {
    const std::unique_lock nobody_compiles(compilingHere());
    auto sockets = makeSockets(SocketKind::Messages);
    if (!sockets) return false;
    control_ = std::move(sockets->ours);
    int theirs = sockets->theirs.get();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread{};
    const bool started = pthread_create(&thread, &attributes, forkServer, &theirs) == 0;
    if (started) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return started;
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
  if (!sockets || !server().send(sockets->theirs.get()))
    return refuse("a compile cannot be started in a process of its own",
                  fmt::format("the system says: {}", std::strerror(errno)));
  sockets->theirs.close();
  const int socket = sockets->ours.get();
  writeAll(socket, encodeRequest(source, file_name, options));
  shutdown(socket, SHUT_WR);
  const auto deadline =
      std::chrono::steady_clock::now() + options.limits.time * kRealTimeFactor + kGrace;
  const auto bytes = readAll(socket, deadline);
  if (auto response = decodeResponse(bytes.value_or(""))) return std::move(*response);
  return fail(brokeDown(file_name));
}

}  // namespace qgpu::cuda
