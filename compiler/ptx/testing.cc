#include "compiler/ptx/testing.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "interpreter/base/files.h"

namespace qgpu::ptx {
namespace {

namespace fs = std::filesystem;

// A file that goes away again.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view suffix) {
    static std::atomic<int> count = 0;
    path_ = fs::temp_directory_path() / fmt::format("qgpu-ptx-{}-{}{}", getpid(), count++, suffix);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::vector<fs::path> ptxFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path testdataFolder() { return fs::path(QGPU_SOURCE_DIR) / "compiler" / "ptx" / "testdata"; }

fs::path kernelsFolder() { return fs::path(QGPU_SOURCE_DIR) / "conformance" / "kernels"; }

fs::path sharedCasesFolder() {
  return fs::path(QGPU_SOURCE_DIR).parent_path() / "shared" / "cases" / "kernels";
}

std::string kernel(std::string_view body) {
  return fmt::format(
      ".version 8.8\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p0, .param .u32 p1) {{\n"
      ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
      ".reg .f32 %f<10>; .reg .f64 %fd<10>;\n{}\n}}\n",
      body);
}

std::vector<Instruction> instructionsOf(std::string_view body) {
  const auto module = parse(kernel(body), "test.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().text();
    return {};
  }
  return module->functions[0].body;
}

std::optional<fs::path> findProgram(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

CommandResult runCommand(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.output.append(buffer, n);
  }
  result.succeeded = pclose(pipe) == 0;
  return result;
}

Verdict assemble(const fs::path& ptxas, std::string_view text, std::string_view target) {
  const TemporaryFile source(".ptx");
  const TemporaryFile object(".o");
  std::ofstream(source.path()) << text;
  const CommandResult run =
      runCommand(fmt::format("'{}' -c -arch={} -o '{}' '{}'", ptxas.string(), target,
                             object.path().string(), source.path().string()));
  Verdict verdict{.accepted = run.succeeded, .errors = {}, .object = {}};
  static const std::regex kError(R"(, line (\d+)(?::\d+)?; (?:error|fatal)\s*: (.*))");
  static const std::regex kAddress(R"(32-bit address on line '(\d+)')");
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kError)) {
      verdict.errors.try_emplace(std::stoi(match[1]), match[2]);
    } else if (std::regex_search(line, match, kAddress)) {
      verdict.errors.try_emplace(std::stoi(match[1]), line);
    }
  }
  if (!run.succeeded && verdict.errors.empty()) verdict.errors[0] = run.output;
  if (run.succeeded) verdict.object = readFile(object.path()).value_or("");
  return verdict;
}

// ELF64, little-endian: section headers at e_shoff, their names in section e_shstrndx.
std::map<std::string, std::string> codeSections(const std::string& object) {
  std::map<std::string, std::string> result;
  const auto table = at<std::uint64_t>(object, 40);
  const auto size = at<std::uint16_t>(object, 58);
  const auto count = at<std::uint16_t>(object, 60);
  const auto header = [&](std::size_t i) { return table + i * size; };
  const auto names = at<std::uint64_t>(object, header(at<std::uint16_t>(object, 62)) + 24);
  constexpr std::uint32_t kNoBits = 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = object.c_str() + names + at<std::uint32_t>(object, header(i));
    const bool wanted = name.starts_with(".text.") || name.starts_with(".nv.constant") ||
                        name.starts_with(".nv.global");
    if (!wanted) continue;
    const auto bytes = at<std::uint64_t>(object, header(i) + 32);
    result[name] = at<std::uint32_t>(object, header(i) + 4) == kNoBits
                       ? std::to_string(bytes)
                       : object.substr(at<std::uint64_t>(object, header(i) + 24), bytes);
  }
  return result;
}

}  // namespace qgpu::ptx
