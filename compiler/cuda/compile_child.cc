#include "compiler/cuda/compile_child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "compiler/cuda/front_end_library.h"
#include "compiler/cuda/sockets.h"
#include "compiler/cuda/wire.h"
#include "interpreter/base/time_limit.h"

namespace qgpu::cuda {
namespace {

using std::chrono::milliseconds;

// Of the one compile of this process; here for the handlers.
int response_socket = -1;
std::string source_name;
// A signal handler must not allocate, so this answer is ready before.
std::string time_is_over;

void respondAndExit(const Expected<CompiledPtx>& response) {
  liftTimeLimit();
  writeAll(response_socket, encodeResponse(response));
  _exit(0);
}

void onStop(const Failure& refusal) {
  Failure complete = refusal;
  complete.location.file = source_name;
  respondAndExit(fail(complete));
}

void onTimeOver(int) {
  writeAll(response_socket, time_is_over);
  _exit(0);
}

void answerWhenTimeIsOver(milliseconds limit) {
  Failure refusal;
  refusal.location.file = source_name;
  refusal.message = fmt::format("compiling takes longer than the limit of {} ms", limit.count());
  refusal.hint = "simplify the source: the machine holds a small kernel";
  time_is_over = encodeResponse(fail(refusal));
  std::signal(SIGPROF, onTimeOver);
  std::signal(SIGALRM, onTimeOver);
  limitTime(limit);
}

void limitMemory([[maybe_unused]] std::size_t bytes) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Sanitizers take terabytes of addresses.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit memory{bytes, bytes};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

}  // namespace

void compileAndExit(int socket) {
  response_socket = socket;
  const auto bytes = readAll(socket, std::nullopt);
  const auto request = decodeRequest(bytes.value_or(""));
  if (!request) _exit(1);  // the caller has gone
  source_name = request->file_name;
  const auto front_end = frontEnd();
  if (!front_end) respondAndExit(fail(front_end.error()));
  answerWhenTimeIsOver(request->options.limits.time);
  limitMemory(request->options.limits.memory_bytes);
  (*front_end)->set_stop_handler(onStop);
  respondAndExit((*front_end)->compile(request->source, request->file_name, request->options));
  _exit(0);
}

}  // namespace qgpu::cuda
