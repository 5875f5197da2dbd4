#include "interpreter/machine/fast.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "interpreter/isa/rules.h"
#include "interpreter/machine/execute.h"
#include "interpreter/machine/schedule.h"

namespace qgpu::machine {
namespace {

// How many lanes a mask holds. (std::popcount is a call where the processor may lack it.)
constexpr auto kLanesIn = [] {
  std::array<std::uint8_t, kMachine.allLanes() + 1> lanes{};
  for (LaneMask mask = 0; mask < lanes.size(); ++mask)
    lanes[mask] = static_cast<std::uint8_t>(std::popcount(mask));
  return lanes;
}();

class Runner {
 public:
  Runner(const isa::Program& program, const protocol::Image& image) : image_(image) {
    blocks_.reserve(program.blocks.size());
    for (const isa::Block& block : program.blocks) blocks_.emplace_back(block);
    for (std::size_t i = 0; i < image.parameters.size(); ++i)
      setParameter(state_, static_cast<int>(i), image.parameters[i]);
    for (const protocol::MemoryWord& m : image.memory) memoryWord(state_, m.address) = m.value;
    state_.nctaid = image.thread_blocks;
  }

  Expected<FastRun> run(std::int64_t budget) {
    for (int cta = 0; cta < image_.thread_blocks; ++cta) {
      startThreadBlock(state_, cta, image_.threads);
      std::optional<Dispatch> next = Dispatch{0, 0, startMask(0, image_.threads)};
      while (next) {
        if (run_.executions >= budget)
          return trap(fmt::format("the launch did not end within {} block executions", budget));
        if (!execute(*next))
          return fail(describeFault(blocks_[next->block], next->block, next->warp, cta,
                                    pipeline_.result()));
        next = afterBlock(state_, next->warp);
      }
    }
    run_.global = state_.global;
    run_.shared = state_.shared;
    return run_;
  }

 private:
  // False on a fault.
  bool execute(const Dispatch& d) {
    const DecodedBlock& block = blocks_[d.block];
    Warp& warp = state_.warps[d.warp];
    const BlockResult& result =
        pipeline_.run(block, d.block, warp, {state_.global, state_.shared}, d.mask);
    ++run_.executions;
    run_.warp_instructions += block.instructions;
    run_.lane_instructions += std::int64_t{block.instructions} * kLanesIn[d.mask];
    if (result.faults != 0) return false;
    commitSlots(block, result, warp, d.mask);
    commitMemory(block, result);
    moveLanes(state_, d.block, d.warp, d.mask, result.pc);
    return true;
  }

  static void commitSlots(const DecodedBlock& block, const BlockResult& result, Warp& warp,
                          LaneMask mask) {
    for (int n = 0; n < block.leaving_count; ++n) {
      const int i = block.leaving[n];
      const DecodedSlot& d = block.slots[i];
      const StageResult& stage = result.stages[i];
      const LaneMask lanes = committing(d, stage, mask, result.losers);
      if (d.slot.live) merge(warp.file[d.slot.rd], stage.r, lanes);
      if (d.slot.plive) {
        std::uint8_t& bits = warp.predicates[d.slot.pd];
        bits = static_cast<std::uint8_t>((stage.p & lanes) | (bits & ~lanes));
      }
    }
  }

  static void merge(LaneWords& row, const LaneWords& r, LaneMask lanes) {
    if (lanes == kMachine.allLanes()) {
      row = r;
      return;
    }
    for (int l = 0; l < kMachine.lanes; ++l)
      if ((lanes >> l & 1) != 0) row[l] = r[l];
  }

  void commitMemory(const DecodedBlock& block, const BlockResult& result) {
    if (result.writer < 0) return;
    const isa::Space space = block.slots[result.writer].slot.space;
    const LaneWords& address = result.stages[result.writer].address;
    for (int l = 0; l < kMachine.lanes; ++l)
      if ((result.writes >> l & 1) != 0)
        memoryWord(state_, memoryAddress(space, address[l])) = result.words[l];
  }

  const protocol::Image& image_;
  std::vector<DecodedBlock> blocks_;
  State state_;
  Pipeline pipeline_;
  FastRun run_;
};

bool fits(const protocol::Image& image) {
  const auto within = [](int value, int low, int high) { return value >= low && value <= high; };
  if (!within(image.thread_blocks, 1, kMachine.thread_blocks)) return false;
  if (!within(image.threads, 1, kMachine.blockThreads())) return false;
  if (image.parameters.size() > static_cast<std::size_t>(kMachine.parameters)) return false;
  for (const protocol::MemoryWord& m : image.memory)
    if (!within(m.address, 0, protocol::kAddresses - 1)) return false;
  return true;
}

}  // namespace

Expected<FastRun> runFast(const isa::Program& program, const protocol::Image& image,
                          std::int64_t budget) {
  const auto wrong = isa::violations(program);
  if (!wrong.empty()) return refuse(wrong.front().text());
  if (!fits(image)) return refuse("the launch does not fit the machine");
  return Runner(program, image).run(budget);
}

}  // namespace qgpu::machine
