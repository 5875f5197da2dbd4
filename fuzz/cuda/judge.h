// Holds qgpu against native runs of the same kernels, many at a time.
//
//   Judge judge(Oracle::Interpreter, nullptr);
//   const std::vector<Verdict> verdicts = judge.judge(kernels);
//   verdicts[0].difference;   // "clang's level 0: out[3]: expected 5, got 7"
//
// Each kernel is compiled and lowered as `qgpu run` does it, and once more with another choice of
// clang's optimisation level and the lowering's switches, which its number selects; both must
// compute what the native run says. The program as `qgpu run` makes it is then held against the
// other engines of the oracle. All this happens in processes apart: a compiler, a lowering or an
// engine that crashes is a difference as well.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fuzz/cuda/generate.h"
#include "fuzz/cuda/native_batch.h"
#include "fuzz/judge/engines.h"
#include "fuzz/level.h"

namespace qgpu::fuzz::cuda {

class Judge {
 public:
  // What compiles the kernels for the machine; for tests, which make a compiler wrong on purpose.
  using Source = std::function<GeneratedKernel(const GeneratedKernel&)>;

  Judge(Oracle oracle, const ModelUse& model, NativeOptions native = {});

  // One verdict for each kernel; their numbers differ.
  std::vector<Verdict> judge(std::span<const GeneratedKernel> kernels);

  // From now on the machine gets `alter(kernel)` where the native run gets `kernel`.
  void alterForTheMachine(Source alter) { alter_ = std::move(alter); }

 private:
  struct Task;
  std::vector<Task> compileAll(std::span<const GeneratedKernel> kernels,
                               std::vector<Verdict>& verdicts);
  void compile(std::span<const GeneratedKernel> kernels, std::vector<Task>& tasks,
               std::vector<Verdict>& verdicts);
  void runTask(const GeneratedKernel& kernel, const Task& task, Verdict& verdict);

  Engines engines_;
  NativeOptions native_;
  Source alter_;
};

}  // namespace qgpu::fuzz::cuda
