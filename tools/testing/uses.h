// The uses of the programs that system_faults_test puts to the test: each verb at least once, on
// small files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace qgpu::testing {

// What a run takes: up to a tenth of a second; up to two; more.
enum class Cost : std::uint8_t { Little, Much, VeryMuch };

// One use of a program, in a folder of its own that has the folder of the inputs beside it.
struct Use {
  const char* name;
  std::vector<std::string> arguments;
  const char* program = QGPU_COMMAND;
  bool prints_the_same = false;             // each time, where it ends with status 0
  std::vector<std::string> outputs = {};    // files that it writes, the same bytes each time
  std::vector<std::string> records = {};    // files of JSON that it writes, with times in them
  std::vector<std::string> databases = {};  // files of SQLite that it reads or writes; copies of
                                            // those among the inputs
  Cost cost = Cost::Little;
  bool has_children = false;  // compiles, or judges, in processes that it forks
  // Says of each thing that it looks at what it came to: a fault of the system that spoils one is a
  // disagreement, status 1, and may be a finding in a file.
  bool judges = false;
  // A folder that it makes under another name first: that one stays where memory or descriptors run
  // out, for without them it cannot be removed.
  std::string folder = {};
  const char* input = "/dev/null";
  // A fault that comes in each run, so that what would take minutes ends early, with status 2.
  std::string always = {};
};

void PrintTo(const Use& use, std::ostream* out);

const std::vector<Use>& allUses();

// Makes the files that the uses read, in a folder that is there.
void makeInputs(const std::filesystem::path& folder);

}  // namespace qgpu::testing
