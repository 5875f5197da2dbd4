#include "fuzz/cuda/level.h"

#include <fmt/format.h>

#include "compiler/launch/case_file.h"
#include "fuzz/cuda/shrink.h"
#include "fuzz/judge/variant.h"

namespace qgpu::fuzz {
namespace {

using cuda::GeneratedKernel;
using cuda::KernelTree;

class CudaLevel : public Level {
 public:
  explicit CudaLevel(cuda::Judge judge) : judge_(std::move(judge)) {}

  // One call of the C++ compiler and three of clang's are shared by so many kernels.
  std::size_t batch() const override { return 128; }

  Outcome run(std::uint64_t number) override { return runAll({&number, 1})[0]; }

  std::vector<Outcome> runAll(std::span<const std::uint64_t> numbers) override {
    std::vector<GeneratedKernel> kernels;
    kernels.reserve(numbers.size());
    for (const std::uint64_t number : numbers) kernels.push_back(cuda::generateKernel(number));
    std::vector<Outcome> outcomes;
    for (const Verdict& verdict : judge_.judge(kernels))
      outcomes.push_back({verdict.difference(), verdict.positions, verdict.refusal});
    return outcomes;
  }

  Finding minimal(std::uint64_t number) override {
    const KernelTree whole = cuda::generateTree(number);
    const Verdict first = judgeOne(whole);
    if (!first.differs()) return findingOf(whole, first);
    const KernelTree small = cuda::minimise(whole, [&](std::span<const KernelTree> candidates) {
      return firstFailing(candidates, first.where);
    });
    return findingOf(small, judgeOne(small));
  }

 private:
  Verdict judgeOne(const KernelTree& tree) {
    const GeneratedKernel kernel = kernelOf(tree);
    return judge_.judge({&kernel, 1})[0];
  }

  // In one batch the kernels need names of their own; their numbers select the same variant.
  std::optional<std::size_t> firstFailing(std::span<const KernelTree> candidates,
                                          const std::string& where) {
    std::vector<GeneratedKernel> kernels;
    kernels.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      KernelTree named = candidates[i];
      named.number += i * kVariants;
      kernels.push_back(kernelOf(named));
    }
    const std::vector<Verdict> verdicts = judge_.judge(kernels);
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      if (verdicts[i].where == where) return i;
    return std::nullopt;
  }

  static Finding findingOf(const KernelTree& tree, const Verdict& verdict) {
    const GeneratedKernel kernel = kernelOf(tree);
    const std::string name = fmt::format("finding-{}", kernel.number);
    launch::Case as_case;
    as_case.launch = kernel.launch;
    as_case.launch.name = name;
    as_case.launch.kernel = fmt::format("kernels/{}.cu", name);
    as_case.expected = verdict.expected;
    as_case.family = "found by fuzzing";
    as_case.topic = "a kernel that was compiled wrongly";
    return {kernel.number,
            verdict.difference(),
            fmt::format("{}qgpu {}.cu --case {}.json\n\n{}", variantText(kernel.number), name, name,
                        kernel.source),
            {{".cu", kernel.source}, {".json", launch::formatCase(as_case)}}};
  }

  static std::string variantText(std::uint64_t number) {
    return fmt::format("compiled as usual and: {}\n", variantOf(number).name);
  }

  cuda::Judge judge_;
};

}  // namespace

std::unique_ptr<Level> cudaLevel(Oracle oracle, const ModelUse& model) {
  return cudaLevel(cuda::Judge(oracle, model));
}

std::unique_ptr<Level> cudaLevel(cuda::Judge judge) {
  return std::make_unique<CudaLevel>(std::move(judge));
}

}  // namespace qgpu::fuzz
