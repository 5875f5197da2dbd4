// Real .cu files: host code around the kernels must not matter, and device code always must.
#include <gtest/gtest.h>

#include <string>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

constexpr std::string_view kKernel = "__global__ void k(int *p) { p[threadIdx.x] += 1; }\n";

CompiledPtx compiled(const std::string& source) {
  CudaOptions options;
  options.isolation = Isolation::None;
  auto ptx = compileCuda(source, "k.cu", options);
  if (!ptx) ADD_FAILURE() << ptx.error().text() << "\n" << source;
  return ptx ? *ptx : CompiledPtx{};
}

void expectNoWarnings(const std::string& source) {
  for (const Warning& warning : compiled(source).warnings) ADD_FAILURE() << warning.text();
}

TEST(HostCode, AWholeProgram) {
  expectNoWarnings(R"(
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <helper_cuda.h>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdio.h>
#include <string>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t error = call;                                              \
    if (error != cudaSuccess) {                                            \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                    \
              cudaGetErrorString(error));                                  \
      exit(EXIT_FAILURE);                                                  \
    }                                                                      \
  } while (0)

const int N = 32;
static const char *name = "vectorAdd";
cudaStream_t stream = NULL;
std::vector<int> results;

__global__ void vectorAdd(const int *a, const int *b, int *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + N;
}

void initialize(std::vector<int> &v, const std::string &label = "x") {
  std::generate(v.begin(), v.end(), [] { return rand() % 100; });
  std::cout << label << std::endl;
}

template <typename T> T *allocate(size_t n) {
  T *p;
  checkCudaErrors(cudaMalloc(&p, n * sizeof(T)));
  return p;
}

class Timer {
  cudaEvent_t start_, stop_;
  std::chrono::time_point<std::chrono::steady_clock> t_;

 public:
  Timer() { cudaEventCreate(&start_); }
  ~Timer() { cudaEventDestroy(stop_); }
  float elapsed() const { float ms; cudaEventElapsedTime(&ms, start_, stop_); return ms; }
};

int main(int argc, char **argv) {
  std::vector<int> a(N), b(N), c(N);
  initialize(a);
  int *da = allocate<int>(N), *db = allocate<int>(N), *dc = allocate<int>(N);
  CHECK(cudaMemcpy(da, a.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  dim3 grid(N / 8), block(8, 1, 1);
  vectorAdd<<<grid, block>>>(da, db, dc, N);
  CHECK(cudaGetLastError());
  cudaDeviceSynchronize();
  for (auto &x : c) printf("%d\n", x);
  assert(c[0] == a[0] + b[0]);
  return std::equal(a.begin(), a.end(), c.begin()) ? 0 : nonsense(42);
}
)");
}

TEST(HostCode, BodiesAreNotLookedAt) {
  expectNoWarnings(
      std::string(kKernel) +
      "int main() { this is not even C++ but it has balanced { braces } (and) [all]; }\n"
      "struct S { void f() { undefined(); } int g() const { return x y z; } };\n"
      "void S_outside(S &s) { s.h()->i(); }\n"
      "template <class T> void launch(T *p) { k<<<1, 2>>>(p, 3, four); }\n"
      "template void launch<int>(int *);\n");
}

TEST(HostCode, DeclarationsThatFailAreLeftOutWithAWarning) {
  const CompiledPtx ptx = compiled(
      "using namespace thrust;\n"
      "unknown_type global_state;\n" +
      std::string(kKernel) +
      "thrust::device_vector<int> data(10);\n"
      "struct Holder {\n"
      "  thrust::host_vector<int> h;\n"
      "};\n"
      "Holder *make(cudaStream_t s, Unknown u) { return new Holder; }\n"
      "int after = 3;\n");
  ASSERT_EQ(ptx.warnings.size(), 5u);
  EXPECT_EQ(ptx.warnings[0].text(),
            "k.cu:1:17: warning: host code is left out here: expected namespace name");
  EXPECT_EQ(ptx.warnings[1].location, (Location{"k.cu", 2, 1}));
  EXPECT_EQ(ptx.warnings[2].location, (Location{"k.cu", 4, 1}));
  EXPECT_EQ(ptx.warnings[3].location, (Location{"k.cu", 6, 3}));
  EXPECT_EQ(ptx.warnings[4].location.line, 8);
  EXPECT_NE(ptx.text.find("\t.loc\t1 3 "), std::string::npos) << "lines stay where they are";
}

TEST(HostCode, ChainsOfFailures) {
  const CompiledPtx ptx = compiled(
      "struct A { Missing m; };\n"
      "struct B { A a; };\n"
      "B *b(A) { return 0; }\n" +
      std::string(kKernel));
  EXPECT_EQ(ptx.warnings.size(), 3u);
}

TEST(HostCode, ErrorsInDeviceCodeAreReportedWhateverTheHostDoes) {
  const Failure refusal = refusalOf(
      "Unknown *host_thing;\n"
      "__device__ int helper(int x) { return x + undeclared; }\n"
      "__global__ void k(int *p) { p[0] = helper(1); }\n");
  EXPECT_EQ(refusal.text(), "k.cu:2:43: error: use of undeclared identifier 'undeclared'");
}

TEST(HostCode, WhatTheDeviceNeedsIsNotLeftOut) {
  // The struct is host code by its looks, but the kernel uses it: the error is the struct's.
  const Failure used = refusalOf(
      "struct Config { int n; Unknown u; };\n"
      "__global__ void k(Config c, int *p) { p[0] = c.n; }\n");
  EXPECT_EQ(used.location, (Location{"k.cu", 1, 24})) << used.text();
  // A constexpr function and a specialisation decide what device code means.
  EXPECT_EQ(refusalOf("constexpr int f(int x) { return Unknown; }\n"
                      "__device__ int f(long x) { return 2; }\n"
                      "__global__ void k(int *p) { p[0] = f(1); }\n")
                .location.line,
            1);
  EXPECT_EQ(refusalOf("template <class T> struct Size { enum { value = 4 }; };\n"
                      "template <> struct Size<int> { Unknown u; enum { value = 8 }; };\n"
                      "__global__ void k(int *p) { p[0] = Size<int>::value; }\n")
                .location.line,
            2);
}

TEST(HostCode, CallsOfHostFunctionsFromKernels) {
  const Failure refusal = refusalOf(
      "int helper(int x) { return x; }\n"
      "__global__ void k(int *p) {\n  p[0] = helper(1);\n}\n");
  EXPECT_EQ(refusal.location, (Location{"k.cu", 3, 10}));
  EXPECT_NE(refusal.text().find("__host__ function"), std::string::npos) << refusal.text();
}

TEST(HostCode, LibrariesOfTheHost) {
  expectNoWarnings(
      "#include <cublas_v2.h>\n#include <thrust/device_vector.h>\n"
      "#include <GL/glew.h>\n#include <sys/mman.h>\n" +
      std::string(kKernel));
}

TEST(HostCode, ConditionalCode) {
  expectNoWarnings(R"(
#ifdef __CUDA_ARCH__
#define WHERE 1
#else
#define WHERE 2
#endif
__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
  return WHERE;
#else
  return std::string("host").size();
#endif
}
__global__ void k(int *p) { p[0] = where(); }
#if __has_include(<vector>) && !__has_include("nowhere.h")
int main() { return where(); }
#endif
)");
}

}  // namespace
}  // namespace qgpu::cuda
