// Exchange between the lanes of a warp.
#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Opcode;

namespace {

Opcode shuffleOpcode(ptx::Shuffle mode) {
  switch (mode) {
    case ptx::Shuffle::Up: return Opcode::ShflUp;
    case ptx::Shuffle::Down: return Opcode::ShflDown;
    case ptx::Shuffle::Bfly: return Opcode::ShflXor;
    default: return Opcode::ShflIdx;
  }
}

}  // namespace

// Operand c holds the last lane in bits 0-4 and the segment mask in bits 8-12, for 32 lanes. The
// machine has four, and the low two bits of both say the same of them.
void translateShuffle(Context& c, const ptx::Instruction& i) {
  const auto bounds = c.constant(i.operands[3]);
  if (!bounds)
    return c.unsupportedResults(i, "a shuffle whose width is not constant",
                                "give the width as a constant");
  const auto lanes = static_cast<std::uint32_t>(kMachine.lanes - 1);
  Instruction shuffle{.op = shuffleOpcode(i.shuffle)};
  shuffle.aux = static_cast<std::uint8_t>((*bounds & lanes) | (*bounds >> 8 & lanes) << 2);
  shuffle.a = c.word(i, 1);
  shuffle.b = c.word(i, 2);
  const Value result = c.b.emit(shuffle);
  const auto* both = std::get_if<ptx::RegisterPair>(&i.operands[0].value);
  c.setWord(i.operands[0], result.word);
  if (both != nullptr) c.setFlagRegister(both->second, result.flag);
}

void translateVote(Context& c, const ptx::Instruction& i) {
  if (i.opcode == ptx::Opcode::Activemask)
    return c.setWord(i.operands[0], c.b.emit({.op = Opcode::Ballot}).word);
  const Predicate p = c.flag(i.operands[1]);
  switch (i.vote) {
    case ptx::Vote::Ballot:
      return c.setWord(i.operands[0], c.b.emit({.op = Opcode::Ballot, .guard = p}).word);
    case ptx::Vote::Any:
      return c.setFlag(i.operands[0], c.b.emit({.op = Opcode::VoteAny, .guard = p}).flag);
    case ptx::Vote::All:
      return c.setFlag(i.operands[0], c.b.emit({.op = Opcode::VoteAll, .guard = p}).flag);
    default: return c.setFlag(i.operands[0], c.b.emit({.op = Opcode::VoteUni, .guard = p}).flag);
  }
}

}  // namespace qgpu::lower
