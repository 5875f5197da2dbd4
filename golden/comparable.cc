#include "golden/comparable.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "compiler/launch/compare.h"
#include "conformance/cases.h"
#include "conformance/cpu/native.h"
#include "interpreter/base/files.h"

namespace qgpu::golden {
namespace {

constexpr unsigned kLanesOfAGpu = 32;

bool isOurs(const std::filesystem::path& case_file) {
  std::error_code missing;
  const auto folder = std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases";
  return std::filesystem::equivalent(case_file.parent_path(), folder, missing);
}

// In every order of threads.
std::string differenceInWarpsOf32(const launch::Case& test_case) {
  const std::string kernel = conformance::nativeName(conformance::Suite::Own, test_case.launch);
  for (const cpu::Order order :
       {cpu::Order::Forward, cpu::Order::Backward, cpu::Order::Interleaved}) {
    const auto arrays = cpu::runNatively(kernel, test_case.launch, order, kLanesOfAGpu);
    if (!arrays) return arrays.error().message;
    const launch::Comparison comparison = launch::compare(test_case, *arrays);
    if (!comparison.agrees()) return comparison.differences.front().text();
  }
  return {};
}

}  // namespace

std::string whyNotComparable(const launch::Case& test_case,
                             const std::filesystem::path& case_file) {
  if (test_case.expectation == launch::Expectation::Reject)
    return "it must be refused or trap: there is no output to compare";
  for (const launch::Parameter& parameter : test_case.launch.parameters)
    if (parameter.kind == launch::ParameterKind::Array &&
        parameter.type == launch::ElementType::Float)
      return "it has an array of floats; the machine computes with integers";
  const auto source = readFile(test_case.launch.kernel);
  if (!source) return source.error().text();
  const auto has = [&](std::string_view text) { return source->find(text) != source->npos; };
  if (has("__activemask") || has("activemask.b32"))
    return "__activemask has no fixed value on a GPU";
  if (has(".address_size 32")) return "GPUs no longer run PTX with addresses of 32 bits";
  if (isOurs(case_file)) {
    const std::string difference = differenceInWarpsOf32(test_case);
    return difference.empty() ? "" : "it needs warps of 4 lanes; in warps of 32: " + difference;
  }
  if (std::ranges::find(test_case.needs, kNeedsWarpsOfFour) != test_case.needs.end())
    return "it says that it needs warps of 4 lanes";
  return {};
}

}  // namespace qgpu::golden
