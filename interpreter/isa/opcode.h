// The operation numbers: six bits of a slot's word, and the order of the rows in table.cc.
#pragma once

#include <cstdint>

namespace qgpu::isa {

enum class Opcode : std::uint8_t {
  Nop,
  Mov,
  // adder
  Add,
  Addc,
  Sub,
  Subc,
  Setp,
  // multiplier
  Mad,
  Madh,
  Madhu,
  // logic
  And,
  Or,
  Xor,
  Andn,
  // shifter
  Shl,
  Shr,
  Sar,
  Rotl,
  // comparison and selection
  Min,
  Max,
  Minu,
  Maxu,
  // predicate logic
  Pand,
  Por,
  Pxor,
  // bits and bytes
  Popc,
  Clz,
  Brev,
  Prmt,
  // between lanes
  ShflIdx,
  ShflUp,
  ShflDown,
  ShflXor,
  VoteAny,
  VoteAll,
  VoteUni,
  Ballot,
  // sub-word loads
  Ldb,
  Ldbs,
  Ldh,
  Ldhs,
  // memory writes
  St,
  AtomAdd,
  AtomMin,
  AtomMax,
  AtomMinu,
  AtomMaxu,
  AtomAnd,
  AtomOr,
  AtomXor,
  AtomExch,
  AtomCas,
  Stb,
  Sth,
  // division
  Div,
  Divu,
  Quo,
  Rem,
};
inline constexpr int kOpcodes = static_cast<int>(Opcode::Rem) + 1;

}  // namespace qgpu::isa
