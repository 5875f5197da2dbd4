// Reading operands, without regard to the instruction they belong to.
#pragma once

#include "compiler/ptx/context.h"

namespace qgpu::ptx {

class OperandParser {
 public:
  OperandParser(Context& context, FunctionScope& scope)
      : context_(context), cursor_(context.cursor), scope_(scope) {}

  // A register, literal, symbol, special register, address, vector, pair or `_`.
  bool parse(Operand& result);
  // A register by name, of a scalar type.
  bool parseRegister(RegisterId& id);

 private:
  bool named(Operand& result);
  bool registerNamed(const Symbol& symbol, std::string_view name, Operand& result);
  bool symbolNamed(SymbolRef symbol, Operand& result);
  bool specialNamed(std::string_view name, Operand& result);
  bool pair(RegisterId first, Operand& result);
  bool negated(Operand& result);
  bool vector(Operand& result);
  bool address(Operand& result);
  bool addressBase(Address& result);
  bool constant(Operand& result);
  bool offset(std::int64_t& result);
  unsigned component();  // .x to .w as 0 to 3, where isComponent says that one stands here
  bool refuseUnknown(Position where, std::string_view name);

  Context& context_;
  Cursor& cursor_;
  FunctionScope& scope_;
  int depth_ = 0;
};

}  // namespace qgpu::ptx
