#include "interpreter/testing/features.h"

#include "interpreter/isa/table.h"
#include "interpreter/machine/machine.h"

namespace qgpu::isatest {
namespace {

using isa::Opcode;
using isa::Slot;
using isa::Terminator;
using machine::Machine;
using protocol::Token;
using protocol::TokenKind;

class Observer {
 public:
  explicit Observer(const MachineCase& launch) : launch_(launch) {}

  Features run() {
    const int lanes = kMachine.lanes;
    features_.add(Feature::ManyWarps, launch_.threads > lanes);
    features_.add(Feature::ManyThreadBlocks, launch_.thread_blocks > 1);
    features_.add(Feature::PartialWarp, launch_.threads % lanes != 0);
    for (const Token& token : protocol::hostTokens(launch_.image())) step(token);
    while (const auto token = machine_.next()) {
      if (token->kind == TokenKind::Exec) beforeExec(*token);
      step(*token);
      if (token->kind == TokenKind::Exec) afterExec(*token);
      noteToken(*token);
    }
    return features_;
  }

 private:
  void step(const Token& token) {
    check(machine_.step(token).has_value(), "a generated launch keeps the protocol");
  }

  isa::LaneMask living(int warp) const {
    isa::LaneMask lanes = 0;
    for (int l = 0; l < kMachine.lanes; ++l)
      lanes |= isa::LaneMask{machine_.state().warps[warp].pc[l] != machine::kEnded} << l;
    return lanes;
  }

  void beforeExec(const Token& exec) {
    const int number = exec.field[0], warp = exec.field[1];
    const isa::LaneMask mask = exec.field[2];
    part_ = number != 0 && mask != living(warp);
    features_.add(Feature::Diverges, part_);
    features_.add(Feature::Loops, number != 0 && number <= last_block_[warp] && !replayed_[warp]);
    last_block_[warp] = number;
  }

  void afterExec(const Token& exec) {
    const int warp = exec.field[1];
    const isa::Block& block = launch_.program.blocks[exec.field[0]];
    const machine::BlockResult& result = machine_.lastBlock();
    replayed_[warp] = result.losers != 0;
    features_.add(Feature::Replay, replayed_[warp]);
    const bool waits = block.header.kind == Terminator::Barrier;
    features_.add(Feature::Barrier, waits);
    features_.add(Feature::DivergentBarrier, waits && part_);
    const isa::LaneMask left = living(warp);
    features_.add(Feature::EarlyExit, (exec.field[2] & ~left) != 0 && left != 0);
    features_.add(Feature::Traps, result.faults != 0);
    features_.add(Feature::TrapInstruction, block.header.kind == Terminator::Trap);
    if (block.header.divide) noteDivision(result);
    for (int i = 0; i < kMachine.slots; ++i)
      noteSlot(block.slots[i], result.stages[i], exec.field[2]);
    noteWrite(block, result, exec.field[2]);
  }

  void noteDivision(const machine::BlockResult& result) {
    features_.add(Feature::Division);
    // Only a division by zero gives a quotient and a remainder of all ones.
    for (int l = 0; l < kMachine.lanes; ++l)
      features_.add(Feature::DivisionByZero,
                    result.stages[2].r[l] == ~0u && result.stages[3].r[l] == ~0u);
  }

  void noteSlot(const Slot& slot, const machine::StageResult& stage, isa::LaneMask mask) {
    const isa::Row& row = isa::row(slot.op);
    ++features_.executed[static_cast<std::size_t>(slot.op)];
    features_.add(Feature::GuardFails, !slot.guard.always() && row.guard != isa::GuardUse::Input &&
                                           (mask & ~stage.guard) != 0);
    for (const isa::Operand o : {slot.a, slot.b, slot.c})
      features_.add(Feature::Forwards, o.kind() == isa::Operand::Kind::Slot);
    const bool memory = slot.space != isa::Space::None;
    features_.add(Feature::MemoryOperand, memory && row.memory == isa::Memory::Optional);
    features_.add(Feature::SharedMemory, slot.space == isa::Space::Shared);
    features_.add(Feature::SubWord, memory && row.width < 4);
    features_.add(Feature::Shuffle, row.isShuffle());
    features_.add(Feature::Vote, row.isVote());
    features_.add(Feature::PredicateLogic, row.unit == isa::Unit::Predicate);
  }

  void noteWrite(const isa::Block& block, const machine::BlockResult& result, isa::LaneMask mask) {
    if (result.writer < 0) return;
    const Slot& slot = block.slots[result.writer];
    const machine::StageResult& stage = result.stages[result.writer];
    const bool atomic = slot.op >= Opcode::AtomAdd && slot.op <= Opcode::AtomCas;
    const bool conflict = result.writes != (mask & stage.guard);
    features_.add(Feature::Atomic, atomic);
    features_.add(Feature::AtomicConflict, atomic && conflict);
    features_.add(Feature::StoreConflict, !atomic && conflict);
  }

  void noteToken(const Token& token) {
    const bool value = token.kind == TokenKind::Val;
    features_.add(Feature::UniformValue, value && token.field[1] == protocol::kAllLanes);
    features_.add(Feature::LaneValue, value && token.field[1] != protocol::kAllLanes);
    features_.add(Feature::LongValue, token.kind == TokenKind::Ext2);
    features_.add(Feature::PredicateToken, token.kind == TokenKind::Pred);
  }

  const MachineCase& launch_;
  Machine machine_;
  Features features_;
  std::array<int, kMachine.warps> last_block_{};
  std::array<bool, kMachine.warps> replayed_{};
  bool part_ = false;  // the block runs for some of the living lanes only
};

}  // namespace

std::string_view name(Feature feature) {
  static constexpr std::array<std::string_view, kFeatures> kNames = {"many warps",
                                                                     "many thread blocks",
                                                                     "partial warp",
                                                                     "diverges",
                                                                     "loops",
                                                                     "barrier",
                                                                     "divergent barrier",
                                                                     "early exit",
                                                                     "guard fails",
                                                                     "forwards",
                                                                     "memory operand",
                                                                     "shared memory",
                                                                     "sub-word",
                                                                     "atomic",
                                                                     "atomic conflict",
                                                                     "store conflict",
                                                                     "replay",
                                                                     "shuffle",
                                                                     "vote",
                                                                     "predicate logic",
                                                                     "division",
                                                                     "division by zero",
                                                                     "uniform value",
                                                                     "lane value",
                                                                     "long value",
                                                                     "predicate token",
                                                                     "traps",
                                                                     "trap instruction"};
  return kNames[static_cast<std::size_t>(feature)];
}

Features featuresOf(const MachineCase& launch) { return Observer(launch).run(); }

}  // namespace qgpu::isatest
