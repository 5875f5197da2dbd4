// Declarations of variables, parameters and registers.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/ptx/context.h"

namespace qgpu::ptx {

// `.global .align 8 .v2 .f32`: all that stands before a name.
struct Specification {
  Space space = Space::Global;
  Type type = Type::None;
  Vector vector = Vector::None;
  int alignment = 0;  // 0: not written
  bool managed = false;
  bool is_pointer = false;
  PointerAttributes pointer;
  Position position;
};

// The space a declaration begins with: .reg .const .global .local .param .shared
std::optional<Space> declaredSpace(const Token& token);

// At the space's word. `scope` is null at file scope.
bool parseSpecification(Context& context, Specification& result);
// One or more names up to the semicolon, into the function (or the module).
bool parseVariables(Context& context, Linkage linkage, const Specification& specification,
                    FunctionScope* scope, Function* function);
bool parseRegisters(Context& context, const Specification& specification, FunctionScope& scope);
// A parameter: specification, name and dimensions, without semicolon. `anonymous` allows `_`.
bool parseParameter(Context& context, Variable& result, bool anonymous);

// `= value` after a name; fills initial, relocations and an open first dimension.
bool parseInitialiser(Context& context, FunctionScope* scope, Variable& variable);
// Bytes of one element, counting .v2 and .v4.
std::uint64_t elementBytes(const Variable& variable);

}  // namespace qgpu::ptx
