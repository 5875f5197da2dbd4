// Whole files: the hand-written ones in testdata, the sample kernels beside the repository, and
// what nvcc makes of CUDA. Each must parse, print and parse again to the same; ptxas must think
// likewise.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compiler/ptx/testing.h"
#include "interpreter/base/files.h"

namespace qgpu::ptx {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  auto text = readFile(path);
  EXPECT_TRUE(text) << path;
  return text.value_or("");
}

void expectRoundTrip(const std::string& text, const std::string& name) {
  SCOPED_TRACE(name);
  const auto module = parse(text, name);
  ASSERT_TRUE(module) << module.error().text();
  const std::string printed = print(*module);
  const auto again = parse(printed, "printed");
  ASSERT_TRUE(again) << again.error().text() << "\n" << printed;
  EXPECT_EQ(*again, *module);
  EXPECT_EQ(print(*again), printed);
}

TEST(Corpus, HandWrittenFilesRoundTrip) {
  const std::vector<fs::path> files = ptxFiles(testdataFolder());
  ASSERT_GE(files.size(), 14u);
  for (const fs::path& file : files) expectRoundTrip(read(file), file.filename());
}

TEST(Corpus, SampleKernelsRoundTrip) {
  const std::vector<fs::path> files = ptxFiles(sharedCasesFolder());
  if (files.empty()) GTEST_SKIP() << "no sample kernels at " << sharedCasesFolder();
  for (const fs::path& file : files) expectRoundTrip(read(file), file.filename());
}

// Scopes flattened, expressions folded, registers renamed: the code must not change by it.
void expectSameCode(const fs::path& ptxas, const std::string& text, const std::string& name) {
  SCOPED_TRACE(name);
  auto module = parse(text, name, {.warp_size = 32});
  ASSERT_TRUE(module) << module.error().text();
  const std::string target = module->targets.at(0);
  const Verdict original = assemble(ptxas, text, target);
  ASSERT_TRUE(original.accepted) << original.errors.begin()->second;
  // print leaves the source lines out, which a target with `debug` must have.
  const bool debug = std::erase(module->targets, "debug") > 0;
  const Verdict printed = assemble(ptxas, print(*module), target);
  ASSERT_TRUE(printed.accepted) << printed.errors.begin()->second << print(*module);
  if (debug) return;
  EXPECT_EQ(codeSections(original.object), codeSections(printed.object));
}

TEST(Corpus, PrintedTextAssemblesToTheSameCode) {
  const auto ptxas = findProgram("ptxas");
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed";
  std::vector<fs::path> files = ptxFiles(testdataFolder());
  std::erase_if(files, [](const fs::path& f) { return f.filename() == "ptx_1_4.ptx"; });
  const std::vector<fs::path> samples = ptxFiles(sharedCasesFolder());
  files.insert(files.end(), samples.begin(), samples.end());
  for (const fs::path& file : files) expectSameCode(*ptxas, read(file), file.filename());
}

// nvcc's own output, with line tables and as a debug build.
TEST(Corpus, NvccOutputRoundTrips) {
  const auto nvcc = findProgram("nvcc");
  if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
  const fs::path output = fs::temp_directory_path() / fmt::format("qgpu-ptx-nvcc-{}.ptx", getpid());
  for (const fs::path& source : {testdataFolder() / "prints.cu", kernelsFolder() / "shuffles.cu"}) {
    for (const char* flags : {"-lineinfo -arch=sm_75", "-G -arch=sm_90"}) {
      const CommandResult run = runCommand(fmt::format("'{}' --ptx {} -o '{}' '{}'", nvcc->string(),
                                                       flags, output.string(), source.string()));
      ASSERT_TRUE(run.succeeded) << run.output;
      expectRoundTrip(read(output), source.filename().string() + " " + flags);
    }
  }
  fs::remove(output);
}

}  // namespace
}  // namespace qgpu::ptx
