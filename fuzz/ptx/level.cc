#include "fuzz/ptx/level.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/launch/case_file.h"
#include "compiler/ptx/ptx.h"
#include "fuzz/judge/engines.h"
#include "fuzz/ptx/executor.h"

namespace qgpu::fuzz {
namespace {

using ptxlevel::generatePtx;
using ptxlevel::Order;
using ptxlevel::PtxKernel;

class PtxLevel : public Level {
 public:
  PtxLevel(Oracle oracle, const ModelUse& model,
           std::function<std::string(const std::string&)> alter)
      : engines_(oracle, model), alter_(std::move(alter)) {}

  // So many share a process.
  std::size_t batch() const override { return 256; }

  Outcome run(std::uint64_t number) override { return runAll({&number, 1})[0]; }

  std::vector<Outcome> runAll(std::span<const std::uint64_t> numbers) override {
    std::vector<PtxKernel> kernels;
    kernels.reserve(numbers.size());
    for (const std::uint64_t number : numbers) kernels.push_back(generatePtx(number));
    std::vector<Outcome> outcomes;
    for (const Verdict& v : judge(kernels))
      outcomes.push_back({v.difference(), v.positions, v.refusal});
    return outcomes;
  }

  Finding minimal(std::uint64_t number) override {
    PtxKernel kernel = generatePtx(number);
    const Verdict first = judge({&kernel, 1})[0];
    while (first.differs() && leaveOut(kernel, first.where)) {
    }
    return findingOf(kernel);
  }

 private:
  std::vector<Verdict> judge(std::span<const PtxKernel> kernels) {
    std::vector<Verdict> verdicts(kernels.size());
    judgeApart(verdicts, [&](std::size_t i) { judgeHere(kernels[i], verdicts[i]); });
    return verdicts;
  }

  void judgeHere(const PtxKernel& kernel, Verdict& verdict) {
    const auto expected = expectedOf(kernel);
    if (!expected) return verdict.blame("the second executor", expected.error().message);
    const std::string text = alter_ ? alter_(kernel.text()) : kernel.text();
    auto loaded = loadKernel(
        {.text = text, .file_name = kernel.launch.kernel.string(), .language = Language::Ptx},
        kernel.launch.entry);
    if (!loaded) return verdict.blame("the front end", loaded.error().text());
    // Only the lowering's switches have a meaning here.
    for (const Variant& variant : {usualVariant(), variantOf(kernel.number)}) {
      const auto program = compile(*loaded, kernel.launch, variant.options);
      if (program)
        engines_.hold(*program, variant, *expected, verdict);
      else if (variant.isUsual())
        verdict.refuse(program.error());
    }
  }

  static Expected<launch::Arrays> expectedOf(const PtxKernel& kernel) {
    const auto module = ptx::parse(kernel.text(), kernel.launch.kernel.string());
    if (!module) return fail(module.error());
    const auto run = [&](Order order) {
      return execute(*module, kernel.launch.entry, kernel.launch, order);
    };
    auto arrays = run(Order::Forward);
    auto again = run(Order::Backward);
    if (!arrays) return arrays;
    if (!again) return again;
    if (*arrays != *again) return refuse("the result depends on the order of the threads");
    return arrays;
  }

  // Leaves out lines, many at once where that goes; false where none can be left out. Text that
  // became meaningless fails elsewhere, and is not taken.
  bool leaveOut(PtxKernel& kernel, const std::string& where) {
    for (std::size_t size = std::max<std::size_t>(kernel.body.size() / 2, 1); size > 0; size /= 2) {
      std::vector<PtxKernel> candidates;
      for (std::size_t at = 0; at + size <= kernel.body.size(); at += size) {
        PtxKernel& smaller = candidates.emplace_back(kernel);
        const auto first = smaller.body.begin() + static_cast<std::ptrdiff_t>(at);
        smaller.body.erase(first, first + static_cast<std::ptrdiff_t>(size));
      }
      const std::vector<Verdict> verdicts = judge(candidates);
      const auto found = std::ranges::find(verdicts, where, &Verdict::where);
      if (found == verdicts.end()) continue;
      kernel = candidates[static_cast<std::size_t>(found - verdicts.begin())];
      return true;
    }
    return false;
  }

  Finding findingOf(const PtxKernel& kernel) {
    const std::string name = fmt::format("finding-{}", kernel.number);
    launch::Case as_case;
    as_case.launch = kernel.launch;
    as_case.launch.name = name;
    as_case.launch.kernel = fmt::format("kernels/ptx/{}.ptx", name);
    if (auto expected = expectedOf(kernel)) as_case.expected = *std::move(expected);
    as_case.family = "found by fuzzing";
    as_case.topic = "PTX that was compiled wrongly";
    const std::string text =
        fmt::format("compiled as usual and: {}\nqgpu {}.ptx --case {}.json\n\n{}",
                    variantOf(kernel.number).name, name, name, kernel.text());
    return {kernel.number,
            judge({&kernel, 1})[0].difference(),
            text,
            {{".ptx", kernel.text()}, {".json", launch::formatCase(as_case)}}};
  }

  Engines engines_;
  std::function<std::string(const std::string&)> alter_;
};

}  // namespace

std::unique_ptr<Level> ptxLevel(Oracle oracle, const ModelUse& model,
                                std::function<std::string(const std::string&)> alter) {
  return std::make_unique<PtxLevel>(oracle, model, std::move(alter));
}

}  // namespace qgpu::fuzz
