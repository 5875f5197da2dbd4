#include "fuzz/judge/apart.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

namespace qgpu::fuzz {
namespace {

// An answer in the pipe: its length, then its bytes.
void send(std::FILE* to, const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::fwrite(&length, sizeof length, 1, to);
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

std::optional<std::string> receive(std::FILE* from) {
  std::uint32_t length = 0;
  if (std::fread(&length, sizeof length, 1, from) != 1) return std::nullopt;
  std::string text(length, '\0');
  if (std::fread(text.data(), 1, length, from) != length) return std::nullopt;
  return text;
}

std::string endOf(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return fmt::format("more than {} seconds", kSecondsForATask);
  return strsignal(WTERMSIG(status));
}

// Runs tasks from `first` on in one process, up to the first that ends it.
Expected<void> runSome(std::size_t first, std::size_t tasks, const std::function<void()>& prepare,
                       const std::function<std::string(std::size_t)>& task,
                       std::vector<Answer>& answers) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return refuse("no pipe to a process for random kernels");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::FILE* const to = fdopen(ends[1], "w");
    if (prepare) prepare();
    for (std::size_t i = first; i < tasks; ++i) {
      alarm(kSecondsForATask);
      send(to, task(i));
    }
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return refuse("no process for random kernels");
  }
  std::FILE* const from = fdopen(ends[0], "r");
  while (answers.size() < tasks) {
    auto text = receive(from);
    if (!text) break;
    answers.push_back({*std::move(text), ""});
  }
  std::fclose(from);
  int status = 0;
  waitpid(child, &status, 0);
  if (answers.size() < tasks) answers.push_back({"", endOf(status)});
  return {};
}

}  // namespace

Expected<std::vector<Answer>> runApart(std::size_t tasks, const std::function<void()>& prepare,
                                       const std::function<std::string(std::size_t)>& task) {
  std::vector<Answer> answers;
  while (answers.size() < tasks)
    if (auto ran = runSome(answers.size(), tasks, prepare, task, answers); !ran)
      return fail(std::move(ran.error()));
  return answers;
}

}  // namespace qgpu::fuzz
