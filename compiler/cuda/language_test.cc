// The CUDA C++ language, as nvcc takes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

CompiledPtx compiled(std::string_view source, CudaOptions options = {}) {
  options.isolation = Isolation::None;
  auto ptx = compileCuda(source, "k.cu", options);
  if (!ptx) ADD_FAILURE() << ptx.error().text();
  return ptx ? *ptx : CompiledPtx{};
}

void expectCompiles(std::string_view source) {
  const CompiledPtx ptx = compiled(source);
  EXPECT_EQ(countOf(ptx.text, "call"), 0) << ptx.text;
  EXPECT_EQ(countOf(ptx.text, ".func"), 0) << ptx.text;
}

TEST(Language, TypesAreLp64) {
  expectCompiles(R"(
    static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(long long) == 8);
    static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8);
    static_assert(sizeof(int64_t) == 8 && sizeof(uint32_t) == 4 && sizeof(int16_t) == 2);
    static_assert(sizeof(uchar) == 1 && sizeof(ushort) == 2 && sizeof(uint) == 4);
    static_assert(sizeof(ulong) == 8 && sizeof(wchar_t) == 4 && (char)-1 < 0);
    struct S { char c; long l; };
    static_assert(sizeof(S) == 16 && alignof(long long) == 8);
    static_assert(sizeof(int2) == 8 && alignof(int2) == 8 && alignof(int4) == 16);
    static_assert(sizeof(int3) == 12 && alignof(int3) == 4 && sizeof(uchar4) == 4);
    static_assert(alignof(uchar4) == 4 && alignof(short2) == 4 && alignof(short4) == 8);
    static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16 && sizeof(dim3) == 12);
    static_assert(INT_MAX == 2147483647 && LONG_MAX == 9223372036854775807L && CHAR_BIT == 8);
    static_assert(__cplusplus == 201703L && __CUDA_ARCH__ == 750 && __CUDACC__);
    __global__ void k(long *p) { p[1] = sizeof(long) + p[0]; })");
}

TEST(Language, VectorTypes) {
  const std::string ptx = ptxOf(R"(
    __device__ int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
    __global__ void k(const int4 *a, uchar4 *c, int *r, short2 s) {
      r[0] = dot(a[0], make_int4(1, 2, 3, 4)) + s.y;
      c[1] = make_uchar4(1, 2, 3, c[0].w);
      uint2 u = make_uint2(r[1], r[2]);
      r[3] = u.x ^ u.y;
    })");
  EXPECT_NE(ptx.find("[_Z1kPK4int4P6uchar4Pi6short2_param_3+2]"), std::string::npos) << ptx;
}

TEST(Language, SharedMemoryWrapperOfTheSamples) {
  const std::string ptx = ptxOf(R"(
    template <class T> struct SharedMemory {
      __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; }
      __device__ inline operator const T *() const {
        extern __shared__ int __smem[]; return (T *)__smem;
      }
    };
    template <> struct SharedMemory<double> {
      __device__ inline operator double *() {
        extern __shared__ double __smem_d[]; return (double *)__smem_d;
      }
    };
    template <class T> __device__ void twice(T *in) {
      T *s = SharedMemory<T>();
      s[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      in[threadIdx.x] = s[threadIdx.x ^ 1];
    }
    __global__ void k(int *p) { twice(p); })");
  EXPECT_NE(ptx.find(".extern .shared .align 4 .b8 __smem[];"), std::string::npos);
  EXPECT_EQ(countOf(ptx, "__smem_d"), 0);
}

TEST(Language, TemplatesReferencesOverloads) {
  expectCompiles(R"(
    template <typename T, int n> struct Row {
      T data[n];
      __device__ T &operator[](int i) { return data[i]; }
      __device__ const T &operator[](int i) const { return data[i]; }
    };
    __device__ int pick(int x) { return x; }
    __device__ int pick(long long x) { return (int)(x >> 32); }
    __device__ __forceinline__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
    static __device__ __noinline__ int deep(int x) { return pick(x) * 3; }
    template <class F> __device__ int apply(F f, int x) { return f(x); }
    enum class Mode : int { Add, Sub };
    template <Mode mode> __device__ int op(int a, int b) {
      if constexpr (mode == Mode::Add) return a + b; else return a - b;
    }
    struct Functor { int bias; __device__ int operator()(int x) const { return x + bias; } };
    template <int n> __device__ int fib() { return fib<n - 1>() + fib<n - 2>(); }
    template <> __device__ int fib<0>() { return 0; }
    template <> __device__ int fib<1>() { return 1; }
    __global__ void __launch_bounds__(32, 1) k(int *__restrict__ p, const int *__restrict__ q, int n) {
      Row<int, 4> row;
#pragma unroll
      for (int i = 0; i < 4; ++i) row[i] = q[i];
      exchange(row[0], row[3]);
      auto twice = [=](int x) { return x * 2 + n; };
      p[0] = row[0] + pick(5LL << 32) + deep(row[1]) + apply(twice, row[2]) + fib<6>();
      p[1] = op<Mode::Sub>(n, 3) + apply(Functor{4}, n);
      alignas(8) int local[2] = {n, 1};
      p[2] = local[1];
    })");
}

