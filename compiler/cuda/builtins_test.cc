// Every built-in of the prelude, through to the PTX that stands for it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

struct Case {
  std::string_view statement;
  std::vector<std::string_view> ptx;  // each must occur
};

void expectPtx(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string ptx = ptxOf(kernelAround(c.statement));
    for (const std::string_view part : c.ptx)
      EXPECT_NE(ptx.find(part), std::string::npos) << c.statement << " without " << part << "\n"
                                                   << ptx;
    EXPECT_EQ(countOf(ptx, "call"), 0) << c.statement;
    EXPECT_EQ(countOf(ptx, ".extern .func"), 0) << c.statement;
  }
}

TEST(Builtins, Indices) {
  expectPtx({
      {"p[0] = threadIdx.x + threadIdx.y + threadIdx.z;", {"%tid.x", "%tid.y", "%tid.z"}},
      {"p[0] = blockIdx.x + blockIdx.y + blockIdx.z;", {"%ctaid.x", "%ctaid.y", "%ctaid.z"}},
      {"p[0] = blockDim.x + blockDim.y + blockDim.z;", {"%ntid.x", "%ntid.y", "%ntid.z"}},
      {"p[0] = gridDim.x + gridDim.y + gridDim.z;", {"%nctaid.x", "%nctaid.y", "%nctaid.z"}},
      {"uint3 t = threadIdx; dim3 b = blockDim; p[0] = t.y * b.x;", {"%tid.y", "%ntid.x"}},
      {"auto t = blockIdx; const auto &d = gridDim; p[0] = t.z * d.x;", {"%ctaid.z", "%nctaid.x"}},
      {"dim3 t(threadIdx); p[0] = t.x;", {"%tid.x"}},
  });
}

TEST(Builtins, WarpSizeIsTheMachines) {
  EXPECT_NE(ptxOf(kernelAround("p[0] = warpSize;")).find("mov.b32 \t%r1, 4;"), std::string::npos);
  CudaOptions wide;
  wide.warp_size = 32;
  EXPECT_NE(ptxOf(kernelAround("p[0] = warpSize;"), wide).find("mov.b32 \t%r1, 32;"),
            std::string::npos);
}

TEST(Builtins, Synchronization) {
  expectPtx({
      {"__syncthreads();", {"bar.sync \t0;"}},
      {"p[0] = __syncthreads_count(n);", {"bar.red.popc.u32"}},
      {"p[0] = __syncthreads_and(n);", {"bar.red.and.pred"}},
      {"p[0] = __syncthreads_or(n);", {"bar.red.or.pred"}},
      {"__syncwarp();", {"bar.warp.sync \t-1;"}},
      {"__syncwarp(3);", {"bar.warp.sync \t3;"}},
      {"__threadfence();", {"membar.gl;"}},
      {"__threadfence_block();", {"membar.cta;"}},
      {"__threadfence_system();", {"membar.sys;"}},
      {"if (n == 7) __trap();", {"trap;"}},
      {"assert(n > 3);", {"setp", "trap;"}},
  });
}

