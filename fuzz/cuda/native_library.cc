#include "fuzz/cuda/native_library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "fuzz/cuda/print.h"
#include "fuzz/cuda/print_expression.h"
#include "interpreter/base/files.h"

namespace qgpu::fuzz::cuda {
namespace {

// A kernel with a call that takes its arguments as addresses.
std::string withEntry(const GeneratedKernel& kernel) {
  std::string arguments;
  int number = 0;
  for (const launch::Parameter& p : kernel.launch.parameters) {
    const bool array = p.kind == launch::ParameterKind::Array;
    const std::string_view type = cName(p.type);
    arguments +=
        fmt::format("{}{}a[{}]", arguments.empty() ? "" : ", ",
                    array ? fmt::format("({} *)", type) : fmt::format("*({} *)", type), number++);
  }
  return fmt::format("{}\nextern \"C\" void {}(void *const *a) {{ {}({}); }}\n\n", kernel.source,
                     entryOf(kernel.number), kernelName(kernel.number), arguments);
}

std::string textOf(std::span<const GeneratedKernel> kernels) {
  std::string text = "#include <cuda_runtime.h>\n\n";
  for (const GeneratedKernel& kernel : kernels) text += withEntry(kernel);
  return text + fmt::format(
                    "static thread_local char touched;\n"
                    "extern \"C\" const void *{}() {{ return &touched; }}\n",
                    kTouchShared);
}

// Runs a program with its messages in a file; the exit status, or none where it cannot start.
std::optional<int> runProgram(const std::vector<std::string>& words,
                              const std::filesystem::path& messages) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int started =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (started != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The first line that says what is wrong.
std::string firstError(const std::string& messages) {
  const std::size_t error = messages.find("error");
  const std::size_t begin = error == std::string::npos ? 0 : messages.rfind('\n', error) + 1;
  return messages.substr(begin, messages.find('\n', begin) - begin);
}

}  // namespace

std::string entryOf(std::uint64_t number) { return fmt::format("qgpu_k{}", number); }

Expected<std::filesystem::path> buildLibrary(std::span<const GeneratedKernel> kernels,
                                             const NativeOptions& options,
                                             const std::filesystem::path& folder) {
  const auto source = folder / "kernels.cc", messages = folder / "messages.txt";
  auto library = folder / "kernels.so";
  if (auto written = writeFileAtomically(source, textOf(kernels)); !written)
    return fail(std::move(written.error()));
  std::vector<std::string> words = {options.compiler, "-std=c++20", "-w",
                                    "-fPIC",          "-shared",    "-fno-strict-aliasing"};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  const std::string root = QGPU_SOURCE_DIR;
  words.insert(words.end(), {"-I" + root + "/conformance/cpu/include", "-I" + root, source.string(),
                             "-o", library.string()});
  const auto status = runProgram(words, messages);
  if (!status || *status == 127)
    return refuse(fmt::format("the compiler '{}' does not start", options.compiler),
                  "install g++, which says what a random kernel must compute");
  if (*status == 0) return library;
  const auto said = readFile(messages);
  Failure failure;
  failure.kind = FailureKind::Bug;
  failure.message = fmt::format("{} does not take a random kernel: {}", options.compiler,
                                said ? firstError(*said) : "no message");
  return fail(std::move(failure));
}

}  // namespace qgpu::fuzz::cuda
