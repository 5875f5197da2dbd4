// What the translation of an instruction works with: its operands as values, its results as writes.
//
//   void translateAdd(Context& c, const ptx::Instruction& i) {
//     c.setWord(i.operands[0], c.b.add(c.word(i, 1), c.word(i, 2)));
//   }
//
// Registers of 32 bits and less are words; of 16-bit registers the upper half means nothing, so
// that whoever needs it extends first (`extended`). 64-bit registers are pairs. A guarded
// instruction keeps the old value of what it writes where the guard fails; memory operations take
// the guard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/build/variables.h"
#include "compiler/lower/build/wide.h"
#include "compiler/lower/ir/builder.h"
#include "compiler/lower/placement.h"
#include "compiler/ptx/ast.h"

namespace qgpu::lower {

// Constants with these object numbers are not addresses in memory: the start of kernel parameter
// number object - kFirstParameterObject.
inline constexpr int kFirstParameterObject = 1 << 20;

// Variables for what a loop within an instruction carries (repeat.h).
inline constexpr std::size_t kCarriedWords = 5;

class Context {
 public:
  Context(const ptx::Module& module, const ptx::Function& kernel, const LaunchShape& shape,
          const Placement& placement, Function& f);

  const ptx::Module& module;
  const ptx::Function& kernel;
  const LaunchShape& shape;
  const Placement& placement;
  Function& f;
  Builder b;
  Variables variables;
  Predicate guard;  // of the instruction being translated

  // ---- operands
  static const ptx::Operand& operand(const ptx::Instruction& i, std::size_t n) {
    return i.operands[n];
  }
  Id word(const ptx::Operand& operand);
  Id word(const ptx::Instruction& i, std::size_t n) { return word(i.operands[n]); }
  Wide pair(const ptx::Operand& operand);
  Wide pair(const ptx::Instruction& i, std::size_t n) { return pair(i.operands[n]); }
  Predicate flag(const ptx::Operand& operand);
  // The operand as a number of its type: 8- and 16-bit values extended to a word.
  Id extended(const ptx::Operand& operand, ptx::Type type);
  Id extended(const ptx::Instruction& i, std::size_t n, ptx::Type type) {
    return extended(i.operands[n], type);
  }
  // Any word extended from the type's width.
  Id extend(Id value, ptx::Type type);
  // A constant, if the operand is known to be one.
  std::optional<std::uint32_t> constant(const ptx::Operand& operand);

  // ---- results; a sink or kNoRegister takes anything
  void setWord(const ptx::Operand& destination, Id value);
  void setPair(const ptx::Operand& destination, Wide value);
  void setFlag(const ptx::Operand& destination, Predicate value);
  void setRegister(ptx::RegisterId reg, Wide value);  // of any width
  void setFlagRegister(ptx::RegisterId reg, Predicate value);
  int registerBits(ptx::RegisterId reg) const;
  // Width of the register an operand names; 0 for a sink.
  int destinationBits(const ptx::Operand& destination) const;

  // ---- the carry flag of add.cc and its kind
  Predicate carry() { return variables.read(carryVariable(), b.block()); }
  void setCarry(Predicate value);

  // ---- variables of no register of the text
  int carriedVariable(std::size_t n) const { return carryVariable() + 1 + static_cast<int>(n); }

  // ---- symbols
  Wide addressOf(const ptx::SymbolRef& symbol, std::int64_t offset);
  Id special(const ptx::SpecialRegister& reg, const ptx::Instruction& i);

  // ---- what cannot be done: takes the place of the value
  Id unsupported(std::string message, std::string hint = {}) {
    return b.unsupported(std::move(message), std::move(hint));
  }
  Predicate unsupportedFlag(std::string message, std::string hint = {}) {
    return {b.unsupported(std::move(message), std::move(hint))};
  }
  void unsupportedEffect(std::string message, std::string hint = {}) {
    b.unsupported(std::move(message), std::move(hint), true);
  }
  // Every destination of the instruction becomes unsupported.
  void unsupportedResults(const ptx::Instruction& i, const std::string& message,
                          const std::string& hint);

 private:
  static std::vector<Type> variableTypes(const ptx::Function& kernel);
  static std::vector<std::optional<ptx::SymbolAddress>> parameterAddresses(
      const ptx::Function& kernel);
  int lowVariable(ptx::RegisterId reg) const { return static_cast<int>(2 * reg); }
  int highVariable(ptx::RegisterId reg) const { return static_cast<int>(2 * reg + 1); }
  int carryVariable() const { return static_cast<int>(2 * kernel.registers.size()); }
  void writeWord(int variable, Id value);

  // By register: the place among the parameters that it always holds. Loops would else hide it,
  // and the parameters' words are no memory that could be read by an address.
  std::vector<std::optional<ptx::SymbolAddress>> parameter_address_;
};

// "add.f32", the instruction's name for a message.
std::string nameOf(const ptx::Instruction& i);

}  // namespace qgpu::lower
