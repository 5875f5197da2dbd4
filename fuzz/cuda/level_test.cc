// Random kernels natively and on the machine; and faults that were put there to be found.
#include "fuzz/cuda/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>

#include "compiler/launch/case_file.h"
#include "fuzz/cuda/compiled_batch.h"
#include "fuzz/cuda/native_batch.h"
#include "fuzz/testing/findings.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::fuzz {
namespace {

using cuda::GeneratedKernel;
using cuda::generateKernel;
using isatest::unlessSanitized;
using ::testing::HasSubstr;

std::vector<GeneratedKernel> kernels(std::uint64_t first, std::uint64_t count) {
  std::vector<GeneratedKernel> list;
  for (const std::uint64_t number : testing::numbers(first, count))
    list.push_back(generateKernel(number));
  return list;
}

// ---- The native run ----------------------------------------------------------------------------

GeneratedKernel kernelWith(std::uint64_t number, const std::string& body) {
  GeneratedKernel kernel;
  kernel.number = number;
  kernel.launch.entry = "k" + std::to_string(number);
  kernel.launch.block = {4, 1, 1};
  kernel.launch.parameters = {launch::arrayOf("out", {0, 0, 0, 0})};
  kernel.source = "__global__ void " + kernel.launch.entry + "(int *out) {\n" + body + "\n}\n";
  return kernel;
}

TEST(NativeBatch, OneBadKernelDoesNotHurtTheOthers) {
  const std::vector<GeneratedKernel> batch = {
      kernelWith(1, "out[threadIdx.x] = threadIdx.x * 3;"),
      kernelWith(2, "*(volatile int *)8 = 1;"), kernelWith(3, "out[0] = threadIdx.x;"),
      kernelWith(
          4,
          "__shared__ int s[4]; if (threadIdx.x > 9) s[0] = 1; out[threadIdx.x] = s[threadIdx.x];"),
      kernelWith(5,
                 "__shared__ int s[4]; s[threadIdx.x] = threadIdx.x; __syncthreads();"
                 "out[threadIdx.x] = s[3 - threadIdx.x];")};
  const auto results = cuda::runNatively(batch);
  ASSERT_TRUE(results.has_value()) << results.error().text();
  const auto& r = *results;
  EXPECT_EQ(r[0].value().at("out"), launch::arrayOf("", {0, 3, 6, 9}).bytes);
  EXPECT_THAT(r[1].error().message, HasSubstr("crashed"));
  EXPECT_THAT(r[2].error().message, HasSubstr("order of the threads"));
  EXPECT_THAT(r[3].error().message, HasSubstr("order of the threads")) << "nobody wrote s";
  EXPECT_EQ(r[4].value().at("out"), launch::arrayOf("", {3, 2, 1, 0}).bytes);
}

TEST(NativeBatch, WhatDoesNotCompileIsABugAndNoCompilerARefusal) {
  const std::vector<GeneratedKernel> bad = {kernelWith(1, "out[0] = nonsense;")};
  const Failure bug = cuda::runNatively(bad).error();
  EXPECT_EQ(bug.kind, FailureKind::Bug);
  EXPECT_THAT(bug.message, HasSubstr("nonsense"));
  const cuda::NativeOptions none{.compiler = "no-such-compiler"};
  const Failure refusal = cuda::runNatively(bad, none).error();
  EXPECT_EQ(refusal.kind, FailureKind::Refusal);
  EXPECT_THAT(refusal.message, HasSubstr("no-such-compiler"));
  cuda::Judge judge(Oracle::Interpreter, nullptr, none);
  EXPECT_THROW(judge.judge(bad), CannotGoOn) << "which is no finding";
}

// Undefined behaviour ends the kernel here; and a compiler that takes liberties finds none to take.
TEST(NativeBatch, RandomKernelsAreWellDefined) {
  const auto batch = kernels(50'000, 120);
  const auto plain = cuda::runNatively(batch, {.flags = {"-O0"}});
  const auto checked = cuda::runNatively(
      batch, {.flags = {"-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"}});
  ASSERT_TRUE(plain.has_value()) << plain.error().text();
  ASSERT_TRUE(checked.has_value()) << checked.error().text();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ASSERT_TRUE((*checked)[i].has_value()) << (*checked)[i].error().text() << batch[i].source;
    EXPECT_EQ((*checked)[i].value(), (*plain)[i].value()) << batch[i].source;
  }
}

// ---- The level ---------------------------------------------------------------------------------

TEST(CudaLevel, NativeRunsAndTheMachineAgree) {
  const auto level = cudaLevel(Oracle::Interpreter, nullptr);
  const auto batch = testing::numbers(1, static_cast<std::uint64_t>(unlessSanitized(200, 20)));
  const std::vector<Outcome> outcomes = level->runAll(batch);
  int refused = 0;
  std::int64_t positions = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(outcomes[i].difference, "") << generateKernel(batch[i]).source;
    refused += outcomes[i].refusal.empty() ? 0 : 1;
    positions += outcomes[i].positions;
  }
  EXPECT_LE(100 * refused, 15 * static_cast<int>(batch.size())) << "too many do not fit";
  EXPECT_GT(positions, 40 * static_cast<std::int64_t>(batch.size()));
}

