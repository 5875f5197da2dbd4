// The recorder's input: launches.txt of a pack, lines of words.
//
//   qgpu-launches 1                         the first line
//   echo JSON                               a line for the recording as it is
//   launch "dot"                            the launch's name, as JSON
//   module dot.cu                           the kernel's file
//   symbol _Z3dotPKiS0_Pii                  the kernel in its module
//   grid 1 1 1
//   block 3 1 1
//   shared 0                                bytes of dynamic shared memory
//   array int exact 010000000200... "a"     a pointer to these bytes: type, mode, bytes, name as
//   JSON value 03000000                          a value of these bytes record {"name":"dot",...}
//   ends the launch: its line for the recording, still without
//                                           what it computes
//
// An array's mode says what is recorded of it: `exact` its elements, `multiset` its elements in
// whatever order they come, `ignored` nothing, since it depends on the order of threads.
//
// This folder is the recorder. It is compiled wherever there are a C++17 compiler and the CUDA
// toolkit, and uses nothing of the rest of the project.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace qgpu::recorder {

using Bytes = std::vector<std::uint8_t>;

enum class Mode { Exact, Multiset, Ignored };

struct Parameter {
  bool is_array = false;
  Bytes bytes;
  std::string type;  // of an array's elements: "int", "uint8"
  Mode mode = Mode::Exact;
  std::string name_json;  // of an array
};

struct Launch {
  std::string name_json;
  std::string module;
  std::string symbol;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<Parameter> parameters;
  std::string record;
};

// A line that is echoed, or a launch.
struct Entry {
  std::string echo;
  std::optional<Launch> launch;
};

// The bytes of an element of a type; 0 for a name that is no integer type.
std::size_t elementBytes(const std::string& type);

// Reads the list. nullopt, with `complaint` naming the line, where it is not of the form above.
std::optional<std::vector<Entry>> readLaunchList(std::istream& in, std::string& complaint);

}  // namespace qgpu::recorder
