#include "conformance/cpu/native.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "conformance/cpu/grid.h"
#include "conformance/cpu/registry.h"
#include "interpreter/base/time_limit.h"

namespace qgpu::cpu {
namespace {

constexpr std::chrono::seconds kTimeAllowed{10};

// The child's answer: a kind byte ('A' arrays, 'R' Refusal, 'T' Trap) and then the arrays' bytes
// one after another in parameter order, or a message.
std::string answerOf(const Kernel& kernel, const launch::Launch& launch, Order order,
                     unsigned warp_size) {
  const auto arrays = runGrid(kernel, launch, order, warp_size);
  if (!arrays)
    return (arrays.error().kind == FailureKind::Trap ? "T" : "R") + arrays.error().message;
  std::string answer = "A";
  for (const auto& [name, bytes] : *arrays) answer.append(bytes.begin(), bytes.end());
  return answer;
}

[[noreturn]] void runChild(int to_parent, const Kernel& kernel, const launch::Launch& launch,
                           Order order, unsigned warp_size) {
  limitTime(kTimeAllowed);
  const std::string answer = answerOf(kernel, launch, order, warp_size);
  std::size_t sent = 0;
  while (sent < answer.size()) {
    const ssize_t n = write(to_parent, answer.data() + sent, answer.size() - sent);
    if (n <= 0) _exit(1);
    sent += static_cast<std::size_t>(n);
  }
  _exit(0);
}

std::string readAll(int from_child) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = read(from_child, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  return text;
}

Expected<launch::Arrays> arraysFrom(const std::string& answer, const launch::Launch& launch) {
  launch::Arrays arrays = launch::arraysOf(launch);
  std::size_t at = 1;
  for (auto& [name, bytes] : arrays) {
    if (answer.size() - at < bytes.size()) return trap("the native run broke off");
    std::memcpy(bytes.data(), answer.data() + at, bytes.size());
    at += bytes.size();
  }
  return arrays;
}

}  // namespace

Expected<launch::Arrays> runNatively(const std::string& kernel_name, const launch::Launch& launch,
                                     Order order, unsigned warp_size) {
  check(warp_size >= 1 && warp_size <= 32 && std::has_single_bit(warp_size), "a warp's size");
  const Kernel* const kernel = compiledKernels().find(kernel_name);
  if (kernel == nullptr) return refuse("no kernel '" + kernel_name + "' was compiled for the CPU");
  if (launch.shared_bytes > kMaxDynamicSharedBytes)
    return refuse("shared_bytes is " + std::to_string(launch.shared_bytes),
                  "use at most " + std::to_string(kMaxDynamicSharedBytes));
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return trap("no pipe to a native run");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    runChild(pipe_ends[1], *kernel, launch, order, warp_size);
  }
  close(pipe_ends[1]);
  if (child < 0) {
    close(pipe_ends[0]);
    return trap("no process for a native run");
  }
  const std::string answer = readAll(pipe_ends[0]);
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return trap(isTimeLimit(WTERMSIG(status))
                    ? "the kernel ran for more than ten seconds"
                    : std::string("the kernel crashed: ") + strsignal(WTERMSIG(status)));
  if (status != 0 || answer.empty()) return trap("the kernel's process failed; see its messages");
  if (answer[0] == 'T') return trap(answer.substr(1));
  if (answer[0] == 'R') return refuse(answer.substr(1));
  return arraysFrom(answer, launch);
}

}  // namespace qgpu::cpu
