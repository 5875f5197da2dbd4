#include "fuzz/cuda/judge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "fuzz/cuda/compiled_batch.h"

namespace qgpu::fuzz::cuda {
// One way to compile one kernel, and what it was compiled into together with others.
struct Judge::Task {
  std::size_t kernel = 0;
  Variant variant;
  std::shared_ptr<CompiledBatch> batch = {};
};

Judge::Judge(Oracle oracle, const ModelUse& model, NativeOptions native)
    : engines_(oracle, model), native_(std::move(native)) {}

std::vector<Verdict> Judge::judge(std::span<const GeneratedKernel> kernels) {
  std::vector<Verdict> verdicts(kernels.size());
  const auto native = runNatively(kernels, native_);
  if (!native && native.error().kind == FailureKind::Refusal) throw CannotGoOn(native.error());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!native)
      verdicts[i].blame("the C++ compiler", native.error().text());
    else if (!(*native)[i])
      verdicts[i].blame("the native run", (*native)[i].error().message);
    else
      verdicts[i].expected = *(*native)[i];
  }
  const std::vector<Task> tasks = compileAll(kernels, verdicts);
  judgeApart(verdicts, [&](std::size_t i) {
    for (const Task& task : tasks)
      if (task.kernel == i) runTask(kernels[i], task, verdicts[i]);
  });
  return verdicts;
}

// What was not compiled has no task. The usual way comes first: what it gets wrong, the others may
// get wrong too.
std::vector<Judge::Task> Judge::compileAll(std::span<const GeneratedKernel> kernels,
                                           std::vector<Verdict>& verdicts) {
  std::map<int, std::vector<Task>> by_level;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (verdicts[i].differs()) continue;
    by_level[usualVariant().opt_level].push_back({i, usualVariant()});
    const Variant variant = variantOf(kernels[i].number);
    by_level[variant.opt_level].push_back({i, variant});
  }
  std::vector<Task> all;
  for (const int level : {usualVariant().opt_level, 0, 2, 3}) {
    std::vector<Task>& tasks = by_level[level];
    if (!tasks.empty()) compile(kernels, tasks, verdicts);
    std::ranges::copy_if(tasks, std::back_inserter(all),
                         [](const Task& task) { return task.batch != nullptr; });
  }
  return all;
}

// All tasks have one level of clang's; those of one kernel stand together.
void Judge::compile(std::span<const GeneratedKernel> kernels, std::vector<Task>& tasks,
                    std::vector<Verdict>& verdicts) {
  std::vector<GeneratedKernel> sources;
  for (const Task& task : tasks)
    if (sources.empty() || sources.back().number != kernels[task.kernel].number)
      sources.push_back(alter_ ? alter_(kernels[task.kernel]) : kernels[task.kernel]);
  auto batch = CompiledBatch::compile(sources, tasks[0].variant.opt_level);
  if (batch) {
    const auto shared = std::make_shared<CompiledBatch>(*std::move(batch));
    for (Task& task : tasks) task.batch = shared;
  } else if (sources.size() == 1) {
    verdicts[tasks[0].kernel].blame("the front end", batch.error().text());
  } else {  // which one was it?
    for (Task& task : tasks) {
      std::vector<Task> one = {task};
      compile(kernels, one, verdicts);
      task = one[0];
    }
  }
}

void Judge::runTask(const GeneratedKernel& kernel, const Task& task, Verdict& verdict) {
  const auto program = task.batch->program(kernel, task.variant.options);
  if (program)
    engines_.hold(*program, task.variant, verdict.expected, verdict);
  else if (task.variant.isUsual())
    verdict.refuse(program.error());
}

}  // namespace qgpu::fuzz::cuda
