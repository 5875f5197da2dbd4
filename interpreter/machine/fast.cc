#include "interpreter/machine/fast.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "interpreter/isa/rules.h"
#include "interpreter/machine/execute.h"
#include "interpreter/machine/schedule.h"

namespace qgpu::machine {
namespace {

using protocol::Token;
using protocol::TokenKind;

class Runner {
 public:
  Runner(const isa::Program& program, const protocol::Image& image) : image_(image) {
    for (const isa::Block& block : program.blocks) {
      blocks_.emplace_back(block);
      int count = 0;
      for (const isa::Slot& s : block.slots) count += s.op != isa::Opcode::Nop;
      instructions_.push_back(count);
    }
    for (std::size_t i = 0; i < image.parameters.size(); ++i)
      for (Warp& warp : state_.warps)
        warp.file[isa::Operand::parameter(static_cast<int>(i)).code()].fill(image.parameters[i]);
    for (const protocol::MemoryWord& m : image.memory) setMemory(m.address, m.value);
    state_.nctaid = image.thread_blocks;
  }

  Expected<FastRun> run(std::int64_t budget) {
    for (int cta = 0; cta < image_.thread_blocks; ++cta) {
      startThreadBlock(state_, cta, image_.threads);
      for (int w = 0; w < kMachine.warps; ++w)
        setSpecials(state_.warps[w].file, w, cta, image_.threads, image_.thread_blocks);
      Token token = Token::exec(0, 0, startMask(0, image_.threads));
      while (token.kind == TokenKind::Exec) {
        if (result_.executions >= budget)
          return trap(fmt::format("the launch did not end within {} block executions", budget));
        state_.exec = token;
        if (!execute(token)) return trap(fmt::format("fault in block {}", token.field[0]));
        token = afterBlock(state_);
      }
    }
    result_.global = state_.global;
    result_.shared = state_.shared;
    return result_;
  }

 private:
  void setMemory(int address, std::uint32_t value) {
    if (address < protocol::kSharedBase)
      state_.global[address] = value;
    else
      state_.shared[address - protocol::kSharedBase] = value;
  }

  // False on a fault.
  bool execute(const Token& token) {
    const int number = token.field[0], w = token.field[1];
    const LaneMask mask = token.field[2];
    const DecodedBlock& block = blocks_[number];
    Warp& warp = state_.warps[w];
    runBlock(block, number, warp, {state_.global, state_.shared}, mask, block_);
    ++result_.executions;
    result_.warp_instructions += instructions_[number];
    result_.lane_instructions += std::int64_t{instructions_[number]} * std::popcount(mask);
    if (block_.faults != 0) return false;
    commit(block, warp, mask);
    moveLanes(state_, number, w, mask, block_.pc);
    return true;
  }

  void commit(const DecodedBlock& block, Warp& warp, LaneMask mask) {
    for (int i = 0; i < block.used; ++i) {
      const DecodedSlot& d = block.slots[i];
      if (!d.slot.live && !d.slot.plive) continue;
      const StageResult& stage = block_.stages[i];
      const LaneMask lanes = committing(d, stage, mask, block_.losers);
      if (d.slot.live) {
        LaneWords& row = warp.file[d.slot.rd];
        for (int l = 0; l < kMachine.lanes; ++l)
          if ((lanes >> l & 1) != 0) row[l] = stage.r[l];
      }
      if (d.slot.plive) {
        std::uint8_t& bits = warp.predicates[d.slot.pd];
        bits = static_cast<std::uint8_t>((stage.p & lanes) | (bits & ~lanes));
      }
    }
    if (block_.writer < 0) return;
    const isa::Space space = block.slots[block_.writer].slot.space;
    const LaneWords& address = block_.stages[block_.writer].address;
    for (int l = 0; l < kMachine.lanes; ++l)
      if ((block_.writes >> l & 1) != 0)
        setMemory(memoryAddress(space, address[l]), block_.words[l]);
  }

  const protocol::Image& image_;
  std::vector<DecodedBlock> blocks_;
  std::vector<int> instructions_;  // of each block, nop left out
  State state_;
  BlockResult block_;
  FastRun result_;
};

}  // namespace

Expected<FastRun> runFast(const isa::Program& program, const protocol::Image& image,
                          std::int64_t budget) {
  const auto wrong = isa::violations(program);
  if (!wrong.empty()) return refuse(wrong.front().text());
  return Runner(program, image).run(budget);
}

}  // namespace qgpu::machine
