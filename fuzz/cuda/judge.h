// Holds qgpu against native runs of the same kernels, many at a time.
//
//   Judge judge(Oracle::Interpreter, nullptr);
//   const std::vector<Verdict> verdicts = judge.judge(kernels);
//   verdicts[0].difference;   // "clang's level 0: out[3]: expected 5, got 7"
//
// Each kernel is compiled and lowered as `qgpu run` does it, and once more with another choice of
// clang's optimisation level and the lowering's switches, which its number selects; both must
// compute what the native run says. The program as `qgpu run` makes it is then held against the
// other engines of the oracle.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/audit/batch_audit.h"
#include "fuzz/cuda/generate.h"
#include "fuzz/cuda/native_batch.h"
#include "fuzz/level.h"
#include "model/launch/machine_model.h"
#include "tools/api/qgpu.h"

namespace qgpu::fuzz::cuda {

struct Verdict {
  // Where the fault lies, and in words what it is: "out[3]: expected 5, got 7". Both empty where
  // all agree.
  std::string where;
  std::string what;
  std::string refusal;  // why the machine has no room for the kernel, numbers left out
  std::int64_t positions = 0;
  launch::Arrays expected;  // what the native run says; empty where there is none

  bool differs() const { return !where.empty(); }
};

class Judge {
 public:
  // What compiles the kernels for the machine; for tests, which make a compiler wrong on purpose.
  using Source = std::function<GeneratedKernel(const GeneratedKernel&)>;

  // `circuit` is used with a model only, and outlives the judge.
  Judge(Oracle oracle, const model::Circuit* circuit, NativeOptions native = {});

  // One verdict for each kernel; their numbers differ.
  std::vector<Verdict> judge(std::span<const GeneratedKernel> kernels);

  // From now on the machine gets `alter(kernel)` where the native run gets `kernel`.
  void alterForTheMachine(Source alter) { alter_ = std::move(alter); }

 private:
  struct Task;
  void compileAndRun(std::span<const GeneratedKernel> kernels, std::vector<Task>& tasks,
                     std::vector<Verdict>& verdicts);
  void runTask(const GeneratedKernel& kernel, const Expected<Program>& program, const Task& task,
               Verdict& verdict);
  void holdAgainstModel(const Program& program, const Recording& recording, Verdict& verdict);

  Oracle oracle_;
  NativeOptions native_;
  Source alter_;
  std::unique_ptr<Engine> interpreter_ = interpreterEngine();
  std::unique_ptr<model::MachineModel> model_;
  std::unique_ptr<conformance::BatchAuditor> auditor_;
  std::unique_ptr<Engine> alone_;
};

}  // namespace qgpu::fuzz::cuda