TEST(Language, DeviceAndConstantMemory) {
  const std::string ptx = ptxOf(R"(
    __constant__ int table[4] = {3, 1, 4, 1};
    __device__ int counter = 7, unused = 8;
    __device__ unsigned char bytes[3] = {1, 2, 3};
    static __device__ int hidden[2];
    __global__ void k(int *p) {
      p[0] = table[p[1] & 3] + bytes[p[2]];
      hidden[p[3]] = atomicAdd(&counter, 1);
    })");
  EXPECT_NE(ptx.find(".const .align 4 .b8 table[16] = {3, 0, 0, 0, 1"), std::string::npos) << ptx;
  EXPECT_EQ(countOf(ptx, "unused"), 0);
  EXPECT_NE(ptx.find(".global .align 4 .u32 counter = 7;"), std::string::npos);
  EXPECT_NE(ptx.find(".global .align 1 .b8 bytes[3] = {1, 2, 3};"), std::string::npos);
  EXPECT_NE(ptx.find("ld.const.u32"), std::string::npos);
}

TEST(Language, ConstantTablesAreKnown) {
  const std::string ptx = ptxOf(
      "__constant__ int set[4] = {3, 1, 4, 1};\n__constant__ int unset[4];\n"
      "__global__ void k(int *p) { p[0] = set[2]; p[1] = unset[2]; }");
  // The value stands in the code and the table has gone; a table without values is read.
  EXPECT_EQ(countOf(ptx, " set["), 0) << ptx;
  EXPECT_EQ(countOf(ptx, "ld.const"), 1) << ptx;
  EXPECT_EQ(countOf(ptx, "[unset+8]"), 1) << ptx;
  EXPECT_THAT(ptx, testing::ContainsRegex("mov\\.[bu]32 \t%r[0-9]+, 4;"));
}

TEST(Language, LabelsOfVariablesBecomeNamesOfPtx) {
  const std::string ptx = ptxOf(
      "__device__ int x asm(\"a b{}\");\n"
      "__global__ void k(int *p) { p[0] = atomicAdd(&x, 1); }");
  EXPECT_EQ(countOf(ptx, "a b"), 0) << ptx;
  EXPECT_THAT(ptx, testing::ContainsRegex("\\.global \\.align 4 \\.u32 [a-zA-Z0-9_$]+;"));
}

TEST(Language, StructParametersByValue) {
  const CompiledPtx ptx = compiled(R"(
    struct Job { int n; int *out; short scale; };
    __global__ void k(Job job, char c, bool b, const int (&table)[4]) {
      job.out[threadIdx.x] = job.n * job.scale + c + b + table[1];
    })");
  ASSERT_EQ(ptx.kernels.size(), 1u);
  const auto& parameters = ptx.kernels[0].parameters;
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0], (Parameter{"job",
                                      "Job",
                                      ValueKind::Struct,
                                      24,
                                      ValueKind::Other,
                                      0,
                                      {{"n", ValueKind::Signed, 4, 0},
                                       {"out", ValueKind::Pointer, 8, 8},
                                       {"scale", ValueKind::Signed, 2, 16}}}));
  EXPECT_EQ(parameters[1], (Parameter{"c", "char", ValueKind::Signed, 1, ValueKind::Other, 0}));
  EXPECT_EQ(parameters[2], (Parameter{"b", "bool", ValueKind::Unsigned, 1, ValueKind::Other, 0}));
  EXPECT_EQ(parameters[3].kind, ValueKind::Pointer);
  EXPECT_EQ(countOf(ptx.text, "st.global.u32"), 1) << "a pointer in a parameter points to global";
}

