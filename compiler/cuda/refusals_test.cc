// What is refused, where, and what is said.
#include <gtest/gtest.h>

#include <string>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

void expectRefusal(std::string_view source, int line, int column, std::string_view part) {
  const Failure refusal = refusalOf(source);
  EXPECT_EQ(refusal.kind, FailureKind::Refusal);
  EXPECT_EQ(refusal.location, (Location{"k.cu", line, column})) << refusal.text();
  EXPECT_NE(refusal.text().find(part), std::string::npos)
      << refusal.text() << "\nwithout: " << part;
}

TEST(Refusals, Syntax) {
  expectRefusal("__global__ void k(int *v) { v[0] = v[1] + ; }", 1, 43, "expected expression");
  expectRefusal("__global__ void k(int *v) {\n  v[0] = 1\n}", 2, 11, "expected ';'");
  expectRefusal("__global__ void k(int *v) {\n  v[0] = 1;\n", 2, 12, "expected '}'");
  expectRefusal("__global__ int k(int *v) { return 1; }", 1, 12, "must have void return type");
  expectRefusal("__global__ void k(int *v) { v[0] = w + x; v[1] = y; }", 1, 36,
                "use of undeclared identifier 'w'; 2 more errors, the next at k.cu:1:40: use of "
                "undeclared identifier 'x'");
  expectRefusal("__device__ int f(int *x);\n__global__ void k(int *v) { v[0] = f(3); }", 2, 36,
                "no matching function for call to 'f'; k.cu:1:16: candidate function not viable");
}

TEST(Refusals, Recursion) {
  expectRefusal(
      "__device__ int fact(int n) {\n  return n < 2 ? 1 : n * fact(n - 1);\n}\n"
      "__global__ void k(int *v) { v[0] = fact(v[1]); }",
      2, 26, "fact is recursive: the machine has no call stack; write it as a loop");
  expectRefusal(
      "__device__ int odd(int n);\n"
      "__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
      "__device__ int odd(int n) {\n  return n == 0 ? 0 : even(n - 1); }\n"
      "__global__ void k(int *v) { v[0] = even(v[1]); }",
      4, 23, "even is recursive");
  // Not recursion: each instance of a template is another function.
  ptxOf(
      "template <int n> __device__ int sum() { return n + sum<n - 1>(); }\n"
      "template <> __device__ int sum<0>() { return 0; }\n"
      "__global__ void k(int *v) { v[0] = sum<5>(); }");
  // Recursion that no kernel reaches is nobody's concern.
  ptxOf("__device__ int f(int n) { return f(n - 1); }\n__global__ void k(int *v) { v[0] = 1; }");
}

TEST(Refusals, CallsThatCannotBeInlined) {
  expectRefusal(
      "#include <cstdio>\n__global__ void k(int *v) { if (v[0] == 3) printf(\"three\"); }", 2, 44,
      "a kernel calls printf: the machine has no console; store the value in an array");
  expectRefusal(
      "extern \"C\" __device__ int vprintf(const char *, void *);\n"
      "__global__ void k(int *v) { vprintf(\"x\", nullptr); }",
      2, 29, "calls printf");
  expectRefusal("__device__ int later(int);\n__global__ void k(int *v) { v[0] = later(v[1]); }", 2,
                36, "a kernel calls later: it is declared but not defined in this source");
  expectRefusal("__global__ void k(int *v) { int *p = new int[4]; p[v[0]] = 1; v[1] = p[v[2]]; }",
                1, 38, "the machine has no heap");
  expectRefusal("__global__ void k(int *v) { v[0] = *(int *)malloc(4); }", 1, 44, "calls malloc");
  expectRefusal("__global__ void k(float *v) { v[0] = sinf(v[1]); }", 1, 38,
                "calls sinf: the machine computes with integers only; use integers or fixed point");
  expectRefusal("__global__ void k(double *v) { v[0] = pow(v[1], 2.0); }", 1, 39, "calls pow");
  expectRefusal(
      "struct Shape { __device__ virtual int area() = 0; };\n"
      "__global__ void k(Shape *s, int *v) { v[0] = s->area(); }",
      2, 49, "a call through a pointer (a virtual function or a function pointer)");
  expectRefusal(
      "__device__ int one(int x) { return x + 1; }\n__device__ int two(int x) { return x + 2; }\n"
      "__device__ int (*const table[2])(int) = {one, two};\n"
      "__global__ void k(int *v) { v[0] = table[v[1]](3); }",
      4, 36, "use a template or a switch");
  // A call that optimisation removes or settles is no call.
  ptxOf(
      "__global__ void k(int *v) { const bool debug = false; if (debug) printf(\"x\"); v[0] = 1; "
      "}");
  ptxOf(
      "struct Base { __device__ virtual int f() { return 1; } };\n"
      "struct Derived : Base { __device__ int f() override { return 2; } };\n"
      "__global__ void k(int *v) { Derived d; v[0] = d.f(); }");
}

TEST(Refusals, InlinePtx) {
  expectRefusal("__global__ void k(int *v) {\n  asm(\"trap;\");\n}", 2, 6,
                "inline PTX is not taken: use CUDA's built-in functions");
  expectRefusal(
      "__global__ void k(int *v) { asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(v[0])); }", 1,
      33, "inline PTX is not taken");
}

