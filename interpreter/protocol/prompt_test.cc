#include "interpreter/protocol/prompt.h"

#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"

namespace qgpu::protocol {
namespace {

std::vector<std::string> texts(const std::vector<Token>& tokens) {
  std::vector<std::string> out;
  for (const Token& t : tokens) out.push_back(t.text());
  return out;
}

// By hand: `mov r1!, 7` is op 1, b 19, rd 1, live: low half 0x11013001, high half 7 << 16.
TEST(Prompt, IsCodeParametersMemoryShape) {
  const auto program = isa::assemble("block 0:\nmov r1!, 7\nexit", "t");
  ASSERT_TRUE(program);
  const Image image{.program = encode(*program),
                    .parameters = {3, 0x80000000},
                    .memory = {{1, 255}, {2, 256}},
                    .thread_blocks = 2,
                    .threads = 5};
  const std::vector<std::string> expected = {
      // Slot 1 always in three parts: 0x11013001 = 544 << 19 | 1216 << 6 | 1.
      "CODE 0 0 0 1", "EXT1 1216", "EXT2 544", "CODE 0 0 1 0", "EXT1 7168", "EXT2 0",
      // The empty slots.
      "CODE 0 1 0 0", "CODE 0 1 1 0", "CODE 0 2 0 0", "CODE 0 2 1 0", "CODE 0 3 0 0",
      "CODE 0 3 1 0",
      // The header: kind 3.
      "CODE 0 4 0 3", "PARAM 0 3", "PARAM 1 0", "EXT1 0", "EXT2 512", "MEM 1 255", "MEM 2 -256",
      "EXT1 0", "GRID 2", "CTA 0 5"};
  EXPECT_EQ(texts(hostTokens(image)), expected);
}

TEST(Prompt, WordsGoInTheirParts) {
  std::vector<Token> out;
  appendWord(out, Token::mem(9, partOf(0x12345678, kMemBits, 0)), 0x12345678, 3);
  // 0x12345678 = 0x48 << 22 | 0x1a2b << 9 | 0x78
  EXPECT_EQ(texts(out), (std::vector<std::string>{"MEM 9 120", "EXT1 6699", "EXT2 72"}));
}

}  // namespace
}  // namespace qgpu::protocol
