// The machine, one token at a time: the specification that the model is compared with.
//
//   Machine machine;
//   for (const Token& t : hostTokens(image)) if (auto ok = machine.step(t); !ok) return ok;
//   while (auto next = machine.next()) {          // what the model must write now
//     if (auto ok = machine.step(*next); !ok) return ok;
//   }
//   machine.phase();                              // Halted, or Trapped: see trapReason()
//   machine.state().global[1];
//
// After HALT or TRAP the host may write again: the state stays, as it does in the model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
  // here, one that is not `next()` in the model's turn, and an EXEC of a block that does not decode
  // or breaks a rule (that launch then cannot go on).
  Expected<void> step(const protocol::Token& token);

  // What the model writes next; nothing while it is not its turn.
  std::optional<protocol::Token> next() const {
    return phase_ == Phase::Model ? std::optional(next_) : std::nullopt;
  }

  Phase phase() const { return phase_; }
  const State& state() const { return state_; }
  // The stages of the last EXEC; all 0 before the first of a thread block.
  const BlockResult& lastBlock() const { return pipeline_.result(); }
  // Why the launch trapped: the lanes, the block and what they did. Only in phase Trapped.
  Failure trapReason() const;

 private:
  // A token the last block owes, and the EXT tokens of its word.
  struct Item {
    protocol::Token base;
    std::uint32_t word = 0;
    int parts = 1;
  };
  // The most that a block owes: a VAL for each slot and lane, PREDs, and MEMs of one slot.
  static constexpr int kMaxItems =
      kMachine.slots * kMachine.lanes + kMachine.predicates + kMachine.lanes;

  Expected<void> hostStep(const protocol::Token& token);
  Expected<void> modelStep(const protocol::Token& token);
  Expected<void> execute(const protocol::Token& exec);
  Expected<const DecodedBlock*> decoded(int number);
  void startThreadBlock(const protocol::Token& cta);
  void setPredicate(const protocol::Token& pred);
  void openWord(const protocol::Token& base);
  Expected<void> extendWord(const protocol::Token& ext);
  void store(const protocol::Token& base, std::uint32_t word);
  void storeValue(const protocol::Token& val, std::uint32_t word);

  void collectItems(const DecodedBlock& block, const Warp& warp);
  void collectValues(const DecodedBlock& block);
  void collectPredicates(const DecodedBlock& block, const Warp& warp);
  void collectMemory(const DecodedBlock& block);
  void owe(const protocol::Token& base, std::uint32_t word = 0);
  void nextPart();
  protocol::Token successor() const;

  State state_;
  Phase phase_ = Phase::Host;
  protocol::Token next_;
  Pipeline pipeline_;
  std::array<Item, kMaxItems> items_;
  int items_owed_ = 0;
  int item_ = 0;  // the item being written
  int part_ = 0;  // and its next part
  // Blocks that have run, decoded; a CODE token forgets its block.
  std::array<std::optional<DecodedBlock>, kMachine.blocks> decoded_;
};

// ---- Whole launches. ----

struct LaunchResult {
  std::vector<protocol::Token> written;  // by the model
  std::int64_t host_tokens = 0;
};

// Feeds the host's tokens and lets the machine write until HALT. A Trap says why the launch ended:
// the kernel's fault, or more than `budget` tokens (the machine then still stands in the launch).
Expected<LaunchResult> launch(Machine& machine, std::span<const protocol::Token> host,
                              std::int64_t budget);

}  // namespace qgpu::machine
