// NVIDIA's assembler as the judge of our PTX: it takes what the compiler makes of every CUDA kernel
// of the cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compiler/cuda/testing.h"
#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "interpreter/base/files.h"

namespace qgpu::conformance {
namespace {

struct CudaKernel {
  std::filesystem::path file;
  std::string entry;
  bool must_compile = true;
};

// Each kernel once. One that only cases that may be rejected use need not compile.
std::vector<CudaKernel> cudaKernels() {
  std::map<std::pair<std::string, std::string>, CudaKernel> kernels;
  for (const CaseFile& file : allCases()) {
    const auto test_case = launch::readCase(file.path);
    if (!test_case || test_case->launch.kernel.extension() != ".cu") continue;
    const bool passes = test_case->expectation == launch::Expectation::Pass;
    const auto& [path, entry] = std::pair(test_case->launch.kernel, test_case->launch.entry);
    auto& kernel = kernels.try_emplace({path.string(), entry}, path, entry, passes).first->second;
    kernel.must_compile |= passes;
  }
  std::vector<CudaKernel> list;
  for (auto& [name, kernel] : kernels) list.push_back(std::move(kernel));
  return list;
}

// What is wrong with a kernel; nothing, if ptxas takes it or it may be refused and is.
std::string complaintAbout(const CudaKernel& kernel) {
  const auto source = readFile(kernel.file);
  if (!source) return source.error().text();
  cuda::CudaOptions options;
  options.entry = kernel.entry;
  const auto ptx = cuda::compileCuda(*source, kernel.file.filename().string(), options);
  if (!ptx) return kernel.must_compile ? ptx.error().text() : "";
  return cuda::ptxasComplaint(ptx->text);
}

TEST(PtxasTest, TakesEveryKernelOfTheCases) {
  if (!cuda::havePtxas()) GTEST_SKIP() << "no ptxas on the PATH";
  const std::vector<CudaKernel> kernels = cudaKernels();
  EXPECT_GE(std::ranges::count_if(kernels, &CudaKernel::must_compile), 150);
  std::vector<std::string> complaints(kernels.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++)
      complaints[i] = complaintAbout(kernels[i]);
  };
  {
    const std::jthread beside(work);
    work();
  }
  for (std::size_t i = 0; i < kernels.size(); ++i)
    EXPECT_EQ(complaints[i], "") << kernels[i].file << ' ' << kernels[i].entry;
}

}  // namespace
}  // namespace qgpu::conformance
