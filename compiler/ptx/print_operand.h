// Instructions and operands as text.
#pragma once

#include <string>

#include "compiler/ptx/ast.h"

namespace qgpu::ptx {

class OperandPrinter {
 public:
  // `function` is null outside functions, where only symbols of the module occur.
  OperandPrinter(const Module& module, const Function* function)
      : module_(module), function_(function) {}

  std::string instruction(const Instruction& instruction) const;
  std::string symbol(const SymbolRef& symbol, std::int64_t offset) const;  // "table+8"

 private:
  std::string operand(const Operand& operand) const;
  std::string list(const std::vector<Operand>& operands) const;
  std::string call(const Instruction& instruction) const;
  std::string reg(RegisterId id) const;  // "_" for kNoRegister

  const Module& module_;
  const Function* function_;
};

}  // namespace qgpu::ptx
