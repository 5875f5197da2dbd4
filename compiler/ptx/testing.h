// Helpers of this folder's tests: files, and ptxas as an independent judge.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx/ptx.h"

namespace qgpu::ptx {

// The .ptx files of a folder, sorted; empty when the folder is not there.
std::vector<std::filesystem::path> ptxFiles(const std::filesystem::path& folder);
std::filesystem::path testdataFolder();     // compiler/ptx/testdata
std::filesystem::path kernelsFolder();      // conformance/kernels
std::filesystem::path sharedCasesFolder();  // the sample kernels beside the repository, if present

// A kernel `k` with parameters p0 (.u64) and p1 (.u32) and the usual registers: %p, %h, %r, %rd, %f
// and %fd, 0 to 9. The body starts on line `kBodyLine`.
std::string kernel(std::string_view body);
inline constexpr int kBodyLine = 7;

// The kernel's instructions, or a test failure and none.
std::vector<Instruction> instructionsOf(std::string_view body);

// A program found in PATH; nothing when it is not installed.
std::optional<std::filesystem::path> findProgram(std::string_view name);

// What ptxas thinks of a text.
struct Verdict {
  bool accepted = false;
  std::map<int, std::string> errors;  // by line; 0 for those without one
  std::string object;                 // what it assembled
};
Verdict assemble(const std::filesystem::path& ptxas, std::string_view text,
                 std::string_view target);

// The sections of an ELF file that hold code, constants and initial values, by name.
std::map<std::string, std::string> codeSections(const std::string& object);

// Runs a command through the shell: its output and whether it succeeded.
struct CommandResult {
  bool succeeded = false;
  std::string output;
};
CommandResult runCommand(const std::string& command);

}  // namespace qgpu::ptx