TEST(Language, ScalarsWithinStructsAndArrays) {
  const CompiledPtx ptx = compiled(R"(
    struct Base { char tag; };
    struct Inner : Base { short v[2]; };
    struct Mixed { Inner in; bool on; };
    union Either { int i; short s; };
    struct Bits { int a : 3; };
    __global__ void k(Mixed m, uchar4 *pixels, int (*rows)[3], Either e, Bits *bits) {
      m.on ? rows[0][1] = pixels[0].x + m.in.v[1] + e.i + bits->a : 0;
    })");
  const auto& p = ptx.kernels.at(0).parameters;
  EXPECT_EQ(p[0].scalars, (std::vector<Scalar>{{"in.tag", ValueKind::Signed, 1, 0},
                                               {"in.v[0]", ValueKind::Signed, 2, 2},
                                               {"in.v[1]", ValueKind::Signed, 2, 4},
                                               {"on", ValueKind::Unsigned, 1, 6}}));
  ASSERT_EQ(p[1].scalars.size(), 4u);
  EXPECT_EQ(p[1].scalars[2], (Scalar{"z", ValueKind::Unsigned, 1, 2}));
  ASSERT_EQ(p[2].scalars.size(), 3u);
  EXPECT_EQ(p[2].scalars[1], (Scalar{"[1]", ValueKind::Signed, 4, 4}));
  EXPECT_TRUE(p[3].scalars.empty()) << "a union";
  EXPECT_TRUE(p[4].scalars.empty()) << "a bit-field";
}

TEST(Language, ParametersAsTheCallerKnowsThem) {
  const CompiledPtx ptx = compiled(
      "__global__ void k(const unsigned char *b, unsigned long long *w, float *f, int, void *v) "
      "{}");
  const auto& parameters = ptx.kernels.at(0).parameters;
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters[0], (Parameter{"b", "const unsigned char *", ValueKind::Pointer, 8,
                                      ValueKind::Unsigned, 1}));
  EXPECT_EQ(parameters[1].element_bytes, 8);
  EXPECT_EQ(parameters[2].element, ValueKind::Floating);
  EXPECT_EQ(parameters[3].name, "");
  EXPECT_EQ(parameters[4].element_bytes, 0);
}

TEST(Language, OverflowWrapsAndLoopsMayRunForEver) {
  // With overflow left undefined, LLVM folds the comparison and removes the loop.
  EXPECT_NE(ptxOf(kernelAround("p[0] = n + 1 > n;")).find("setp"), std::string::npos);
  EXPECT_NE(ptxOf(kernelAround("while (n != 5) n *= 3; p[0] = 1;")).find("bra"), std::string::npos);
}

TEST(Language, UnrollingIsAskedFor) {
  const std::string loop = "for (int i = 0; i < 6; ++i) p[i * 3] += n;";
  EXPECT_EQ(countOf(ptxOf(kernelAround(loop)), "st.global.u32"), 1);
  EXPECT_EQ(countOf(ptxOf(kernelAround("_Pragma(\"unroll\") " + loop)), "st.global.u32"), 6);
  EXPECT_EQ(countOf(ptxOf(kernelAround("_Pragma(\"unroll 2\") " + loop)), "st.global.u32"), 2);
  EXPECT_EQ(countOf(ptxOf(kernelAround("_Pragma(\"unroll 1\") " + loop)), "st.global.u32"), 1);
  CudaOptions fast;
  fast.opt_level = 2;
  EXPECT_EQ(countOf(ptxOf(kernelAround(loop), fast), "st.global.u32"), 6);
  EXPECT_EQ(countOf(ptxOf(kernelAround("for (int i = 0; i < 9; ++i) p[i * 3] += n;"), fast),
                    "st.global.u32"),
            1);
}

TEST(Language, MacrosOfTheSourceAndOfTheCaller) {
  CudaOptions options;
  options.defines = {"N=8", "FAST", "SQUARE(x)=((x)*(x))"};
  const std::string ptx = ptxOf(R"(
    #define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
    #define KERNEL(name, op) __global__ void name(int *p) { p[0] = p[0] op N; }
    KERNEL(add, +)
    KERNEL(mul, *)
    #ifndef FAST
    #error wrong
    #endif
    __global__ void clamp(int *p) { p[0] = CLAMP(p[0], 1, SQUARE(3)); })",
                                options);
  EXPECT_EQ(countOf(ptx, ".visible .entry"), 3);
  EXPECT_NE(ptx.find(", 8;"), std::string::npos);
  EXPECT_NE(ptx.find(", 9;"), std::string::npos);
}

