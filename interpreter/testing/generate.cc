#include "interpreter/testing/generate.h"

#include <algorithm>

#include "interpreter/testing/generate_block.h"
#include "interpreter/testing/generate_layout.h"
#include "interpreter/testing/random.h"

namespace qgpu::isatest {
namespace {

void chooseShape(Random& random, MachineCase& launch) {
  const int warps = random.chance(45) ? 1 : random.between(1, kMachine.warps);
  launch.threads = kMachine.lanes * warps - (random.chance(50) ? 0 : random.below(kMachine.lanes));
  const int most = std::min(4, kMachine.launch_threads / launch.threads);
  launch.thread_blocks = random.chance(65) ? 1 : random.between(1, most);
}

// Words at the addresses the programs like to read, the others 0.
void chooseInputs(Random& random, MachineCase& launch) {
  launch.parameters.resize(kParametersRead);
  for (int i = 0; i < kParametersRead; ++i)
    launch.parameters[i] =
        i < kAddressParameters
            ? static_cast<std::uint32_t>(4 * random.between(1, kAddressLimit / 4))
            : random.word();
  const int dense = random.pick({5, 20, 60});
  for (int address = 1; address < protocol::kAddresses; ++address)
    if (random.chance(dense)) launch.memory.push_back({address, random.word()});
}

}  // namespace

MachineCase generateCase(std::uint64_t seed) {
  Random random(seed);
  MachineCase launch;
  chooseShape(random, launch);
  chooseInputs(random, launch);
  const Layout layout = randomLayout(random);
  for (int b = 0; b < static_cast<int>(layout.blocks.size()); ++b)
    launch.program.blocks.push_back(randomBlock(random, layout, b, launch));
  return launch;
}

}  // namespace qgpu::isatest
