// What the host writes before the model goes on: the program, the parameters, the arrays, the
// shape.
//
//   Image image{.program = encode(program), .parameters = {3}, .memory = {{1, 7}, {2, 9}},
//               .thread_blocks = 1, .threads = 4};
//   std::vector<Token> prompt = hostTokens(image);   // CODE ... PARAM ... MEM ... GRID CTA
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/isa/encoding.h"
#include "interpreter/protocol/token.h"

namespace qgpu::protocol {

struct MemoryWord {
  int address = 0;  // as in a MEM token
  std::uint32_t value = 0;
  friend bool operator==(const MemoryWord&, const MemoryWord&) = default;
};

// A launch as the machine sees it.
struct Image {
  std::vector<isa::BlockWords> program{};
  std::vector<std::uint32_t> parameters{};
  std::vector<MemoryWord> memory{};
  int thread_blocks = 1;
  int threads = 1;  // in each thread block
};

std::vector<isa::BlockWords> encode(const isa::Program& program);

// A word as its base token and the EXT tokens it needs. `base` carries the low bits already.
void appendWord(std::vector<Token>& out, Token base, std::uint32_t word, int parts);

// CODE for every word of every block of the program, PARAM, MEM, GRID and CTA(0). The words of slot
// 1 are always sent in three parts: the model reads that slot at its first layer, before a shorter
// word's sign could be known.
std::vector<Token> hostTokens(const Image& image);

}  // namespace qgpu::protocol
