// Runs the qgpu command as a user's shell would.
//
//   const Outcome outcome = runCommand({"run", "dot.cu", "--json"});
//   outcome.status; outcome.out; outcome.error;
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/temporary_folder.h"

namespace qgpu::testing {

struct Outcome {
  int status = -1;  // the exit status; 128 and the signal's number where a signal ended it
  std::string out, error;
};

// What a program is started in, beside what the test itself runs in.
struct Surroundings {
  std::string input = "/dev/null";       // a file
  std::string folder = ".";              // where it runs
  std::vector<std::string> environment;  // NAME=value, added
  int seconds = 0;                       // after which it is killed, with SIGKILL; 0: never
};

// Starts words[0], a path, with the other words as its arguments.
Outcome runProgram(const std::vector<std::string>& words, const Surroundings& surroundings = {});

// Starts the command of this build with `arguments` and a file as its input.
Outcome runCommand(const std::vector<std::string>& arguments,
                   const std::string& input = "/dev/null");

// A folder for a test's files; gone with the object.
class TemporaryFolder : public qgpu::TemporaryFolder {
 public:
  // Writes a file and gives its path.
  std::string write(std::string_view name, std::string_view content) const;
};

}  // namespace qgpu::testing
