// fuzz_cases: random kernels as launch cases, for other engines than ours: a GPU, another compiler.
//
//   fuzz_cases --out DIR                    k1 to k1000: DIR/kernels/k1.cu, DIR/cases/k1.json, ...
//   fuzz_cases --seed 5000 --count 10 --out DIR
//
// A case expects nothing yet. One whose results depend on warps of 4 lanes says so: its `needs` has
// "width4-only". Exit status: 0 written · 2 refused: usage, or a folder that cannot be written.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <system_error>

#include "compiler/launch/case_file.h"
#include "fuzz/cuda/generate.h"
#include "interpreter/base/files.h"
#include "interpreter/base/progress.h"

namespace qgpu::fuzz::cuda {
namespace {

struct Options {
  std::uint64_t seed = 1, count = 1000;
  std::filesystem::path out;
};

launch::Case caseOf(const GeneratedKernel& kernel) {
  launch::Case test_case;
  test_case.launch = kernel.launch;
  test_case.launch.name = kernel.launch.entry;
  test_case.launch.kernel = fmt::format("kernels/{}.cu", kernel.launch.entry);
  test_case.expectation = launch::Expectation::PassOrReject;  // not all fit the machine
  test_case.family = "generated";
  for (int f = 0; f < kFeatures; ++f)
    if (const auto feature = static_cast<Feature>(f); kernel.features.has(feature))
      test_case.needs.emplace_back(name(feature));
  if (kernel.features.width4Only()) test_case.needs.emplace_back("width4-only");
  return test_case;
}

Expected<void> write(const Options& options) {
  for (const char* const folder : {"kernels", "cases"}) {
    std::error_code error;
    std::filesystem::create_directories(options.out / folder, error);
    if (error) return refuseAt({(options.out / folder).string(), 0, 0}, error.message());
  }
  Progress progress("kernels", static_cast<std::int64_t>(options.count));
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const GeneratedKernel kernel = generateKernel(options.seed + i);
    const launch::Case test_case = caseOf(kernel);
    if (auto ok = writeFileAtomically(options.out / test_case.launch.kernel, kernel.source); !ok)
      return ok;
    const auto file = options.out / "cases" / (test_case.launch.name + ".json");
    if (auto ok = writeFileAtomically(file, launch::formatCase(test_case)); !ok) return ok;
    progress.advance();
  }
  return {};
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Random kernels as launch cases");
  app.footer("Example\n  $ fuzz_cases --count 1000 --out generated && qgpu report generated/cases");
  app.add_option("--seed", options.seed, "the first kernel's number (1)")->type_name("S");
  app.add_option("--count", options.count, "how many (1000)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}).description(""));
  app.add_option("--out", options.out, "the folder to write them into")
      ->type_name("DIR")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "error: {}\n  help: see fuzz_cases --help\n", error.what());
    return 2;
  }
  const auto done = write(options);
  if (done) return 0;
  fmt::print(stderr, "{}\n", done.error().text());
  return exitStatus(done.error().kind);
}

}  // namespace
}  // namespace qgpu::fuzz::cuda

int main(int argc, char** argv) { return qgpu::fuzz::cuda::main(argc, argv); }
