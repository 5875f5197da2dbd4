#include "compiler/lower/blocks/operands.h"

#include <algorithm>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::lower {

using isa::Opcode;

namespace {

bool fits(std::uint32_t value) {
  return value == static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(value)});
}

// The words among the operands that are neither results nor specials nor 0.
std::vector<PassedWord> passedOperands(const Function& f, const Instruction& i) {
  std::vector<PassedWord> words;
  for (const Id id : wordOperands(i)) {
    const Instruction& leaf = f[id];
    if (leaf.kind == Kind::Argument) words.push_back({false, leaf.immediate});
    if (leaf.kind == Kind::Constant && leaf.immediate != 0) words.push_back({true, leaf.immediate});
  }
  return words;
}

// The plan with `immediate` in the field, if it is one.
std::optional<OperandPlan> planWith(const Instruction& i, const std::vector<PassedWord>& operands,
                                    std::optional<std::uint32_t> immediate) {
  OperandPlan plan{immediate, {}, {}};
  for (const PassedWord& word : operands) {
    if (word.is_constant && word.value == immediate) continue;
    if (plan.parameter && *plan.parameter != word) return std::nullopt;
    plan.parameter = word;
  }
  if (!i.hasMemory()) return plan;
  const auto offset = static_cast<std::uint32_t>(i.memory.offset);
  if (offset == immediate.value_or(0)) return plan;
  plan.base = PassedWord{true, offset};
  return plan;
}

int cost(const OperandPlan& plan) {
  return (plan.parameter && plan.parameter->is_constant ? 1 : 0) + (plan.base ? 1 : 0);
}

}  // namespace

std::optional<OperandPlan> planOperands(const Function& f, const Instruction& i) {
  const std::vector<PassedWord> operands = passedOperands(f, i);
  std::optional<OperandPlan> best;
  const auto consider = [&](std::optional<std::uint32_t> immediate) {
    const auto plan = planWith(i, operands, immediate);
    if (plan && (!best || cost(*plan) < cost(*best))) best = plan;
  };
  const auto offset = static_cast<std::uint32_t>(i.memory.offset);
  if (i.hasMemory() && offset != 0 && fits(offset)) consider(offset);
  consider(std::nullopt);
  for (const PassedWord& word : operands)
    if (word.is_constant && fits(word.value)) consider(word.value);
  return best;
}

namespace {

class Legaliser {
 public:
  explicit Legaliser(Function& f) : f_(f) {}

  void run() {
    for (BasicBlock& block : f_.blocks) {
      for (const Id id : std::exchange(block.body, {})) {
        giveFlags(id, block);
        while (!planOperands(f_, f_[id])) moveOne(id, block);
        block.body.push_back(id);
      }
      if (block.conditional() && block.condition.isConstant()) give(block.condition, block);
    }
  }

 private:
  // A guard or an input that is never true, which no guard field can say. Guards of that kind are
  // gone where the function was simplified.
  void giveFlags(Id id, BasicBlock& block) {
    Instruction& i = f_[id];
    const isa::GuardUse use = i.row().guard;
    if (use != isa::GuardUse::Unused && i.guard.isNever()) give(i.guard, block);
    if (use == isa::GuardUse::Input && i.second.isNever()) give(i.second, block);
  }
  void give(Predicate& p, BasicBlock& block) {
    const auto relation = p.isAlways() ? isa::Compare::Eq : isa::Compare::Ne;
    const Id zero = f_.constant(0);
    const Id id = f_.add({.op = Opcode::Setp, .compare = relation, .a = zero, .b = zero});
    block.body.push_back(id);
    p = {id};
  }

  // Moves the first passed word among the operands into a slot before the operation.
  void moveOne(Id id, BasicBlock& block) {
    const auto operands = wordOperands(f_[id]);
    const auto passed = std::find_if(operands.begin(), operands.end(), [&](const Id* operand) {
      const Instruction& leaf = f_[*operand];
      return leaf.kind == Kind::Argument || (leaf.kind == Kind::Constant && leaf.immediate != 0);
    });
    check(passed != operands.end(),
          "an operation that does not fit a slot has a constant or an argument");
    const Id move = f_.add({.op = Opcode::Mov, .b = **passed});
    f_[move].origin = f_[id].origin;
    f_[move].cluster = f_[id].cluster;
    block.body.push_back(move);
    **passed = move;
  }

  Function& f_;
};

}  // namespace

void legalise(Function& f) { Legaliser(f).run(); }

}  // namespace qgpu::lower
