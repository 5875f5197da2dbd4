#include "compiler/lower/build/families.h"

namespace qgpu::lower {

// Fences and hints: threads of a launch run one block at a time, and each sees what was written
// before.
void translateNothing(Context&, const ptx::Instruction&) {}

Translation translationOf(ptx::Opcode opcode) {
  using enum ptx::Opcode;
  switch (opcode) {
    case Add:
    case Addc:
    case Sub:
    case Subc: return translateSum;
    case Mul:
    case Mad:
    case Madc:
    case Mul24:
    case Mad24: return translateProduct;
    case Div:
    case Rem: return translateDivision;
    case Min:
    case Max: return translateChoice;
    case Abs:
    case Neg:
    case Sad: return translateSigned;
    case Dp4a:
    case Dp2a: return translateDotProduct;
    case And:
    case Or:
    case Xor:
    case Not:
    case Cnot: return translateBitwise;
    case Lop3: return translateLop3;
    case Shl:
    case Shr: return translateShift;
    case Shf: return translateFunnelShift;
    case Popc:
    case Clz:
    case Bfind:
    case Brev: return translateBitCount;
    case Bfe:
    case Bfi:
    case Szext:
    case Bmsk: return translateBitField;
    case Prmt: return translatePermute;
    case Set:
    case Setp: return translateCompare;
    case Selp:
    case Slct: return translateSelect;
    case Mov: return translateMove;
    case Cvt: return translateConvert;
    case Cvta:
    case Isspacep: return translateAddressSpace;
    case Ld:
    case Ldu: return translateLoad;
    case St: return translateStore;
    case Atom:
    case Red: return translateAtomic;
    case Shfl: return translateShuffle;
    case Vote:
    case Activemask: return translateVote;
    case Prefetch:
    case Prefetchu:
    case Membar:
    case Fence:
    case Pmevent:
    case Nanosleep: return translateNothing;
    default: return nullptr;
  }
}

}  // namespace qgpu::lower
