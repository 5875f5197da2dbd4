#include "fuzz/cuda/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/launch/compare.h"
#include "fuzz/cuda/compiled_batch.h"
#include "fuzz/cuda/variant.h"

namespace qgpu::fuzz::cuda {
namespace {

// Far beyond what a random kernel takes: its loops are short.
constexpr std::int64_t kMostTokens = 1'000'000;

// A refusal without its numbers: "needs # blocks, the machine holds #".
std::string kindOf(const Failure& refusal) {
  std::string kind;
  for (const char c : refusal.message) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || !kind.ends_with('#')) kind += digit ? '#' : c;
  }
  return kind;
}

std::string comparisonText(const GeneratedKernel& kernel, const launch::Arrays& expected,
                           const launch::Arrays& got) {
  launch::Case as_case;
  as_case.launch = kernel.launch;
  as_case.expected = expected;
  const launch::Comparison comparison = launch::compare(as_case, got);
  std::string text = comparison.agrees() ? "" : comparison.text(2);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void blame(Verdict& verdict, std::string where, std::string what) {
  if (verdict.differs()) return;  // the first fault is the finding
  verdict.where = std::move(where);
  verdict.what = std::move(what);
}

}  // namespace

// One way to compile one kernel.
struct Judge::Task {
  std::size_t kernel;
  Variant variant;
  bool usual;
};

Judge::Judge(Oracle oracle, const model::Circuit* circuit, NativeOptions native)
    : oracle_(oracle), native_(std::move(native)) {
  if (oracle_ == Oracle::Interpreter) return;
  model_ = std::make_unique<model::MachineModel>(*circuit);
  if (oracle_ == Oracle::Model)
    auditor_ = std::make_unique<conformance::BatchAuditor>(
        *model_, conformance::BatchAuditOptions{.threads = 1});
  else
    alone_ = engineIn(*model_);
}

std::vector<Verdict> Judge::judge(std::span<const GeneratedKernel> kernels) {
  std::vector<Verdict> verdicts(kernels.size());
  const auto native = runNatively(kernels, native_);
  if (!native) {
    for (Verdict& verdict : verdicts) blame(verdict, "the C++ compiler", native.error().text());
    return verdicts;
  }
  std::map<int, std::vector<Task>> by_level;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const NativeResult& result = (*native)[i];
    if (!result) {
      blame(verdicts[i], "the native run", result.error().message);
      continue;
    }
    verdicts[i].expected = *result;
    const Variant variant = variantOf(kernels[i].number);
    by_level[usualVariant().opt_level].push_back({i, usualVariant(), true});
    by_level[variant.opt_level].push_back({i, variant, false});
  }
  // The usual way first: what it gets wrong, the others may get wrong too.
  for (const int level : {usualVariant().opt_level, 0, 2})
    if (by_level.contains(level)) compileAndRun(kernels, by_level[level], verdicts);
  return verdicts;
}

// All tasks have one level of clang's.
void Judge::compileAndRun(std::span<const GeneratedKernel> kernels, std::vector<Task>& tasks,
                          std::vector<Verdict>& verdicts) {
  std::vector<GeneratedKernel> sources;
  for (const Task& task : tasks)
    if (sources.empty() || sources.back().number != kernels[task.kernel].number)
      sources.push_back(alter_ ? alter_(kernels[task.kernel]) : kernels[task.kernel]);
  auto batch = CompiledBatch::compile(sources, tasks[0].variant.opt_level);
  if (batch) {
    for (const Task& task : tasks) {
      const GeneratedKernel& kernel = kernels[task.kernel];
      runTask(kernel, batch->program(kernel, task.variant.options), task, verdicts[task.kernel]);
    }
  } else if (sources.size() == 1) {
    blame(verdicts[tasks[0].kernel], "the front end", batch.error().text());
  } else {  // which one was it?
    for (const Task& task : tasks) {
      std::vector<Task> one = {task};
      compileAndRun(kernels, one, verdicts);
    }
  }
}

void Judge::runTask(const GeneratedKernel& kernel, const Expected<Program>& program,
                    const Task& task, Verdict& verdict) {
  if (!program) {
    if (task.usual) verdict.refusal = kindOf(program.error());
    return;
  }
  Recording recording;
  const auto result =
      run(*program, *interpreter_,
          {.max_tokens = kMostTokens, .check = task.usual, .recording = &recording});
  if (!result) return blame(verdict, task.variant.name, result.error().text());
  if (auto text = comparisonText(kernel, verdict.expected, result->arrays); !text.empty())
    return blame(verdict, task.variant.name, std::move(text));
  if (!task.usual) return;
  verdict.positions = result->check->positions;
  if (result->check->mismatches > 0) blame(verdict, "the second executor", result->check->first);
  if (oracle_ != Oracle::Interpreter) holdAgainstModel(*program, recording, verdict);
}

void Judge::holdAgainstModel(const Program& program, const Recording& recording, Verdict& verdict) {
  if (auditor_) {
    const conformance::Audit audit = auditor_->run(recording.host, recording.trace());
    verdict.positions = audit.positions;
    if (!audit.first.empty()) blame(verdict, "the model", audit.first);
    return;
  }
  const auto result = run(program, *alone_, {.max_tokens = kMostTokens, .check = true});
  if (!result) return blame(verdict, "the model", result.error().text());
  verdict.positions = result->check->positions;
  if (result->check->mismatches > 0) blame(verdict, "the model", result->check->first);
}

}  // namespace qgpu::fuzz::cuda
