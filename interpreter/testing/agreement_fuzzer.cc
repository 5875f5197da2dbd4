// Random programs, bent by the fuzzer's bytes where the block rules allow it, on executors that
// must agree.
#include <cstddef>
#include <cstdint>

#include "interpreter/isa/encoding.h"
#include "interpreter/isa/rules.h"
#include "interpreter/testing/agreement.h"
#include "interpreter/testing/generate.h"

namespace {

using qgpu::isatest::MachineCase;

// Five bytes: which word of the program, which of its bits from where on, and what they become.
void bend(MachineCase& launch, const std::uint8_t* bytes) {
  auto& block = launch.program.blocks[bytes[0] % launch.program.blocks.size()];
  qgpu::isa::BlockWords words = qgpu::isa::encodeBlock(block);
  const int shift = bytes[2] % 32;
  const std::uint32_t change = static_cast<std::uint32_t>(bytes[3] | bytes[4] << 8) << shift;
  words[bytes[1] % words.size()] ^= change;
  const auto bent = qgpu::isa::decodeBlock(words);
  if (!bent) return;
  const auto old = block;
  block = *bent;
  if (!qgpu::isa::violations(launch.program).empty()) block = old;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  MachineCase launch =
      qgpu::isatest::generateCase(data[0] | static_cast<std::uint64_t>(data[1]) << 8);
  for (std::size_t at = 2; at + 5 <= size; at += 5) bend(launch, data + at);
  const auto difference = qgpu::isatest::disagreement(launch, 2'000);
  qgpu::check(!difference.has_value(), difference.value_or("") + "\n" + launch.text());
  return 0;
}
