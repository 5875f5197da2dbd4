#include "fuzz/judge/apart.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "interpreter/base/bug_reporter.h"
#include "interpreter/base/out_of_memory.h"
#include "interpreter/base/time_limit.h"

namespace qgpu::fuzz {
namespace {

// What stands in the pipe: what a task gave, or the sentence of the bug that ended it.
enum class Part : char { Answer, Bug };

// Its kind, its length, then its bytes.
void send(std::FILE* to, Part part, const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::fwrite(&part, sizeof part, 1, to);
  std::fwrite(&length, sizeof length, 1, to);
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

std::optional<Answer> receive(std::FILE* from) {
  Part part{};
  std::uint32_t length = 0;
  if (std::fread(&part, sizeof part, 1, from) != 1) return std::nullopt;
  if (std::fread(&length, sizeof length, 1, from) != 1) return std::nullopt;
  std::string text(length, '\0');
  if (std::fread(text.data(), 1, length, from) != length) return std::nullopt;
  return part == Part::Bug ? Answer{"", std::move(text)} : Answer{std::move(text), ""};
}

// Of the process that runs tasks; here for its reporter of bugs.
std::FILE* to_caller = nullptr;

std::string endOf(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  if (isTimeLimit(WTERMSIG(status))) return "it ran into its limit of time";
  return strsignal(WTERMSIG(status));
}

tl::unexpected<Failure> noProcess(int error) {
  return refuse(fmt::format("no process for random kernels: {}", std::strerror(error)),
                "free what the system is short of");
}

// Runs tasks from `first` on in one process, up to the first that ends it.
Expected<void> runSome(std::size_t first, std::size_t tasks, const std::function<void()>& prepare,
                       const std::function<std::string(std::size_t)>& task,
                       std::chrono::milliseconds limit, std::vector<Answer>& answers) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return noProcess(errno);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    to_caller = fdopen(ends[1], "w");
    if (to_caller == nullptr) outOfMemory();
    setBugReporter([](const Failure& bug) { send(to_caller, Part::Bug, bug.text()); });
    if (prepare) prepare();
    for (std::size_t i = first; i < tasks; ++i) {
      limitTime(limit);
      send(to_caller, Part::Answer, task(i));
    }
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    return noProcess(error);
  }
  std::FILE* const from = fdopen(ends[0], "r");
  if (from == nullptr) outOfMemory();
  bool is_told = false;  // how the process ended
  while (answers.size() < tasks && !is_told) {
    auto answer = receive(from);
    if (!answer) break;
    is_told = !answer->end.empty();
    answers.push_back(*std::move(answer));
  }
  std::fclose(from);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answers.size() < tasks && !is_told) answers.push_back({"", endOf(status)});
  return {};
}

}  // namespace

Expected<std::vector<Answer>> runApart(std::size_t tasks, const std::function<void()>& prepare,
                                       const std::function<std::string(std::size_t)>& task,
                                       std::chrono::milliseconds limit) {
  std::vector<Answer> answers;
  while (answers.size() < tasks)
    if (auto ran = runSome(answers.size(), tasks, prepare, task, limit, answers); !ran)
      return fail(std::move(ran.error()));
  return answers;
}

}  // namespace qgpu::fuzz