TEST(Builtins, Atomics) {
  expectPtx({
      {"p[0] = atomicAdd(p, n);", {"atom.global.add.u32"}},
      {"u[0] = atomicAdd(u, 2u);", {"atom.global.add.u32"}},
      {"atomicAdd((unsigned long long *)l, 2ull);", {"atom.global.add.u64"}},
      {"p[0] = atomicSub(p, n);", {"neg.s32", "atom.global.add.u32"}},
      {"u[0] = atomicSub(u, 2u);", {"atom.global.add.u32", ", -2;"}},
      {"p[0] = atomicExch(p, n);", {"atom.global.exch.b32"}},
      {"u[0] = atomicExch(u, 5u);", {"atom.global.exch.b32"}},
      {"p[0] = atomicCAS(p, n, 4);", {"atom.global.cas.b32"}},
      {"u[0] = atomicCAS(u, 1u, 4u);", {"atom.global.cas.b32"}},
      {"atomicCAS((unsigned short *)p, 1, 4);", {"atom.global.cas.b32"}},
      {"atomicCAS((unsigned long long *)l, 1ull, 2ull);", {"atom.global.cas.b64"}},
      {"p[0] = atomicMin(p, n);", {"atom.global.min.s32"}},
      {"u[0] = atomicMin(u, 3u);", {"atom.global.min.u32"}},
      {"p[0] = atomicMax(p, n);", {"atom.global.max.s32"}},
      {"u[0] = atomicMax(u, 3u);", {"atom.global.max.u32"}},
      {"l[0] = atomicMax(l, 3ll);", {"atom.global.max.s64"}},
      {"p[0] = atomicAnd(p, n);", {"atom.global.and.b32"}},
      {"p[0] = atomicOr(p, n);", {"atom.global.or.b32"}},
      {"u[0] = atomicXor(u, 6u);", {"atom.global.xor.b32"}},
      {"u[0] = atomicInc(u, 6u);", {"atom.global.inc.u32"}},
      {"u[0] = atomicDec(u, 6u);", {"atom.global.dec.u32"}},
      {"p[0] = atomicAdd_block(p, n) + atomicMax_system(p, n);",
       {"atom.global.add.u32", "atom.global.max.s32"}},
      {"p[0] = atomicCAS_block(p, n, 1);", {"atom.global.cas.b32"}},
      {"__shared__ int s[4]; atomicAdd(&s[n], 1); p[0] = s[1];", {"atom.shared.add.u32"}},
  });
}

TEST(Builtins, WarpFunctions) {
  // The third operand is ((32 - width) << 8) | clamp: 7199 is width 4, 7711 is width 2.
  expectPtx({
      {"p[0] = __shfl_sync(0xffffffffu, n, 2);", {"shfl.sync.idx.b32", ", 2, 7199, -1;"}},
      {"p[0] = __shfl_sync(0xffffffffu, n, 1, 2);", {"shfl.sync.idx.b32", ", 1, 7711, -1;"}},
      {"p[0] = __shfl_up_sync(0xffffffffu, n, 1);", {"shfl.sync.up.b32", ", 1, 7168, -1;"}},
      {"p[0] = __shfl_down_sync(15u, n, 1);", {"shfl.sync.down.b32", ", 1, 7199, 15;"}},
      {"u[0] = __shfl_xor_sync(15u, u[1], 3);", {"shfl.sync.bfly.b32", ", 3, 7199, 15;"}},
      {"p[0] = __any_sync(15u, n);", {"vote.sync.any.pred"}},
      {"p[0] = __all_sync(15u, n);", {"vote.sync.all.pred"}},
      {"p[0] = __uni_sync(15u, n);", {"vote.sync.uni.pred"}},
      {"p[0] = __ballot_sync(15u, n);", {"vote.sync.ballot.b32"}},
      {"p[0] = __activemask();", {"activemask.b32"}},
  });
  const std::string wide = ptxOf(kernelAround("l[0] = __shfl_xor_sync(15u, l[1], 1);"));
  EXPECT_EQ(countOf(wide, "shfl.sync.bfly.b32"), 2);
}

TEST(Builtins, IntegerArithmetic) {
  expectPtx({
      {"p[0] = min(n, p[1]);", {"min.s32"}},
      {"u[0] = min(u[0], u[1]);", {"min.u32"}},
      {"p[0] = max(n, p[1]);", {"max.s32"}},
      {"u[0] = max(u[0], u[1]) + umin(u[2], u[3]);", {"max.u32", "min.u32"}},
      {"l[0] = min(l[0], l[1]);", {"min.s64"}},
      {"p[0] = abs(n);", {"abs.s32"}},
      {"l[0] = llabs(l[0]);", {"abs.s64"}},
      {"p[0] = __mulhi(n, p[1]);", {"mul.hi.s32"}},
      {"u[0] = __umulhi(u[1], u[2]);", {"mul.hi.u32"}},
      {"l[0] = __mul64hi(l[1], l[2]);", {"mul.hi.s64"}},
      {"l[0] = __umul64hi(l[1], l[2]);", {"mul.hi.u64"}},
      {"p[0] = __popc(u[1]);", {"popc.b32"}},
      {"p[0] = __popcll(l[1]);", {"popc.b64"}},
      {"p[0] = __clz(n);", {"clz.b32"}},
      {"p[0] = __clzll(l[0]);", {"clz.b64"}},
      {"u[0] = __brev(u[1]);", {"brev.b32"}},
      {"l[0] = __brevll(l[1]);", {"brev.b64"}},
      {"u[0] = __byte_perm(u[1], u[2], 0x3210);", {"prmt.b32"}},
      {"u[0] = __byte_perm(u[1], u[2], u[3]);", {"and.b32", "30583", "prmt.b32"}},
      {"u[0] = __funnelshift_l(u[1], u[2], n);", {"shf.l.wrap.b32"}},
      {"u[0] = __funnelshift_r(u[1], u[2], n);", {"shf.r.wrap.b32"}},
      {"u[0] = __funnelshift_lc(u[1], u[2], n);", {"shf.l.wrap.b32", "selp"}},
      {"u[0] = u[1] << 5 | u[1] >> 27;", {"shf.l.wrap.b32"}},
  });
}

