#include "conformance/faults/launches.h"

#include "conformance/audit/small_launches.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"

namespace qgpu::conformance {

std::vector<protocol::Token> launchTokens(std::size_t at_least) {
  constexpr std::int64_t kLongest = 400;  // so that there are many different ones
  std::vector<protocol::Token> tokens = sequenceOf(smallLaunches());
  machine::Machine machine;
  for (const protocol::Token& token : tokens)
    check(machine.step(token).has_value(), "a token fits");
  for (std::uint64_t seed = 1; tokens.size() < at_least; ++seed) {
    const auto host = protocol::hostTokens(isatest::generateCase(seed).image());
    machine::Machine after = machine;
    const auto run = machine::launch(after, host, kLongest);
    if (!run) continue;  // it traps, or is longer
    machine = after;
    tokens.insert(tokens.end(), host.begin(), host.end());
    tokens.insert(tokens.end(), run->written.begin(), run->written.end());
  }
  return tokens;
}

}  // namespace qgpu::conformance
