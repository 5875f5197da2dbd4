// Any text is CUDA that becomes blocks, or is refused; blocks keep the machine's rules and run.
//
// clang works in a process of its own, as it does for users: a text that ends it is a refusal. What
// stands behind it, from its PTX on, works here under the sanitizers.
#include <cstdint>
#include <string>

#include "interpreter/isa/rules.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

// Four elements for each pointer, threes for scalars.
launch::Launch launchOf(const Kernel& kernel) {
  launch::Launch launch;
  launch.block = {4, 1, 1};
  for (const KernelParameter& p : kernel.parameters) {
    const auto type = p.element.value_or(launch::ElementType::Int);
    launch.parameters.push_back(p.kind == KernelParameter::Kind::Array
                                    ? launch::arrayOf(p.name, {1, 2, 3, 4}, type)
                                    : launch::scalarOf(p.name, 3, type));
  }
  return launch;
}

void compileAndRun(const Kernel& kernel, Engine& engine) {
  const auto program = compile(kernel, launchOf(kernel));
  if (!program) return check(program.error().kind != FailureKind::Bug, "what is wrong is refused");
  check(isa::violations(program->lowered.program).empty(), "blocks keep the machine's rules");
  const auto result = run(*program, engine, {.max_tokens = 1000, .check = true});
  if (!result) return check(result.error().kind == FailureKind::Trap, "a launch ends or traps");
  check(result->check->mismatches == 0, "a replay of the launch agrees");
}

}  // namespace
}  // namespace qgpu

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  static const std::unique_ptr<Engine> engine = interpreterEngine();
  const Source source{.text = std::string(reinterpret_cast<const char*>(data), size),
                      .file_name = "fuzz.cu"};
  const auto kernel = loadKernel(source);
  if (kernel)
    compileAndRun(*kernel, *engine);
  else
    check(!kernel.error().message.empty(), "a refusal has a reason");
  return 0;
}