TEST(Refusals, WhatTheMachineDoesNotHave) {
  expectRefusal("__global__ void k(long long *v) { v[0] = clock(); }", 1, 42, "has no clock");
  expectRefusal("__global__ void k(unsigned *v) { v[0] = __match_any_sync(~0u, v[1]); }", 1, 41,
                "compare with __shfl_sync instead");
  expectRefusal("__global__ void k(unsigned *v) { v[0] = __reduce_add_sync(~0u, v[1]); }", 1, 41,
                "reduce with __shfl_xor_sync");
  expectRefusal("__global__ void k(int *v) { v[0] = __shfl_down(v[1], 1); }", 1, 36, "_sync form");
  expectRefusal("__managed__ int m;\n__global__ void k(int *v) { v[0] = m; }", 2, 36,
                "pass an array to the kernel");
  expectRefusal(
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(int *v) {\n"
      "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
      "  v[0] = tile.thread_rank();\n}",
      4, 15, "a tile has 1, 2 or 4 threads");
  expectRefusal(
      "#include <cooperative_groups.h>\n"
      "__global__ void k(int *v) { v[0] = 1; cooperative_groups::this_grid().sync(); }",
      2, 71, "launch a kernel for each phase");
  expectRefusal(
      "__global__ void child(int *v) {}\n__global__ void k(int *v) { child<<<1, 1>>>(v); }", 2, 29,
      "__global__");
  expectRefusal("__global__ void k(int *v, int n) { int a[n]; a[v[1]] = 1; v[0] = a[n - 1]; }", 1,
                41, "variable-length arrays");
  expectRefusal("__global__ void k(int *v) { try { v[0] = 1; } catch (...) {} }", 1, 29,
                "cannot use 'try'");
}

TEST(Refusals, Headers) {
  expectRefusal("#include \"mine.h\"\n__global__ void k(int *v) {}", 1, 10,
                "'mine.h' file not found; only standard and CUDA headers are known");
  expectRefusal("#include \"/etc/passwd\"\n__global__ void k(int *v) {}", 1, 10, "file not found");
  expectRefusal("#include \"../../etc/passwd\"\n__global__ void k(int *v) {}", 1, 10,
                "file not found");
  expectRefusal("#include <../prelude.h>\n__global__ void k(int *v) {}", 1, 10, "file not found");
}

TEST(Refusals, VariablesWithoutADefinition) {
  const Failure refusal =
      refusalOf("extern __device__ int there;\n__global__ void k(int *v) { v[0] = there; }");
  EXPECT_EQ(
      refusal.text(),
      "k.cu: error: the variable there is declared but not defined; define it in this source");
}

TEST(Refusals, NamesThatPtxCannotHold) {
  expectRefusal("__global__ void gr\u00f6\u00dfe(int *v) { v[0] = 1; }", 1, 17,
                "PTX cannot hold the name of kernel gr\u00f6\u00dfe; use the letters a to z");
  expectRefusal(
      "__global__ void k(int *v) asm(\"evil() { } .entry x\");\n"
      "__global__ void k(int *v) { v[0] = 1; }",
      2, 17, "PTX cannot hold the name");
}

TEST(Refusals, PlacesCannotBeForged) {
  expectRefusal("#line 100 \"/etc/shadow\"\n__global__ void k(int *v) { v[0] = x; }", 2, 36,
                "use of undeclared identifier");
  expectRefusal("#define BAD(x) x + missing\n\n__global__ void k(int *v) { v[0] = BAD(1); }", 3, 36,
                "use of undeclared identifier 'missing'");
}

TEST(Refusals, Options) {
  const std::string kernel = "__global__ void k(int *v) {}";
  auto with = [&](auto change) {
    CudaOptions options;
    change(options);
    return refusalOf(kernel, options).text();
  };
  EXPECT_EQ(with([](CudaOptions& o) { o.opt_level = 4; }),
            "error: optimisation level 4 does not exist; use 0 to 3");
  EXPECT_EQ(with([](CudaOptions& o) { o.warp_size = 0; }),
            "error: a warp cannot have 0 lanes; use 1 to 32");
  EXPECT_EQ(with([](CudaOptions& o) { o.defines = {"A B"}; }),
            "error: 'A B' does not define a macro; write NAME or NAME=VALUE");
  EXPECT_EQ(with([](CudaOptions& o) { o.defines = {"A=1\n#error"}; }).substr(0, 10), "error: 'A=");
  EXPECT_EQ(with([](CudaOptions& o) { o.headers = {{"../x.h", ""}}; }),
            "error: '../x.h' is no name for a header; write NAME.h");
  EXPECT_EQ(with([](CudaOptions& o) { o.limits.source_bytes = 10; }),
            "k.cu: error: the source has 28 bytes, more than the limit of 10; keep the kernel and "
            "what it needs");
}

TEST(Warnings, AreKept) {
  CudaOptions options;
  options.isolation = Isolation::None;
  const auto ptx =
      compileCuda("__global__ void k(int *v) {\n  if (v[0] = 1) v[1] = 2;\n}", "k.cu", options);
  ASSERT_TRUE(ptx.has_value());
  ASSERT_EQ(ptx->warnings.size(), 1u);
  EXPECT_EQ(ptx->warnings[0].location, (Location{"k.cu", 2, 12}));
  EXPECT_NE(ptx->warnings[0].message.find("using the result of an assignment"), std::string::npos);
}

}  // namespace
}  // namespace qgpu::cuda
