// The machine, one token at a time: the specification that the model is compared with.
//
//   Machine machine;
//   for (const Token& t : hostTokens(image)) if (auto ok = machine.step(t); !ok) return ok;
//   while (auto next = machine.next()) {          // what the model must write now
//     if (auto ok = machine.step(*next); !ok) return ok;
//   }
//   machine.outcome();                            // Halted, or Trapped with the reason
//   machine.state().global[1];
//
// After HALT or TRAP the host may write again: the state stays, as it does in the model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/machine/execute.h"
#include "interpreter/machine/state.h"
#include "interpreter/protocol/token.h"

namespace qgpu::machine {

enum class Phase : std::uint8_t {
  Host,     // the host writes: CODE, PARAM, MEM, GRID, CTA
  Model,    // the model writes
  Halted,   // HALT was written; the host may start again
  Trapped,  // TRAP was written
};

class Machine {
 public:
  // Takes a token. Refused, without a change of state: a token that the protocol does not allow
  // here, one that is not `next()` in the model's turn, a block that does not decode or breaks a
  // rule.
  Expected<void> step(const protocol::Token& token);

  // What the model writes next; nothing while it is not its turn.
  std::optional<protocol::Token> next() const;

  Phase phase() const { return phase_; }
  const State& state() const { return state_; }
  // The stages of the last EXEC.
  const BlockResult& lastBlock() const { return result_; }
  // Why the launch trapped: the lanes, the block and what they did. Only in phase Trapped.
  Failure trapReason() const;

 private:
  // A token the last block owes, and the EXT tokens of its word.
  struct Item {
    protocol::Token base;
    std::uint32_t word = 0;
    int parts = 1;
  };

  Expected<void> hostStep(const protocol::Token& token);
  Expected<void> execute(const protocol::Token& token);
  void start(const protocol::Token& cta);
  void setPredicate(const protocol::Token& token);
  void openWord(const protocol::Token& base);
  Expected<void> extendWord(const protocol::Token& token);
  void store(const protocol::Token& base, std::uint32_t word);
  void advance();

  void collectItems(const DecodedBlock& block, const Warp& warp);
  void collectValues(const DecodedBlock& block);
  void collectPredicates(const DecodedBlock& block, const Warp& warp);
  void collectMemory(const DecodedBlock& block);

  State state_;
  Phase phase_ = Phase::Host;
  bool at_start_ = false;  // of a thread block: nothing has run in it yet
  BlockResult result_;
  std::vector<Item> items_;
  std::size_t item_ = 0;  // the item being written
  int part_ = 0;          // and its next part
};

// ---- Whole launches.
// -----------------------------------------------------------------------------

struct LaunchResult {
  std::vector<protocol::Token> written;  // by the model
  std::int64_t host_tokens = 0;
};

// Feeds the host's tokens and lets the machine write until HALT. A Trap says why the launch ended:
// the kernel's fault, or more than `budget` tokens.
Expected<LaunchResult> launch(Machine& machine, std::span<const protocol::Token> host,
                              std::int64_t budget);

}  // namespace qgpu::machine
