#include "compiler/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/lower/blocks/emit.h"
#include "compiler/lower/build/build.h"
#include "compiler/lower/passes/passes.h"
#include "compiler/lower/passes/spill.h"
#include "interpreter/isa/rules.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::lower {
namespace {

constexpr int kUnlimited = 1000;
// Each round of spilling frees at least one register where it was short.
constexpr int kMostRounds = 24;

// What to aim for: few tokens, or where that gives more blocks than the ROM holds, few blocks.
struct Effort {
  IfConversion if_conversion;
  ScheduleOptions schedule;
};
constexpr Effort kFewTokens;
constexpr Effort kFewBlocks = {{.eager = true},
                               {.costs = {.block = 16}, .beam = 48, .rematerialise = false}};

// One lowering of one kernel.
class Lowering {
 public:
  Lowering(const ptx::Module& module, const ptx::Function& kernel, const LaunchShape& shape,
           const Options& options, std::string_view name)
      : module_(module), kernel_(kernel), shape_(shape), options_(options), name_(name) {}

  Expected<Lowered> run() {
    auto placement = place(module_, kernel_, shape_);
    if (!placement) return fail(placement.error());
    placement_ = *std::move(placement);
    auto function = build(module_, kernel_, shape_, placement_);
    if (!function) return fail(function.error());
    f_ = *std::move(function);
    simplifyAll();
    const Function simplified = f_;
    auto lowered = attempt(kFewTokens);
    if (lowered || !is_too_big_) return lowered;
    f_ = simplified;
    return attempt(kFewBlocks);
  }

 private:
  Expected<Lowered> attempt(const Effort& effort) {
    spilled_accesses_ = 0;
    optimise(effort.if_conversion);
    if (auto sound = checkSupported(); !sound) return fail(sound.error());
    if (const int least = fewestBlocks(f_); least > kMachine.blocks)
      return refuseSize(
          fmt::format("needs at least {} blocks, the ROM holds {}", least, kMachine.blocks));
    return generate(effort);
  }

  void simplifyAll() {
    cleanUp(f_);
    if (options_.simplify) simplify(f_);
    resolveSpaces(f_, placement_);
    mergeBlocks(f_);
    cleanUp(f_);
    if (options_.simplify) simplify(f_);
    if (options_.thread_jumps) {
      threadJumps(f_);
      mergeBlocks(f_);
      cleanUp(f_);
      if (options_.simplify) simplify(f_);
    }
  }

  void optimise(const IfConversion& if_conversion) {
    if (options_.if_convert) {
      ifConvert(f_, if_conversion);
      cleanUp(f_);
      if (options_.simplify) simplify(f_);
    }
    mergeBlocks(f_);
    awaitOthers(f_);
    gather(f_);
    if (options_.guard_exits) guardExits(f_);
    if (options_.combine) combine(f_);
    if (options_.fuse_memory) fuseMemory(f_);
    cleanUp(f_);
  }

  // What is refused comes from an instruction of the kernel.
  Location locate(std::uint32_t origin) const { return module_.locate(kernel_.body[origin]); }

  tl::unexpected<Failure> refuseSize(std::string message) {
    is_too_big_ = true;
    return refuseAt(locate(0), fmt::format("{} {}", name_, message),
                    "make the kernel smaller or split it into several");
  }

  Expected<void> checkSupported() const {
    for (const BasicBlock& block : f_.blocks)
      for (const Id id : block.body) {
        const Instruction& i = f_[id];
        if (i.kind != Kind::Unsupported) continue;
        const Complaint& complaint = f_.complaints[i.immediate];
        return refuseAt(locate(i.origin), complaint.message, complaint.hint);
      }
    return {};
  }

  Expected<Lowered> generate(const Effort& effort) {
    SpillMemory memory(placement_, static_cast<std::uint32_t>(shape_.block.count()));
    for (int round = 0;; ++round) {
      legalise(f_);
      alignFlagPhis(f_);
      Webs words(f_, Port::Word, options_.forward), flags(f_, Port::Flag, options_.forward);
      words.build();
      flags.build();
      ScheduleOptions schedule = effort.schedule;
      schedule.rematerialise &= options_.rematerialise;
      schedule.registers = options_.registers;
      const Placed placed = placeBlocks(f_, words, flags, options_.forward, schedule);
      const BlockLiveness live_words(f_, placed, words), live_flags(f_, placed, flags);
      const Colouring registers = colourWebs(placed, live_words, options_.registers);
      const Colouring predicates = colourWebs(placed, live_flags, kMachine.predicates);
      if (registers.failed.empty() && predicates.failed.empty()) {
        Emitted emitted =
            emit(f_, placed, {words, live_words, registers}, {flags, live_flags, predicates});
        return finish(std::move(emitted), registers.colours, predicates.colours, memory.words());
      }
      if (static_cast<int>(placed.blocks.size()) > kMachine.blocks)
        return refuseSize(fmt::format("needs {} blocks, the ROM holds {}", placed.blocks.size(),
                                      kMachine.blocks));
      if (!options_.spill || round == kMostRounds ||
          !spill(words, flags, registers, predicates, memory))
        return refuseRegisters(colourWebs(placed, live_words, kUnlimited).colours,
                               colourWebs(placed, live_flags, kUnlimited).colours, memory);
    }
  }

