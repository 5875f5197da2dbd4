#include "compiler/lower/build/families.h"

#include <array>
#include <initializer_list>

namespace qgpu::lower {

// Hints.
void translateNothing(Context&, const ptx::Instruction&) {}

namespace {

constexpr auto kTranslations = [] {
  using enum ptx::Opcode;
  std::array<Translation, ptx::kOpcodes> by_opcode{};
  const auto family = [&](Translation translation, std::initializer_list<ptx::Opcode> opcodes) {
    for (const ptx::Opcode op : opcodes) by_opcode[static_cast<std::size_t>(op)] = translation;
  };
  family(translateSum, {Add, Addc, Sub, Subc});
  family(translateProduct, {Mul, Mad, Madc, Mul24, Mad24});
  family(translateDivision, {Div, Rem});
  family(translateChoice, {Min, Max});
  family(translateSigned, {Abs, Neg, Sad});
  family(translateDotProduct, {Dp4a, Dp2a});
  family(translateBitwise, {And, Or, Xor, Not, Cnot});
  family(translateLop3, {Lop3});
  family(translateShift, {Shl, Shr});
  family(translateFunnelShift, {Shf});
  family(translateBitCount, {Popc, Clz, Bfind, Brev});
  family(translateBitField, {Bfe, Bfi, Szext, Bmsk});
  family(translatePermute, {Prmt});
  family(translateCompare, {Set, Setp});
  family(translateSelect, {Selp, Slct});
  family(translateMove, {Mov});
  family(translateConvert, {Cvt});
  family(translateAddressSpace, {Cvta, Isspacep});
  family(translateLoad, {Ld, Ldu});
  family(translateStore, {St});
  family(translateAtomic, {Atom, Red});
  family(translateShuffle, {Shfl});
  family(translateVote, {Vote, Activemask});
  family(translateNothing, {Prefetch, Prefetchu, Pmevent, Nanosleep});
  return by_opcode;
}();

}  // namespace

Translation translationOf(ptx::Opcode opcode) {
  return kTranslations[static_cast<std::size_t>(opcode)];
}

}  // namespace qgpu::lower
