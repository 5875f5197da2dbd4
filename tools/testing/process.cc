#include "tools/testing/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "interpreter/base/failure.h"

namespace qgpu::testing {
namespace {

struct Pipe {
  Pipe() { check(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made"); }
  std::array<int, 2> ends{};
};

// Reads both pipes to their ends.
void drain(int out, int error, Outcome& outcome) {
  std::array<pollfd, 2> watched = {pollfd{out, POLLIN, 0}, pollfd{error, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&outcome.out, &outcome.error};
  for (int open = 2; open > 0;) {
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
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
}

}  // namespace

Outcome runCommand(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> words = {QGPU_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const Pipe out, error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int spawned = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out.ends[1]);
  ::close(error.ends[1]);
  check(spawned == 0, "the command can be started");

  Outcome outcome;
  drain(out.ends[0], error.ends[0], outcome);
  int status = 0;
  check(::waitpid(child, &status, 0) == child, "the command ends");
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "qgpu_XXXXXX").string();
  check(::mkdtemp(pattern.data()) != nullptr, "a temporary folder can be made");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

}  // namespace qgpu::testing
