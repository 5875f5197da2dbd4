// Constant expressions of PTX: `(4+8)*2`, `~0`, `(.s64)x`, `1<2 ? 3 : 4`, `WARP_SZ-1`.
//
// Integers have 64 bits and are signed, or unsigned when a literal is marked U or too large for a
// signed one. A result is unsigned when an operand is, except: comparisons and logic give a signed
// 0 or 1, ~ and % are unsigned always, shifts keep the type of their left side and count modulo 64,
// ?: is its chosen side. (PTX ISA section "Constant Expressions"; where it leaves room, and for %,
// as ptxas computes.) Floats are doubles, with + - * / and comparisons only; a hexadecimal float
// (0f, 0d) of 32 bits stands alone.
#pragma once

#include "compiler/ptx/cursor.h"
#include "compiler/ptx/instruction.h"

namespace qgpu::ptx {

// False: refused, as the cursor knows. WARP_SZ has the value `warp_size`.
bool parseConstant(Cursor& cursor, int warp_size, Immediate& result);
// True where an expression can start: a literal, `(`, WARP_SZ or a unary operator.
bool startsConstant(const Token& token);
inline bool isIntegral(Immediate::Kind kind) {
  return kind == Immediate::Kind::Signed || kind == Immediate::Kind::Unsigned;
}

}  // namespace qgpu::ptx
