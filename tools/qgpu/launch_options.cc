#include "tools/qgpu/launch_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/launch/arguments.h"
#include "compiler/launch/case_file.h"
#include "interpreter/base/files.h"

namespace qgpu::cli {
namespace {

// Arrays for a kernel that is only compiled: small ones, so that any number of them fits.
constexpr std::int64_t kPlaceholderElements = 4;

launch::Parameter placeholder(const KernelParameter& p) {
  switch (p.kind) {
    case KernelParameter::Kind::Array:
      return launch::arrayOf(p.name, std::vector<std::int64_t>(kPlaceholderElements),
                             p.element.value_or(launch::ElementType::Int));
    case KernelParameter::Kind::Struct: {
      launch::Parameter s;
      s.name = p.name;
      s.kind = launch::ParameterKind::Struct;
      s.fields = {{"bytes", launch::ElementType::Uint8, p.bytes}};
      s.bytes.resize(p.bytes);
      return s;
    }
    case KernelParameter::Kind::Unknown:
      return launch::arrayOf(p.name, std::vector<std::int64_t>(kPlaceholderElements));
    case KernelParameter::Kind::Scalar: break;
  }
  return launch::scalarOf(p.name, 0, p.element.value_or(launch::ElementType::Int));
}

std::size_t longestArray(const launch::Launch& launch) {
  std::size_t longest = 1;
  for (const launch::Parameter& p : launch.parameters)
    if (p.kind == launch::ParameterKind::Array) longest = std::max(longest, p.length);
  return longest;
}

}  // namespace

void LaunchOptions::addTo(CLI::App& app) {
  app.add_option("file", file_, "the kernel, .cu or .ptx")->type_name("FILE");
  app.add_option("--case", case_file_,
                 "a launch described in a JSON file: kernel, shape, arguments, expected arrays")
      ->type_name("CASE.json");
  app.add_option(
         "--entry", entry_,
         "the kernel, where the file has several: its plain, qualified, mangled or template name "
         "(reduce<int>)")
      ->type_name("NAME");
  app.add_option("--grid", grid_, "thread blocks")->type_name("X[,Y[,Z]]");
  app.add_option(
         "--block", block_,
         "threads in each; without --grid and --block, a thread for each element of the longest "
         "array")
      ->type_name("X[,Y[,Z]]");
  app.add_option(
         "--arg", arguments_,
         "an argument: n=3 a scalar, a=1,2,3 an array, c=[8] eight zeros, c=[8:-1] eight times "
         "-1, 's=\"text\"' its bytes, 's={1,2}' a struct; a:uint8=... names the type, which else "
         "is the kernel's. In "
         "parameter order, or in any order under the parameters' own names")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  app.add_option("--shared", shared_bytes_, "bytes of dynamic shared memory for each thread block")
      ->type_name("BYTES");
}

Expected<Prepared> LaunchOptions::load(const Terminal& terminal) const {
  Prepared prepared;
  launch::Launch& launch = prepared.test_case.launch;
  if (case_file_.empty()) {
    if (file_.empty())
      return refuse("there is no kernel file", "name a .cu or .ptx file, or a case with --case");
    launch.entry = entry_;
    launch.kernel = file_;
  } else {
    if (!arguments_.empty() || !grid_.empty() || !block_.empty() || shared_bytes_ ||
        !entry_.empty())
      return refuse("--case says it all: entry, grid, block, arguments and shared memory",
                    "leave out --entry, --grid, --block, --arg and --shared");
    auto test_case = launch::readCase(case_file_, file_);
    if (!test_case) return fail(std::move(test_case.error()));
    prepared.test_case = std::move(*test_case);
  }
  const auto source = readSource(launch.kernel);
  if (!source) return fail(source.error());
  auto kernel = loadKernel(*source, launch.entry);
  if (!kernel) return fail(std::move(kernel.error()));
  prepared.kernel = std::move(*kernel);
  for (const std::string& warning : prepared.kernel.warnings) terminal.warn(warning);
  return prepared;
}

Expected<Prepared> LaunchOptions::prepare(const Terminal& terminal, Arguments arguments) const {
  auto prepared = load(terminal);
  if (!prepared) return prepared;
  launch::Launch& launch = prepared->test_case.launch;
  if (case_file_.empty()) {
    prepared->arguments_given = arguments == Arguments::Required || !arguments_.empty() ||
                                prepared->kernel.parameters.empty();
    if (auto ok = fillIn(terminal, *prepared); !ok) return fail(std::move(ok.error()));
  }
  auto bound = bindLaunch(prepared->kernel, launch);
  if (!bound) return fail(std::move(bound.error()));
  launch = std::move(*bound);
  return prepared;
}

// The launch from the options, and from what they leave open.
Expected<void> LaunchOptions::fillIn(const Terminal& terminal, Prepared& prepared) const {
  const Kernel& kernel = prepared.kernel;
  launch::Launch& launch = prepared.test_case.launch;
  launch.name = kernel.name;
  launch.shared_bytes = shared_bytes_.value_or(0);
  if (prepared.arguments_given) {
    auto parameters = bindArguments(kernel, arguments_);
    if (!parameters) return fail(std::move(parameters.error()));
    launch.parameters = std::move(*parameters);
  } else {
    for (const KernelParameter& p : kernel.parameters) launch.parameters.push_back(placeholder(p));
    if (longestArray(launch) > 1)
      terminal.note(
          fmt::format("for arrays of {} elements; --arg gives yours", kPlaceholderElements));
  }
  return chooseShape(terminal, launch);
}

Expected<void> LaunchOptions::chooseShape(const Terminal& terminal, launch::Launch& launch) const {
  if (grid_.empty() && block_.empty()) {
    const auto elements = static_cast<std::uint32_t>(longestArray(launch));
    constexpr auto kMost = static_cast<std::uint32_t>(kMachine.blockThreads());
    launch.block.x = std::min(elements, kMost);
    const std::uint32_t wanted = (elements + kMost - 1) / kMost;
    launch.grid.x = std::min(wanted, static_cast<std::uint32_t>(kMachine.launch_threads) / kMost);
    terminal.note(
        fmt::format("launched as <<<{}, {}>>>, a thread for each element of the longest array; "
                    "--grid and --block choose",
                    launch.grid.x, launch.block.x));
    return {};
  }
  for (const auto& [text, dims] : {std::pair{&grid_, &launch.grid}, {&block_, &launch.block}}) {
    if (text->empty()) continue;
    auto parsed = launch::parseDims(*text);
    if (!parsed) return fail(std::move(parsed.error()));
    *dims = *parsed;
  }
  return {};
}

Expected<void> LaunchOptions::keepApart(const std::string& output, const Prepared& prepared) const {
  return qgpu::keepApart(output, {prepared.test_case.launch.kernel, case_file_});
}

Expected<Program> compileFor(const Terminal& terminal, const Prepared& prepared) {
  auto program = compile(prepared.kernel, prepared.test_case.launch);
  if (program)
    for (const std::string& warning : program->warnings) terminal.warn(warning);
  return program;
}

}  // namespace qgpu::cli
