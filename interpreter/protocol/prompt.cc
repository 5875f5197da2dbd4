#include "interpreter/protocol/prompt.h"

namespace qgpu::protocol {
namespace {

void appendCode(std::vector<Token>& out, int block, const isa::BlockWords& words) {
  for (int i = 0; i < isa::kBlockWords; ++i) {
    const int row = i / isa::kHalves;
    const std::uint32_t word = words[i];
    const Token base = Token::code(block, row, i % isa::kHalves, partOf(word, kCodeBits, 0));
    appendWord(out, base, word, row == 0 ? 3 : partsNeeded(word, kCodeBits));
  }
}

}  // namespace

std::vector<isa::BlockWords> encode(const isa::Program& program) {
  std::vector<isa::BlockWords> words;
  words.reserve(program.blocks.size());
  for (const isa::Block& block : program.blocks) words.push_back(isa::encodeBlock(block));
  return words;
}

void appendWord(std::vector<Token>& out, Token base, std::uint32_t word, int parts) {
  out.push_back(base);
  for (int part = 1; part < parts; ++part)
    out.push_back(Token::ext(part, partOf(word, lowBits(base.kind), part)));
}

std::vector<Token> hostTokens(const Image& image) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < image.program.size(); ++i)
    appendCode(out, static_cast<int>(i), image.program[i]);
  for (std::size_t i = 0; i < image.parameters.size(); ++i) {
    const std::uint32_t word = image.parameters[i];
    appendWord(out, Token::param(static_cast<int>(i), partOf(word, kMemBits, 0)), word,
               partsNeeded(word, kMemBits));
  }
  for (const MemoryWord& m : image.memory)
    appendWord(out, Token::mem(m.address, partOf(m.value, kMemBits, 0)), m.value,
               partsNeeded(m.value, kMemBits));
  out.push_back(Token::grid(image.thread_blocks));
  out.push_back(Token::cta(0, image.threads));
  return out;
}

}  // namespace qgpu::protocol
