#include "tools/bench/assembly_launches.h"

#include "interpreter/base/failure.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/machine.h"

namespace qgpu::bench {

std::vector<protocol::Token> AssemblyLaunch::trace() const {
  std::vector<protocol::Token> tokens = hostTokens();
  machine::Machine machine;
  const auto run = machine::launch(machine, tokens, 100'000'000);
  check(run.has_value(), "the benchmark's launch ends");
  tokens.insert(tokens.end(), run->written.begin(), run->written.end());
  return tokens;
}

AssemblyLaunch assemblyLaunch(std::string_view assembly, std::uint32_t rounds, int threads,
                              int thread_blocks) {
  auto program = isa::assemble(assembly, "bench");
  check(program.has_value() && isa::violations(*program).empty(), "the benchmark's program is one");
  AssemblyLaunch launch{.program = std::move(*program), .image = {}};
  launch.image = {.program = protocol::encode(launch.program),
                  .parameters = {rounds},
                  .memory = {},
                  .thread_blocks = thread_blocks,
                  .threads = threads};
  return launch;
}

}  // namespace qgpu::bench
