// A block as words: four slots of two 32-bit halves and a header, nine words in all.
//
//   slot, low half      op:6 a:6 b:6 c:6 rd:4 live:1 guard:3                      (bit 0 first)
//   slot, high half     guard_not:1 pd:2 plive:1 compare:3 space:2 scaled:1 base_parameter:1 aux:5
//                       imm:16
//   header              kind:3 condition:3 condition_not:1 target:7 other:7 divide:1 replay:1
//
// Decoding is the inverse of encoding; a word that no encoding gives is refused:
//   decodeSlot(encodeSlot(s)) == s
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/base/failure.h"
#include "interpreter/isa/instruction.h"

namespace qgpu::isa {

inline constexpr int kHalves = 2;
inline constexpr int kBlockWords = kMachine.slots * kHalves + 1;
using BlockWords = std::array<std::uint32_t, kBlockWords>;

std::uint64_t encodeSlot(const Slot& slot);
std::uint32_t encodeHeader(const Header& header);
// Words 2i and 2i + 1 are the low and the high half of slot i; the last is the header.
BlockWords encodeBlock(const Block& block);

Expected<Slot> decodeSlot(std::uint64_t word);
Expected<Header> decodeHeader(std::uint32_t word);
Expected<Block> decodeBlock(const BlockWords& words);

// One field of an encoding: the coders, the manual's pictures and the circuit's decoders follow
// these two tables.
struct Field {
  const char* name;
  int first;  // lowest bit
  int bits;
};
inline constexpr std::array kSlotFields = {
    Field{"op", 0, 6},       Field{"a", 6, 6},
    Field{"b", 12, 6},       Field{"c", 18, 6},
    Field{"rd", 24, 4},      Field{"live", 28, 1},
    Field{"guard", 29, 3},   Field{"guard_not", 32, 1},
    Field{"pd", 33, 2},      Field{"plive", 35, 1},
    Field{"compare", 36, 3}, Field{"space", 39, 2},
    Field{"scaled", 41, 1},  Field{"base_parameter", 42, 1},
    Field{"aux", 43, 5},     Field{"imm", 48, 16},
};
inline constexpr std::array kHeaderFields = {
    Field{"kind", 0, 3},    Field{"condition", 3, 3}, Field{"condition_not", 6, 1},
    Field{"target", 7, 7},  Field{"other", 14, 7},    Field{"divide", 21, 1},
    Field{"replay", 22, 1},
};

}  // namespace qgpu::isa
