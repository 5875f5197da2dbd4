// The translations of PTX instructions, one function for a family of opcodes. What is said of an
// instruction in the PTX ISA is not repeated.
#pragma once

#include "compiler/lower/build/context.h"

namespace qgpu::lower {

using Translation = void (*)(Context&, const ptx::Instruction&);

// add, addc, sub, subc, with .cc and .sat
void translateSum(Context& c, const ptx::Instruction& i);
// mul, mad, madc, mul24, mad24
void translateProduct(Context& c, const ptx::Instruction& i);
void translateDivision(Context& c, const ptx::Instruction& i);    // div, rem
void translateChoice(Context& c, const ptx::Instruction& i);      // min, max
void translateSigned(Context& c, const ptx::Instruction& i);      // abs, neg, sad
void translateDotProduct(Context& c, const ptx::Instruction& i);  // dp4a, dp2a
void translateBitwise(Context& c, const ptx::Instruction& i);     // and, or, xor, not, cnot
void translateLop3(Context& c, const ptx::Instruction& i);
void translateShift(Context& c, const ptx::Instruction& i);        // shl, shr
void translateFunnelShift(Context& c, const ptx::Instruction& i);  // shf
void translateBitCount(Context& c, const ptx::Instruction& i);     // popc, clz, bfind, brev
void translateBitField(Context& c, const ptx::Instruction& i);     // bfe, bfi, szext, bmsk
void translatePermute(Context& c, const ptx::Instruction& i);      // prmt
void translateCompare(Context& c, const ptx::Instruction& i);      // setp, set
void translateSelect(Context& c, const ptx::Instruction& i);       // selp, slct
void translateMove(Context& c, const ptx::Instruction& i);
void translateConvert(Context& c, const ptx::Instruction& i);
void translateAddressSpace(Context& c, const ptx::Instruction& i);  // cvta, isspacep
void translateLoad(Context& c, const ptx::Instruction& i);          // ld, ldu
void translateStore(Context& c, const ptx::Instruction& i);
void translateAtomic(Context& c, const ptx::Instruction& i);  // atom, red
void translateShuffle(Context& c, const ptx::Instruction& i);
void translateVote(Context& c, const ptx::Instruction& i);     // vote, activemask
void translateNothing(Context& c, const ptx::Instruction& i);  // prefetch, fences, hints

// How an opcode without control flow is translated; null for one that has it or that the machine
// does not do.
Translation translationOf(ptx::Opcode opcode);

}  // namespace qgpu::lower
