// conformance_record: writes into our cases what their kernels compute natively.
//
//   conformance_record             all of conformance/cases
//   conformance_record FILE...     these
//
// A case is left alone, and the exit status 1, where the three thread orders disagree or the kernel
// cannot run. Files that are right already, and cases that want a Refusal, are not touched.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "conformance/cases.h"
#include "conformance/cpu/native.h"
#include "interpreter/base/files.h"

namespace qgpu::conformance {
namespace {

// What the case should expect: the arrays it names already, or else all of them, where every thread
// order gives the same.
Expected<launch::Arrays> agreedArrays(const launch::Case& test_case) {
  const std::string kernel = nativeName(Suite::Own, test_case.launch);
  auto arrays = cpu::runNatively(kernel, test_case.launch, cpu::Order::Forward);
  if (!arrays) return arrays;
  if (!test_case.expected.empty())
    std::erase_if(*arrays,
                  [&](const auto& array) { return !test_case.expected.contains(array.first); });
  launch::Case agreed = test_case;
  agreed.expected = *arrays;
  for (const cpu::Order order : {cpu::Order::Backward, cpu::Order::Interleaved}) {
    auto others = cpu::runNatively(kernel, test_case.launch, order);
    if (!others) return others;
    const launch::Comparison result = launch::compare(agreed, *others);
    if (!result.agrees())
      return refuse("the result depends on the order of the threads:\n" + result.text(),
                    "compare that array as a multiset, or name only the others in 'expected'");
  }
  return arrays;
}

Expected<void> record(const std::filesystem::path& file) {
  const auto text = readFile(file);
  if (!text) return fail(text.error());
  auto test_case = launch::readCase(file);
  if (!test_case) return fail(test_case.error());
  if (test_case->expectation == launch::Expectation::Reject) return {};
  const auto arrays = agreedArrays(*test_case);
  if (!arrays) return fail(arrays.error());
  test_case->expected = *arrays;
  const auto written = launch::parseCase(*text, file.string());
  if (!written) return fail(written.error());
  test_case->launch.kernel = written->launch.kernel;
  const std::string recorded = launch::formatCase(*test_case);
  if (recorded == *text) return {};
  std::printf("%s\n", file.filename().c_str());
  return writeFileAtomically(file, recorded);
}

int run(const std::vector<std::filesystem::path>& files) {
  int status = 0;
  for (const auto& file : files) {
    const auto done = record(file);
    if (done) continue;
    std::fprintf(stderr, "%s: %s\n", file.c_str(), done.error().text().c_str());
    status = 1;
  }
  return status;
}

}  // namespace
}  // namespace qgpu::conformance

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files(argv + 1, argv + argc);
  if (files.empty())
    for (const auto& file : qgpu::conformance::ownCases()) files.push_back(file.path);
  return qgpu::conformance::run(files);
}
