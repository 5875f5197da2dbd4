#include "compiler/cuda/testing.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "interpreter/base/files.h"

namespace qgpu::cuda {
namespace {

// The output of a shell command, and whether it ended well.
std::pair<std::string, bool> run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), n);
  return {output, pclose(pipe) == 0};
}

}  // namespace

std::string ptxOf(std::string_view source, CudaOptions options) {
  options.isolation = Isolation::None;
  auto ptx = compileCuda(source, "k.cu", options);
  if (!ptx) ADD_FAILURE() << ptx.error().text() << "\n" << source;
  return ptx ? ptx->text : "";
}

Failure refusalOf(std::string_view source, CudaOptions options) {
  options.isolation = Isolation::None;
  auto ptx = compileCuda(source, "k.cu", options);
  if (ptx) ADD_FAILURE() << "compiles:\n" << source << "\n" << ptx->text;
  return ptx ? Failure{} : ptx.error();
}

std::string kernelAround(std::string_view statements) {
  return fmt::format(
      "extern \"C\" __global__ void k(int *p, unsigned *u, long long *l, int n) {{ {} }}",
      statements);
}

int countOf(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

bool havePtxas() {
  static const bool have = run("ptxas --version").second;
  return have;
}

std::string ptxasComplaint(std::string_view ptx) {
  std::string file = (std::filesystem::temp_directory_path() / "qgpu-XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  if (descriptor < 0 || !writeFileAtomically(file, ptx)) return "cannot write " + file;
  close(descriptor);
  const auto [output, good] = run(fmt::format("ptxas -arch=sm_75 {} -o {}.out", file, file));
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".out");
  return good ? "" : "ptxas: " + output;
}

}  // namespace qgpu::cuda
