#include <fmt/format.h>

#include <algorithm>

#include "interpreter/machine/machine.h"
#include "tools/api/end_state.h"
#include "tools/api/engine.h"
#include "tools/api/joined.h"

namespace qgpu {
namespace {

using machine::Machine;
using machine::Phase;
using protocol::Token;

Ending endingOf(const Machine& machine) {
  switch (machine.phase()) {
    case Phase::Halted: return Ending::Halted;
    case Phase::Trapped: return Ending::Trapped;
    default: return Ending::OutOfTokens;
  }
}

class InterpreterEngine : public Engine {
 public:
  std::string_view name() const override { return "interpreter"; }

  Expected<EngineRun> run(std::span<const Token> host, const EngineOptions& options) override {
    Machine machine;
    for (const Token& token : host) {
      if (auto ok = machine.step(token); !ok) return fail(std::move(ok.error()));
      options.after_token();
    }
    if (machine.phase() != Phase::Model) return refuse("the host's tokens start no launch");
    EngineRun result;
    while (const auto token = machine.next()) {
      if (static_cast<std::int64_t>(result.written.size()) >= options.max_tokens) break;
      if (auto ok = machine.step(*token); !ok) return fail(std::move(ok.error()));
      result.written.push_back(*token);
      options.after_token();
    }
    result.ending = endingOf(machine);
    result.global = machine.state().global;
    result.end_state = hashOf(endState(machine.state()));
    if (options.check) result.check = replay(host, result);
    return result;
  }
};

constexpr std::array<std::string_view, 2> kEngines = {"model", "interpreter"};

}  // namespace

std::unique_ptr<Engine> interpreterEngine() { return std::make_unique<InterpreterEngine>(); }

std::span<const std::string_view> engineNames() { return kEngines; }

Expected<std::unique_ptr<Engine>> engineNamed(std::string_view name,
                                              const std::filesystem::path& circuit_file) {
  if (name == "model") return modelEngine(circuit_file);
  if (name == "interpreter" && circuit_file.empty()) return interpreterEngine();
  if (name == "interpreter")
    return refuse("the interpreter has no weights", "a circuit file is for --engine model");
  return refuse(fmt::format("there is no engine '{}'", name),
                fmt::format("engines: {}", joined(engineNames())));
}

}  // namespace qgpu
