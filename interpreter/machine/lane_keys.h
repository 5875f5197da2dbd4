// Where the four lanes of a warp are.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "interpreter/isa/table.h"

namespace qgpu::machine {

// A lane's program counter: the block it runs next.
using LaneKeys = std::array<std::uint8_t, kMachine.lanes>;
inline constexpr std::uint8_t kWaiting = 128;  // added while it waits at a barrier
inline constexpr std::uint8_t kEnded = 255;

// The keys are written and read as one word: byte by byte, a read soon after the writes would wait
// for all of them.
static_assert(sizeof(LaneKeys) == sizeof(std::uint32_t));

constexpr LaneKeys everyLane(std::uint8_t key) {
  return std::bit_cast<LaneKeys>(key * std::uint32_t{0x01010101});
}

// The keys are compared as one word too: comparing arrays would call memcmp.
constexpr bool same(LaneKeys one, LaneKeys other) {
  return std::bit_cast<std::uint32_t>(one) == std::bit_cast<std::uint32_t>(other);
}

// 255 for the lanes of each mask.
inline constexpr auto kLaneBytes = [] {
  std::array<LaneKeys, kMachine.allLanes() + 1> bytes{};
  for (isa::LaneMask m = 0; m < bytes.size(); ++m)
    for (int l = 0; l < kMachine.lanes; ++l) bytes[m][l] = (m >> l & 1) != 0 ? 255 : 0;
  return bytes;
}();

// `chosen` for the lanes of the mask, `other` for the rest.
constexpr LaneKeys select(isa::LaneMask mask, LaneKeys chosen, LaneKeys other) {
  const auto word = [](LaneKeys keys) { return std::bit_cast<std::uint32_t>(keys); };
  const std::uint32_t bits = word(kLaneBytes[mask]);
  return std::bit_cast<LaneKeys>((word(chosen) & bits) | (word(other) & ~bits));
}

}  // namespace qgpu::machine