// What has no room in one of the other ways is no finding, so most must have it.
TEST(CudaLevel, EveryOtherWayToCompileIsTriedOnMostKernels) {
  const auto batch = kernels(1, static_cast<std::uint64_t>(unlessSanitized(60, 24)));
  std::map<int, cuda::CompiledBatch> by_level;
  for (std::uint64_t way = 0; way < kVariants; ++way) {
    const Variant variant = variantOf(way);
    if (!by_level.contains(variant.opt_level))
      by_level.emplace(variant.opt_level,
                       cuda::CompiledBatch::compile(batch, variant.opt_level).value());
    int fit = 0, spilled = 0;
    for (const GeneratedKernel& kernel : batch) {
      const auto program = by_level.at(variant.opt_level).program(kernel, variant.options);
      fit += program ? 1 : 0;
      spilled += program && program->lowered.report.spills > 0 ? 1 : 0;
    }
    EXPECT_GE(fit * 2, std::ssize(batch)) << variant.name;
    if (variant.options.registers < usualVariant().options.registers) {
      EXPECT_GE(spilled * 4, std::ssize(batch)) << variant.name;
    }
  }
}

GeneratedKernel replacing(GeneratedKernel kernel, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = kernel.source.find(what, at)) != std::string::npos;
       at += by.size())
    kernel.source.replace(at, what.size(), by);
  return kernel;
}

// A compiler that takes one operation for another, for as long as a kernel shows it.
TEST(CudaLevel, AWrongCompilerIsFoundAndTheKernelMadeSmall) {
  cuda::Judge judge(Oracle::Interpreter, nullptr);
  judge.alterForTheMachine([](const GeneratedKernel& k) { return replacing(k, " ^ ", " | "); });
  const auto level = cudaLevel(std::move(judge));
  const Finding finding = testing::firstFinding(*level, testing::numbers(1, 40));
  EXPECT_THAT(finding.difference, HasSubstr("expected"));
  ASSERT_EQ(finding.files.size(), 2u);
  EXPECT_THAT(finding.files[0].text, HasSubstr(" ^ "));
  EXPECT_LE(std::ranges::count(finding.files[0].text, '\n'), 9) << finding.files[0].text;
  const auto as_case = launch::parseCase(finding.files[1].text, "finding.json");
  ASSERT_TRUE(as_case.has_value()) << as_case.error().text();
  EXPECT_EQ(as_case->launch.kernel, "kernels/finding-" + std::to_string(finding.number) + ".cu");
  EXPECT_TRUE(as_case->expected.contains("out"));
}

TEST(CudaLevel, WhatAgreesStaysWhole) {
  const auto level = cudaLevel(cuda::Judge(Oracle::Interpreter, nullptr));
  const Finding finding = level->minimal(5);
  EXPECT_EQ(finding.difference, "");
  ASSERT_EQ(finding.files.size(), 2u);
  EXPECT_EQ(finding.files[0].text, generateKernel(5).source);
}

TEST(CudaLevel, AFrontEndThatRefusesIsAFinding) {
  cuda::Judge judge(Oracle::Interpreter, nullptr);
  judge.alterForTheMachine(
      [](const GeneratedKernel& k) { return k.number == 3 ? replacing(k, "out[g]", "ou[g]") : k; });
  const auto verdicts = judge.judge(kernels(1, 4));
  EXPECT_EQ(verdicts[2].where, "the front end");
  for (const std::size_t other : {0u, 1u, 3u}) EXPECT_FALSE(verdicts[other].differs());
}

}  // namespace
}  // namespace qgpu::fuzz
