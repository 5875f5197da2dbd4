// A trace against the reference machine.
#include <fmt/format.h>

#include <algorithm>

#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "tools/api/end_state.h"
#include "tools/api/engine.h"

namespace qgpu {
namespace {

using machine::Machine;
using machine::Phase;
using protocol::Token;
using protocol::TokenKind;

// The launch that the host's tokens stand for, as the runner without tokens wants it.
struct HostView {
  isa::Program program;
  protocol::Image image;
};
Expected<HostView> viewOf(const machine::State& state, int blocks) {
  HostView view;
  for (int b = 0; b < blocks; ++b) {
    auto block = isa::decodeBlock(state.program[static_cast<std::size_t>(b)]);
    if (!block) return fail(std::move(block.error()));
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

bool endsAs(Phase phase, Ending ending) {
  switch (ending) {
    case Ending::Halted: return phase == Phase::Halted;
    case Ending::Trapped: return phase == Phase::Trapped;
    case Ending::OutOfTokens: break;
  }
  return phase == Phase::Model;
}

class Replay {
 public:
  // Where the trace goes wrong the machine goes on with its own token, so that one altered token is
  // one mismatch.
  Check run(std::span<const Token> host, const EngineRun& first) {
    for (const Token& token : host) feed(token);
    const auto view = viewOf(machine_.state(), blocksIn(host));
    for (const Token& token : first.written) {
      const auto next = machine_.next();
      if (next != token)
        mismatch(fmt::format("token {}: the replay writes {}, the trace has {}", check_.positions,
                             next ? next->text() : "nothing", token.text()));
      feed(next.value_or(token));
    }
    compareEnd(first);
    if (first.ending == Ending::Halted) compareRunner(first, view);
    return check_;
  }

 private:
  void feed(const Token& token) {
    if (auto ok = machine_.step(token); !ok)
      mismatch(fmt::format("token {}: {}", check_.positions, ok.error().message));
    ++check_.positions;
  }

  void compareEnd(const EngineRun& first) {
    if (!endsAs(machine_.phase(), first.ending))
      mismatch(
          fmt::format("token {}: the replay has not ended as the trace has", check_.positions));
    if (machine_.state().global != first.global) mismatch("global memory differs after the replay");
    if (hashOf(endState(machine_.state())) != first.end_state)
      mismatch("the end state differs after the replay");
  }

  void compareRunner(const EngineRun& first, const Expected<HostView>& view) {
    const auto budget = static_cast<std::int64_t>(first.written.size());
    const Expected<machine::FastRun> fast =
        view ? machine::runFast(view->program, view->image, budget) : fail(view.error());
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

}  // namespace

Check replay(std::span<const Token> host, const EngineRun& run) { return Replay().run(host, run); }

}  // namespace qgpu