TEST(Builtins, Memory) {
  expectPtx({
      {"p[0] = __ldg(p + 1);", {"ld.global.nc.u32"}},
      {"p[0] = __ldg((const unsigned char *)u);", {"ld.global.nc.u8"}},
      {"p[0] = __ldcg(p + 1) + __ldcs(u);", {"ld.global.u32"}},
      {"__stcg(p, n);", {"st.global.u32"}},
      {"*(volatile int *)p = 1;", {"st.volatile.global.u32"}},
      {"((char *)p)[n] = 3;", {"st.global.u8"}},
      {"((short *)p)[n] = 3;", {"st.global.u16"}},
      {"extern __shared__ int dyn[]; dyn[n] = 1; p[0] = dyn[0];",
       {".extern .shared .align 4 .b8 dyn[];", "st.shared.u32"}},
      {"__shared__ short s[6]; s[n] = 1; __syncthreads(); p[0] = s[2];",
       {".shared .align 2 .b8", "[12];", "st.shared.u16"}},
  });
}

TEST(Builtins, ArithmeticOfFloatsReachesPtx) {
  expectPtx({
      {"((float *)p)[0] += 1.5f;", {"add.rn.f32"}},
      {"((double *)l)[0] *= 3.0;", {"mul.rn.f64"}},
      {"atomicAdd((float *)p, 1.0f);", {"atom.global.add.f32"}},
      {"((float *)p)[0] = fminf(((float *)p)[1], 2.0f);", {"min.f32"}},
      {"p[0] = __float_as_int(((float *)p)[1]);", {"ld.global.u32"}},
  });
}

// ptxas accepts a kernel that uses everything at once.
TEST(Builtins, PtxasAcceptsThem) {
  if (!havePtxas()) GTEST_SKIP() << "no ptxas on the PATH";
  const std::string ptx = ptxOf(kernelAround(R"(
      int t = threadIdx.x; int x = p[t];
      x += __shfl_sync(~0u, x, 1) + __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 1);
      x += __any_sync(~0u, x) + __all_sync(~0u, x) + __uni_sync(~0u, x) + __ballot_sync(~0u, x);
      x += __syncthreads_count(x) + __syncthreads_and(x) + __syncthreads_or(x) + __activemask();
      x += atomicAdd(p, 1) + atomicMin(p, 1) + atomicMax(p, 1) + atomicAnd(p, 1) + atomicOr(p, 1);
      x += atomicXor(p, 1) + atomicExch(p, 1) + atomicCAS(p, 1, 2) + atomicSub(p, x);
      x += atomicInc(u, 4) + atomicDec(u, 4) + __ldg(p) + __mulhi(x, n) + __umulhi(x, n);
      l[1] = __mul64hi(l[0], x) + __popcll(l[0]) + __clzll(l[0]) + __ffsll(l[0]) + __brevll(l[0]);
      x += __popc(x) + __clz(x) + __ffs(x) + __brev(x) + __byte_perm(x, n, 0x1234);
      x += __funnelshift_l(x, n, t) + __funnelshift_rc(x, n, t) + __vadd4(x, n) + __vcmpeq4(x, n);
      __threadfence(); __syncwarp(); assert(x != 77); p[t] = x / n + x % n + (x << n) + (x >> n);
  )"));
  EXPECT_EQ(ptxasComplaint(ptx), "");
}

}  // namespace
}  // namespace qgpu::cuda
