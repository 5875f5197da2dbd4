// Holding an instruction's operands against one form.
#pragma once

#include "compiler/ptx/ast.h"
#include "compiler/ptx/form.h"
#include "compiler/ptx/match.h"

namespace qgpu::ptx {

class OperandChecker {
 public:
  // The instruction's modifiers are those of the form already.
  OperandChecker(const Form& form, const Instruction& instruction, const Module& module,
                 const Function& function, Complaint& complaint)
      : form_(form),
        instruction_(instruction),
        module_(module),
        function_(function),
        complaint_(complaint) {}

  // `reached`: how many operands fit.
  bool check(std::size_t& reached);

 private:
  bool applies(const OperandRule& rule) const;
  bool checkOne(const OperandRule& rule, const Operand& operand);
  bool checkDestination(const OperandRule& rule, const Operand& operand);
  bool checkPair(const OperandRule& rule, const Operand& operand);
  bool checkSource(const OperandRule& rule, const Operand& operand);
  bool checkVector(const OperandRule& rule, const Operand& operand);
  bool checkSplit(const OperandRule& rule, const Operand& operand);
  bool checkSplitElement(const Operand& element, int& width, bool destination);
  bool checkRegister(const OperandRule& rule, Register reg, Position where);
  bool checkImmediate(const OperandRule& rule, const Immediate& immediate, Position where);
  bool checkSpecial(const OperandRule& rule, const SpecialRegister& special, Position where);
  bool checkSymbol(const OperandRule& rule, const SymbolAddress& symbol, Position where);
  bool checkAddress(const Operand& operand);
  bool checkPointer(const RegisterInfo& reg, Position where);
  bool checkSpace(const SymbolRef& symbol, Position where);
  bool checkWhole();

  Type wanted(const OperandRule& rule) const;
  bool isVector(const OperandRule& rule) const {
    return rule.vector && instruction_.vector != Vector::None;
  }
  template <typename MakeFound>
  bool sayExpected(const OperandRule& rule, Position where, MakeFound found) {
    return complaint_.say(where, [&] {
      return name() + " needs " + expected(rule) + " here, not " + std::string(found());
    });
  }
  bool sayCount(Position where, std::string_view what);
  std::string expected(const OperandRule& rule) const;
  std::string describe(const Operand& operand) const;
  std::string name() const;  // "`add.s32`"

  const Form& form_;
  const Instruction& instruction_;
  const Module& module_;
  const Function& function_;
  Complaint& complaint_;
};

}  // namespace qgpu::ptx
