#include "tools/testing/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "interpreter/base/failure.h"

namespace qgpu::testing {
namespace {

struct Pipe {
  Pipe() { check(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made"); }
  std::array<int, 2> ends{};
};

using Clock = std::chrono::steady_clock;

// How long poll may wait: to the deadline, or where there is none for ever.
int patience(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

// Reads both pipes to their ends; false where the deadline comes first.
bool drain(int out, int error, const std::optional<Clock::time_point>& deadline, Outcome& outcome) {
  std::array<pollfd, 2> watched = {pollfd{out, POLLIN, 0}, pollfd{error, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&outcome.out, &outcome.error};
  for (int open = 2; open > 0;) {
    const int ready = ::poll(watched.data(), watched.size(), patience(deadline));
    if (ready == 0) return false;
    if (ready < 0) continue;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0) continue;
      std::array<char, 1 << 14> buffer{};
      const ssize_t n = ::read(watched[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      } else {
        ::close(watched[i].fd);
        watched[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

// Pointers to the texts and a null pointer, as programs are given their arguments.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(std::vector<std::string> words, const Surroundings& surroundings, int out, int error) {
  std::vector<std::string> environment = surroundings.environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.emplace_back(*variable);
  const std::vector<char*> arguments = pointersTo(words), variables = pointersTo(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, surroundings.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, surroundings.folder.c_str());
  pid_t child = 0;
  const int spawned =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  check(spawned == 0, "the command can be started");
  return child;
}

}  // namespace

Outcome runProgram(const std::vector<std::string>& words, const Surroundings& surroundings) {
  std::optional<Clock::time_point> deadline;
  if (surroundings.seconds > 0)
    deadline = Clock::now() + std::chrono::seconds(surroundings.seconds);
  const Pipe out, error;
  const pid_t child = spawn(words, surroundings, out.ends[1], error.ends[1]);
  ::close(out.ends[1]);
  ::close(error.ends[1]);
  Outcome outcome;
  if (!drain(out.ends[0], error.ends[0], deadline, outcome)) ::kill(child, SIGKILL);
  int status = 0;
  check(::waitpid(child, &status, 0) == child, "the command ends");
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome runCommand(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> words = {QGPU_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return runProgram(words, {.input = input, .environment = {}});
}

std::string TemporaryFolder::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path file = path() / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

}  // namespace qgpu::testing
