// The sample kernels beside the repository, where they are: all compile, and ptxas takes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/cuda/testing.h"
#include "interpreter/base/files.h"

namespace qgpu::cuda {
namespace {

std::vector<std::filesystem::path> samples() {
  const std::filesystem::path folder =
      std::filesystem::path(QGPU_SOURCE_DIR) / "../shared/cases/kernels";
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Refused here, and not by a later stage.
bool isRefusedHere(const std::filesystem::path& file) {
  return file.stem() == "rej_syntax" || file.stem() == "rej_printf";
}

TEST(Samples, CompileAsExpected) {
  if (samples().empty()) GTEST_SKIP() << "no sample kernels beside the repository";
  CudaOptions options;
  options.entry = "k";
  options.isolation = Isolation::None;
  for (const auto& file : samples()) {
    const auto ptx = compileCuda(readFile(file).value(), file.filename().string(), options);
    EXPECT_EQ(ptx.has_value(), !isRefusedHere(file))
        << file << ": " << (ptx ? "compiles" : ptx.error().text());
  }
}

TEST(Samples, PtxasAcceptsThem) {
  if (samples().empty()) GTEST_SKIP() << "no sample kernels beside the repository";
  if (!havePtxas()) GTEST_SKIP() << "no ptxas on the PATH";
  for (const auto& file : samples()) {
    if (isRefusedHere(file)) continue;
    EXPECT_EQ(ptxasComplaint(ptxOf(readFile(file).value())), "") << file;
  }
}

// The same with 64-bit arithmetic, structs, several kernels, dynamic shared memory, all levels.
TEST(Samples, PtxasAcceptsWhatTheyLack) {
  if (!havePtxas()) GTEST_SKIP() << "no ptxas on the PATH";
  const std::string source = R"(
    struct Pair { int a; long long b; };
    __constant__ short table[5] = {1, 2, 3};
    __device__ int total;
    static __global__ void first(Pair *p, Pair q, char c) {
      p[threadIdx.x].b = p->b / (q.b | 1) % 1000 + q.a + table[c & 3];
    }
    template <class T> __global__ void second(T *p, int n) {
      extern __shared__ int dyn[];
      __shared__ T own[8];
      dyn[threadIdx.x] = n;
      own[threadIdx.x & 7] = p[0];
      __syncthreads();
      switch (n) {
        case 0: p[0] = own[1]; break;
        case 1: p[1] = dyn[2]; break;
        case 2: p[2] = own[3] * n; break;
        case 3: p[3] = dyn[1] - n; break;
        default: atomicAdd(&total, (int)p[4]);
      }
      int local[16];
      for (int i = 0; i < 16; ++i) local[i] = p[i] * i;
      p[5] = local[n & 15];
    }
    template __global__ void second<int>(int *, int);
    template __global__ void second<unsigned short>(unsigned short *, int);
    template __global__ void second<long long>(long long *, int);
  )";
  for (int level = 0; level <= 3; ++level) {
    CudaOptions options;
    options.opt_level = level;
    const std::string ptx = ptxOf(source, options);
    EXPECT_EQ(countOf(ptx, ".visible .entry"), 4);
    EXPECT_EQ(ptxasComplaint(ptx), "") << "level " << level;
  }
}

}  // namespace
}  // namespace qgpu::cuda
