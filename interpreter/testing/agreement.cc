#include "interpreter/testing/agreement.h"

#include <fmt/format.h>

#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "interpreter/testing/plain_executor.h"

namespace qgpu::isatest {
namespace {

using machine::Machine;
using machine::Phase;
using protocol::Token;

// What differs between the machine's tokens and the plain executor's, while the machine runs.
std::optional<std::string> compareTokens(Machine& machine, const PlainRun& plain) {
  for (std::size_t i = 0; i < plain.tokens.size(); ++i) {
    const auto next = machine.next();
    if (next != plain.tokens[i])
      return fmt::format("token {}: the machine writes {}, the plain executor {}", i,
                         next ? next->text() : "nothing", plain.tokens[i].text());
    if (const auto ok = machine.step(*next); !ok)
      return fmt::format("token {}: {}", i, ok.error().message);
  }
  return std::nullopt;
}

template <typename Words>
std::optional<std::string> compareWords(std::string_view what, const Words& one,
                                        const Words& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if (one[i] != other[i])
      return fmt::format("{} word {}: {:#x} and {:#x}", what, i, one[i], other[i]);
  return std::nullopt;
}

std::optional<std::string> compareEnds(const Machine& machine, const PlainRun& plain) {
  const Phase expected = plain.ending == Ending::Halted    ? Phase::Halted
                         : plain.ending == Ending::Trapped ? Phase::Trapped
                                                           : Phase::Model;
  if (machine.phase() != expected) return "the machine ends otherwise than the plain executor";
  if (plain.ending == Ending::OutOfBudget) return std::nullopt;
  if (auto d = compareWords("machine and plain: global", machine.state().global, plain.global))
    return d;
  return compareWords("machine and plain: shared", machine.state().shared, plain.shared);
}

std::optional<std::string> compareFast(const MachineCase& launch, const Machine& machine,
                                       const PlainRun& plain, std::int64_t budget) {
  const auto fast = machine::runFast(launch.program, launch.image(), budget);
  if (fast.has_value() != (plain.ending == Ending::Halted))
    return "the fast runner ends otherwise: " + (fast ? "HALT" : fast.error().message);
  if (!fast && plain.ending == Ending::Trapped && fast.error() != machine.trapReason())
    return "the fast runner traps otherwise: " + fast.error().message;
  if (!fast) return std::nullopt;
  if (fast->executions != plain.executions) return "the fast runner executes other blocks";
  if (auto d = compareWords("fast and plain: global", fast->global, plain.global)) return d;
  return compareWords("fast and plain: shared", fast->shared, plain.shared);
}

}  // namespace

std::optional<std::string> disagreement(const MachineCase& launch, std::int64_t budget) {
  const PlainRun plain = runPlain(launch, budget);
  Machine machine;
  for (const Token& token : protocol::hostTokens(launch.image()))
    if (const auto ok = machine.step(token); !ok)
      return "the prompt is refused: " + ok.error().message;
  if (auto d = compareTokens(machine, plain)) return d;
  if (auto d = compareEnds(machine, plain)) return d;
  return compareFast(launch, machine, plain, budget);
}

}  // namespace qgpu::isatest
