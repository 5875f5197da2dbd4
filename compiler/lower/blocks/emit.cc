#include "compiler/lower/blocks/emit.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::lower {
namespace {

using isa::Opcode;
using isa::Operand;

class Emitter {
 public:
  Emitter(const Function& f, const Placed& placed, const Registers& words, const Registers& flags)
      : f_(f), placed_(placed), words_(words), flags_(flags) {}

  Emitted run() {
    // Block 0 starts every warp and so cannot replay.
    const bool replays =
        std::any_of(placed_.blocks[0].slots.begin(), placed_.blocks[0].slots.end(),
                    [&](Id id) { return f_[id].row().memory == isa::Memory::Replay; });
    shift_ = replays ? 1 : 0;
    if (replays) {
      out_.program.blocks.emplace_back();
      out_.program.blocks[0].header = {.kind = isa::Terminator::Jump, .target = 1};
      out_.origins.emplace_back();
    }
    for (std::size_t b = 0; b < placed_.blocks.size(); ++b) emitBlock(static_cast<int>(b));
    return std::move(out_);
  }

 private:
  void emitBlock(int b) {
    number_ = b;
    slot_of_.clear();
    isa::Block block;
    Emitted::BlockOrigins origins;
    const PlacedBlock& source = placed_.blocks[b];
    for (std::size_t n = 0; n < source.slots.size(); ++n) {
      const Instruction& i = f_[source.slots[n]];
      const int at = slotNumber(source, static_cast<int>(n));
      block.slots[at] = slot(source.slots[n], i);
      block.header.replay |= i.row().memory == isa::Memory::Replay;
      origins.slots[at] = i.origin;
      slot_of_.push_back({source.slots[n], at});
    }
    block.header.divide = source.divides;
    terminate(block.header, source, b);
    origins.terminator = f_.blocks[source.home].origin;
    out_.program.blocks.push_back(block);
    out_.origins.push_back(origins);
  }

  // A division keeps slots 1, 3 and 4.
  int slotNumber(const PlacedBlock& block, int n) const {
    if (!block.divides || n == 0) return n;
    return f_[block.slots[n]].is(Opcode::Quo) ? 2 : 3;
  }

  std::optional<int> slotOf(Id id) const {
    for (const auto& [made, at] : slot_of_)
      if (made == id) return at;
    return std::nullopt;
  }

  // ---- operands

  int passed(const PassedWord& word) {
    const auto at = std::find(out_.parameters.begin(), out_.parameters.end(), word);
    if (at != out_.parameters.end()) return static_cast<int>(at - out_.parameters.begin());
    out_.parameters.push_back(word);
    return static_cast<int>(out_.parameters.size() - 1);
  }
  // Beyond the last parameter word the program is refused anyway: any operand will do.
  Operand parameter(const PassedWord& word) {
    return Operand::parameter(std::min(passed(word), kMachine.parameters - 1));
  }

  Operand operand(Id id, const OperandPlan& plan) {
    if (id == kNone) return Operand::zero();
    const Instruction& leaf = f_[id];
    switch (leaf.kind) {
      case Kind::Constant:
        if (leaf.immediate == 0) return Operand::zero();
        if (leaf.immediate == plan.immediate) return Operand::immediate();
        return parameter({true, leaf.immediate});
      case Kind::Argument: return parameter({false, leaf.immediate});
      case Kind::Special: return Operand::special(static_cast<isa::Special>(leaf.immediate));
      case Kind::Undefined: return Operand::zero();
      default: break;
    }
    if (const auto at = slotOf(id)) return Operand::slot(*at);
    return Operand::reg(1 + colourOf(words_, id));
  }

  static int colourOf(const Registers& registers, Id id) {
    const auto at = registers.colouring.colour.find(registers.webs.of(id));
    check(at != registers.colouring.colour.end(), "a value that crosses blocks has a register");
    return at->second;
  }