  // Takes the webs that found no register out of them; false when memory is full.
  bool spill(const Webs& words, const Webs& flags, const Colouring& registers,
             const Colouring& predicates, SpillMemory& memory) {
    for (const Id web : predicates.failed) demoteFlags(f_, flags.members(web));
    for (const Id web : registers.failed) {
      const std::vector<Id> members = words.members(web);
      if (isRematerialisable(f_, members)) {
        rematerialise(f_, members.front());
        continue;
      }
      const auto place = memory.take();
      if (!place) return false;
      spilled_accesses_ += spillWords(f_, members, *place);
    }
    if (options_.fuse_memory) fuseMemory(f_);
    cleanUp(f_);
    return true;
  }

  tl::unexpected<Failure> refuseRegisters(int registers, int predicates,
                                          const SpillMemory& memory) {
    if (registers <= options_.registers)
      return refuseSize(
          fmt::format("needs {} predicates, the machine has {}", predicates, kMachine.predicates));
    return refuseSize(
        fmt::format("needs {} registers, the machine has {}; {} words a thread are "
                    "spilled and no memory is left for more",
                    registers, options_.registers, memory.words()));
  }

  Expected<Lowered> finish(Emitted emitted, int registers, int predicates, int spills) {
    Lowered out;
    const auto blocks = static_cast<int>(emitted.program.blocks.size());
    if (blocks > kMachine.blocks)
      return refuseSize(fmt::format("needs {} blocks, the ROM holds {}", blocks, kMachine.blocks));
    if (emitted.parameters.size() > static_cast<std::size_t>(kMachine.parameters))
      return refuseSize(fmt::format("needs {} parameter words, the machine has {}",
                                    emitted.parameters.size(), kMachine.parameters));
    for (const PassedWord& w : emitted.parameters) {
      if (w.is_constant) {
        out.parameters.push_back({true, w.value, 0, 0});
      } else {
        const ArgumentWord& argument = f_.arguments[w.value];
        out.parameters.push_back({false, 0, argument.parameter, argument.offset});
      }
    }
    out.program = std::move(emitted.program);
    if (const auto found = isa::violations(out.program); !found.empty())
      bug("the lowered program keeps the block rules: " + found.front().text());
    report(out, emitted, registers, predicates);
    out.report.spills = spills;
    out.report.spilled_values = spilled_accesses_;
    out.placement = placement_;
    return out;
  }

  void report(Lowered& out, const Emitted& emitted, int registers, int predicates) const {
    Report& r = out.report;
    r.blocks = static_cast<int>(out.program.blocks.size());
    for (const isa::Block& block : out.program.blocks)
      for (const isa::Slot& slot : block.slots) r.slots += slot.op != isa::Opcode::Nop ? 1 : 0;
    r.registers = registers;
    r.predicates = predicates;
    r.global_words = placement_.global_words;
    r.shared_words = placement_.shared_words;
    r.local_words = placement_.local_words;
    r.parameter_words = static_cast<int>(out.parameters.size());
    protocol::Image image;
    image.program = protocol::encode(out.program);
    // All but GRID and CTA.
    r.program_tokens = static_cast<int>(protocol::hostTokens(image).size()) - 2;
    for (const auto& origins : emitted.origins) {
      BlockOrigin& o = r.origins.emplace_back();
      for (std::size_t s = 0; s < origins.slots.size(); ++s)
        if (origins.slots[s]) o.slots[s] = origin(*origins.slots[s]);
      o.terminator = origin(origins.terminator);
    }
  }

  Origin origin(std::uint32_t index) const {
    if (index >= kernel_.body.size()) return {};
    const ptx::Instruction& i = kernel_.body[index];
    return {i.position.line, i.source == ptx::kNoSource ? Location{} : module_.locate(i)};
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const LaunchShape& shape_;
  const Options& options_;
  std::string_view name_;  // for messages
  Placement placement_;
  Function f_;
  int spilled_accesses_ = 0;
  bool is_too_big_ = false;  // an attempt was refused for its size
};

const ptx::Function* findEntry(const ptx::Module& module, std::string_view entry) {
  for (const ptx::Function& f : module.functions)
    if (f.is_entry && f.has_body && f.name == entry) return &f;
  return nullptr;
}

}  // namespace

Expected<Lowered> lowerKernel(const ptx::Module& module, std::string_view entry,
                              const LaunchShape& shape, const Options& options,
                              std::string_view called) {
  if (auto sound = checkGeometry(shape); !sound) return fail(sound.error());
  const ptx::Function* kernel = findEntry(module, entry);
  if (kernel == nullptr)
    return refuseAt({module.file_name, 0, 0}, fmt::format("there is no kernel {}", entry));
  return Lowering(module, *kernel, shape, options, called.empty() ? entry : called).run();
}

}  // namespace qgpu::lower