TEST(Language, StandardLibraryInKernels) {
  expectCompiles(R"(
    #include <algorithm>
    #include <limits>
    #include <type_traits>
    #include <utility>
    #include <array>
    template <class T, typename = std::enable_if_t<std::is_integral_v<T>>>
    __device__ T largest(T a, T b) { return std::max(a, b); }
    __global__ void k(int *p, std::array<int, 3> a) {
      int low = std::numeric_limits<int>::min(), high = std::min(p[0], p[1]);
      std::swap(low, high);
      p[2] = largest(low, high) + a[p[3] & 1] + std::is_same<int, int32_t>::value;
    })");
}

TEST(Language, CooperativeGroups) {
  const std::string ptx = ptxOf(R"(
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __device__ int sum(const cg::thread_group &g, int v) { g.sync(); return v + g.thread_rank(); }
    __global__ void k(int *p) {
      cg::thread_block block = cg::this_thread_block();
      cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
      int v = p[block.thread_rank()];
      cg::sync(block);
      v = cg::reduce(tile, v, cg::plus<int>());
      if (tile.thread_rank() == 0) p[tile.meta_group_rank()] = sum(block, v);
    })");
  EXPECT_EQ(countOf(ptx, "shfl.sync.bfly.b32"), 2);
  EXPECT_EQ(countOf(ptx, "bar.sync"), 2);
}

TEST(Language, CooperativeGroupsOfLanesAndGrids) {
  const std::string ptx = ptxOf(R"(
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ int place(int *count) {
      auto group = cg::coalesced_threads();
      int first = group.thread_rank() == 0 ? atomicAdd(count, (int)group.size()) : 0;
      return group.shfl(first, 0) + (int)group.thread_rank();
    }
    __global__ void k(int *p, unsigned width) {
      cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), width);
      for (auto i = cg::this_grid().thread_rank(); i < 40; i += cg::this_grid().size())
        if (p[i] > 0) p[place(p)] = tile.thread_rank();
    })");
  EXPECT_EQ(countOf(ptx, "shfl.sync.idx.b32"), 1);
  EXPECT_EQ(countOf(ptx, "activemask.b32"), 1);
}

TEST(Language, LinesPointIntoTheSource) {
  const CompiledPtx ptx = compiled(
      "__device__ int twice(int x) {\n"
      "  return x * 2;\n"
      "}\n"
      "__global__ void k(int *p) {\n"
      "  int t = threadIdx.x;\n"
      "  p[t] = twice(atomicAdd(p, 1));\n"
      "}\n");
  EXPECT_NE(ptx.text.find("\t.loc\t1 5 21\n\tmov.u32 \t%r1, %tid.x;"), std::string::npos)
      << ptx.text;
  EXPECT_NE(ptx.text.find("\t.loc\t1 6 16\n\tatom.global.add"), std::string::npos) << ptx.text;
  EXPECT_NE(ptx.text.find("\t.loc\t1 2 12\n\tshl.b32"), std::string::npos) << ptx.text;
  EXPECT_NE(ptx.text.find(".file\t1 \"k.cu\""), std::string::npos);
  CudaOptions without;
  without.line_info = false;
  const std::string plain = ptxOf("__global__ void k(int *p) { p[0] = 1; }", without);
  EXPECT_EQ(countOf(plain, ".loc") + countOf(plain, ".file"), 0);
}

TEST(Language, UserHeaders) {
  CudaOptions options;
  options.headers = {
      {"common/size.h", "#pragma once\n#define SIZE 12\n"},
      {"k.h", "#include \"common/size.h\"\n__device__ int size() { return SIZE; }\n"}};
  const std::string ptx =
      ptxOf("#include \"k.h\"\n__global__ void k(int *p) { p[0] = size(); }", options);
  EXPECT_NE(ptx.find(", 12;"), std::string::npos);
  options.headers[1].second = "__device__ int size() { return SIZE }";
  const Failure refusal =
      refusalOf("#include \"k.h\"\n__global__ void k(int *p) { p[0] = size(); }", options);
  EXPECT_EQ(refusal.location, (Location{"k.h", 1, 32})) << refusal.text();
}

}  // namespace
}  // namespace qgpu::cuda
