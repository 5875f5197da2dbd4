#include "fuzz/cuda/native_batch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "conformance/cpu/grid.h"
#include "conformance/cpu/shared_memory.h"
#include "fuzz/cuda/native_library.h"

namespace qgpu::fuzz::cuda {
namespace {

constexpr unsigned kSecondsAllowed = 10;
constexpr std::array kOrders = {cpu::Order::Forward, cpu::Order::Backward};

using Entry = void (*)(void* const*);

// What the runner knows of a kernel that was loaded.
cpu::Kernel kernelFor(Entry entry) {
  return {[entry](const std::vector<cpu::Argument>& arguments) -> Expected<std::function<void()>> {
    std::vector<void*> addresses;
    for (const cpu::Argument& argument : arguments) addresses.push_back(argument.data);
    return [entry, addresses] { entry(addresses.data()); };
  }};
}

NativeResult runInOrders(const cpu::Kernel& kernel, const launch::Launch& launch) {
  const auto arrays = cpu::runGrid(kernel, launch, kOrders[0]);
  const auto again = cpu::runGrid(kernel, launch, kOrders[1]);
  if (!arrays) return arrays;
  if (!again) return again;
  if (*arrays != *again) return trap("the result depends on the order of the threads");
  return arrays;
}

// ---- The process that runs the kernels ---------------------------------------------------------
// For each kernel it writes a kind ('A' arrays, 'T' Trap), the length of what follows and that: the
// bytes of the arrays one after another, or a message.

void send(std::FILE* to, char kind, const std::string& content) {
  const auto length = static_cast<std::uint32_t>(content.size());
  std::fputc(kind, to);
  std::fwrite(&length, sizeof length, 1, to);
  std::fwrite(content.data(), 1, content.size(), to);
  std::fflush(to);
}

[[noreturn]] void runChild(std::FILE* to, const std::string& library,
                           std::span<const GeneratedKernel> kernels) {
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
  const auto touch = reinterpret_cast<const void* (*)()>(dlsym(loaded, kTouchShared));
  touch();
  cpu::useSharedMemoryOf(reinterpret_cast<const void*>(touch));
  for (const GeneratedKernel& kernel : kernels) {
    alarm(kSecondsAllowed);
    const auto entry = reinterpret_cast<Entry>(dlsym(loaded, entryOf(kernel.number).c_str()));
    const NativeResult result = runInOrders(kernelFor(entry), kernel.launch);
    std::string content = result ? "" : result.error().message;
    if (result)
      for (const auto& [name, bytes] : *result) content.append(bytes.begin(), bytes.end());
    send(to, result ? 'A' : 'T', content);
  }
  _exit(0);
}

// ---- The process that asks ---------------------------------------------------------------------

NativeResult arraysFrom(const std::string& content, const launch::Launch& launch) {
  launch::Arrays arrays = launch::arraysOf(launch);
  std::size_t at = 0;
  for (auto& [name, bytes] : arrays) {
    if (content.size() - at < bytes.size()) return trap("the native run broke off");
    std::memcpy(bytes.data(), content.data() + at, bytes.size());
    at += bytes.size();
  }
  return arrays;
}

// One kernel's answer; none where the process ended before it.
std::optional<NativeResult> receive(std::FILE* from, const launch::Launch& launch) {
  const int kind = std::fgetc(from);
  std::uint32_t length = 0;
  if (kind == EOF || std::fread(&length, sizeof length, 1, from) != 1) return std::nullopt;
  std::string content(length, '\0');
  if (std::fread(content.data(), 1, length, from) != length) return std::nullopt;
  if (kind == 'T') return trap(content);
  return arraysFrom(content, launch);
}

// How a process ended that did not answer.
NativeResult endOf(int status) {
  if (!WIFSIGNALED(status)) return trap("the kernels' process failed; see its messages");
  if (WTERMSIG(status) == SIGALRM) return trap("the kernel ran for more than ten seconds");
  return trap(fmt::format("the kernel crashed: {}", strsignal(WTERMSIG(status))));
}

// Runs kernels up to the first that ends the process; `results` gets one entry for each that was
// run, that one included.
Expected<void> runSome(const std::string& library, std::span<const GeneratedKernel> kernels,
                       std::vector<NativeResult>& results) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return refuse("no pipe to a native run");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runChild(fdopen(ends[1], "w"), library, kernels);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return refuse("no process for a native run");
  }
  std::FILE* const from = fdopen(ends[0], "r");
  std::size_t answered = 0;
  while (answered < kernels.size()) {
    auto result = receive(from, kernels[answered].launch);
    if (!result) break;
    results.push_back(*std::move(result));
    ++answered;
  }
  std::fclose(from);
  int status = 0;
  waitpid(child, &status, 0);
  if (answered < kernels.size()) results.push_back(endOf(status));
  return {};
}

}  // namespace

Expected<std::vector<NativeResult>> runNatively(std::span<const GeneratedKernel> kernels,
                                                const NativeOptions& options) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  const auto library = buildLibrary(kernels, options, folder->path());
  if (!library) return fail(library.error());
  std::vector<NativeResult> results;
  while (results.size() < kernels.size())
    if (auto ran = runSome(library->string(), kernels.subspan(results.size()), results); !ran)
      return fail(std::move(ran.error()));
  return results;
}

}  // namespace qgpu::fuzz::cuda