  isa::Guard guard(Predicate p) const {
    if (p.isConstant()) return isa::Guard::none();
    if (const auto at = slotOf(p.id)) return isa::Guard::slot(*at, p.negate);
    return isa::Guard::predicate(colourOf(flags_, p.id), p.negate);
  }

  // ---- slots

  isa::Slot slot(Id id, const Instruction& i) {
    const auto plan = planOperands(f_, i);
    check(plan.has_value(), "every operation fits a slot after legalising");
    const isa::Row& row = i.row();
    isa::Slot s;
    s.op = i.op;
    if (row.a) s.a = operand(i.a, *plan);
    if (row.b) s.b = operand(i.b, *plan);
    if (row.c || keepsOld(i)) s.c = operand(i.c, *plan);
    s.guard = guard(i.guard);
    if (row.unit == isa::Unit::Predicate) {
      const isa::Guard second = guard(i.second);
      s.aux = static_cast<std::uint8_t>(second.code | (second.negate ? 8 : 0));
    }
    if (row.isShuffle()) s.aux = i.aux;
    if (row.predicate != isa::PredicateUse::Flag) s.compare = i.compare;
    addMemory(s, i, *plan);
    if (plan->immediate) s.imm = static_cast<std::int16_t>(*plan->immediate);
    addResults(s, id, i);
    return s;
  }

  void addMemory(isa::Slot& s, const Instruction& i, const OperandPlan& plan) {
    if (!i.hasMemory()) return;
    s.space = i.memory.space;
    s.scaled = i.memory.scaled;
    if (!plan.base) return;
    s.base_parameter = true;
    s.aux = static_cast<std::uint8_t>(std::min(passed(*plan.base), kMachine.parameters - 1));
  }

  void addResults(isa::Slot& s, Id id, const Instruction& i) {
    if (i.row().result && isWritten(words_, id)) {
      s.live = true;
      s.rd = static_cast<std::uint8_t>(1 + colourOf(words_, id));
    }
    if (hasFlag(i) && isWritten(flags_, id)) {
      s.plive = true;
      s.pd = static_cast<std::uint8_t>(colourOf(flags_, id));
    }
  }

  bool isWritten(const Registers& registers, Id id) const {
    const auto& written = registers.live.written(number_);
    return std::binary_search(written.begin(), written.end(), registers.webs.of(id));
  }

  // ---- terminators

  isa::Condition condition(Predicate p) const {
    if (const auto at = slotOf(p.id)) return isa::Condition::slot(*at, p.negate);
    return isa::Condition::predicate(colourOf(flags_, p.id), p.negate);
  }

  std::uint8_t target(int machine_block) const {
    return static_cast<std::uint8_t>(std::min(machine_block + shift_, kMachine.blocks - 1));
  }
  std::uint8_t basicTarget(int basic_block) const { return target(placed_.first[basic_block]); }

  void terminate(isa::Header& header, const PlacedBlock& block, int b) {
    if (!block.last) {
      header.kind = isa::Terminator::Jump;
      header.target = target(b + 1);
      return;
    }
    const End end = endOf(f_, block.home);
    constexpr isa::Terminator kKinds[] = {isa::Terminator::Jump,    isa::Terminator::Branch,
                                          isa::Terminator::ExitIf,  isa::Terminator::Exit,
                                          isa::Terminator::Barrier, isa::Terminator::Trap};
    header.kind = kKinds[static_cast<std::size_t>(end.kind)];
    if (end.target >= 0) header.target = basicTarget(end.target);
    if (end.other >= 0) header.other = basicTarget(end.other);
    if (!end.condition.isConstant()) header.condition = condition(end.condition);
  }

  const Function& f_;
  const Placed& placed_;
  const Registers& words_;
  const Registers& flags_;
  Emitted out_;
  int shift_ = 0;
  int number_ = 0;                           // of the block being written
  std::vector<std::pair<Id, int>> slot_of_;  // what it has made so far
};

}  // namespace

Emitted emit(const Function& f, const Placed& placed, const Registers& words,
             const Registers& flags) {
  return Emitter(f, placed, words, flags).run();
}

}  // namespace qgpu::lower
