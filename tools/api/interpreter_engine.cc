#include <fmt/format.h>

#include <algorithm>

#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "tools/api/engine.h"

namespace qgpu {
namespace {

using machine::Machine;
using machine::Phase;
using protocol::Token;
using protocol::TokenKind;

Ending endingOf(const Machine& machine) {
  switch (machine.phase()) {
    case Phase::Halted: return Ending::Halted;
    case Phase::Trapped: return Ending::Trapped;
    default: return Ending::OutOfTokens;
  }
}

// The program, parameters, memory and shape that the host's tokens stand for.
struct HostView {
  isa::Program program;
  protocol::Image image;
};
HostView viewOf(const machine::State& state, int blocks) {
  HostView view;
  for (int b = 0; b < blocks; ++b) {
    auto block = isa::decodeBlock(state.program[static_cast<std::size_t>(b)]);
    check(block.has_value(), "a machine that started has a program that decodes");
    view.program.blocks.push_back(*block);
  }
  view.image.parameters.assign(state.parameters.begin(), state.parameters.end());
  for (int row = 0; row < kMachine.global_rows; ++row)
    view.image.memory.push_back({row, state.global[static_cast<std::size_t>(row)]});
  view.image.thread_blocks = state.nctaid;
  view.image.threads = state.ntid;
  return view;
}

int blocksIn(std::span<const Token> host) {
  int blocks = 0;
  for (const Token& token : host)
    if (token.kind == TokenKind::Code) blocks = std::max(blocks, token.field[0] + 1);
  return blocks;
}

class Replay {
 public:
  // Feeds the trace to a second machine and compares each token with what that machine would write.
  Check run(std::span<const Token> host, const EngineRun& first) {
    for (const Token& token : host) compareStep(machine_, token);
    const HostView view = viewOf(machine_.state(), blocksIn(host));
    for (const Token& token : first.written) {
      const auto next = machine_.next();
      if (next != token)
        mismatch(fmt::format("token {}: the replay writes {}, the trace has {}", check_.positions,
                             next ? next->text() : "nothing", token.text()));
      compareStep(machine_, token);
    }
    compareMemory(first, view);
    return check_;
  }

 private:
  void compareStep(Machine& machine, const Token& token) {
    if (auto ok = machine.step(token); !ok)
      mismatch(fmt::format("token {}: {}", check_.positions, ok.error().message));
    ++check_.positions;
  }

  void compareMemory(const EngineRun& first, const HostView& view) {
    if (endingOf(machine_) != first.ending) mismatch("the replay ends otherwise than the trace");
    if (machine_.state().global != first.global) mismatch("global memory differs after the replay");
    if (first.ending != Ending::Halted) return;
    const auto budget = static_cast<std::int64_t>(first.written.size());
    const auto fast = machine::runFast(view.program, view.image, budget);
    if (!fast)
      mismatch("the runner without tokens: " + fast.error().message);
    else if (fast->global != first.global)
      mismatch("the runner without tokens leaves another global memory");
  }

  void mismatch(std::string what) {
    if (check_.mismatches++ == 0) check_.first = std::move(what);
  }

  Machine machine_;
  Check check_;
};

class InterpreterEngine : public Engine {
 public:
  std::string_view name() const override { return "interpreter"; }

  Expected<EngineRun> run(std::span<const Token> host, const EngineOptions& options) override {
    Machine machine;
    for (const Token& token : host)
      if (auto ok = machine.step(token); !ok) return fail(std::move(ok.error()));
    if (machine.phase() != Phase::Model) return refuse("the host's tokens start no launch");
    EngineRun result;
    while (const auto token = machine.next()) {
      if (static_cast<std::int64_t>(result.written.size()) >= options.max_tokens) break;
      if (auto ok = machine.step(*token); !ok) return fail(std::move(ok.error()));
      result.written.push_back(*token);
    }
    result.ending = endingOf(machine);
    result.global = machine.state().global;
    if (options.check) result.check = Replay().run(host, result);
    return result;
  }
};

constexpr std::array<std::string_view, 1> kEngines = {"interpreter"};

}  // namespace

std::unique_ptr<Engine> interpreterEngine() { return std::make_unique<InterpreterEngine>(); }

std::span<const std::string_view> engineNames() { return kEngines; }

Expected<std::unique_ptr<Engine>> engineNamed(std::string_view name) {
  if (name == "interpreter") return interpreterEngine();
  return refuse(fmt::format("there is no engine '{}'", name),
                fmt::format("engines: {}", fmt::join(engineNames(), ", ")));
}

}  // namespace qgpu
