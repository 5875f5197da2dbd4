// Random PTX modules of one kernel, of the instructions that qgpu's front end takes.
//
//   const PtxKernel kernel = generatePtx(17);
//   kernel.text();             // ".version 7.8 ..."
//   kernel.launch;             // its geometry and arguments; kernel.launch.entry is "k17"
//   kernel.has(Feature::Loop);
//
// Control flow is as wild as PTX allows: branches forward and back to any place of a stretch, with
// nothing of the shape that a compiler gives a loop; a counter of its own ends each branch back.
// Barriers, shuffles and votes stand between the stretches, where all threads come together. Every
// register is written before it is read, and no two threads touch a word without a barrier between
// them. What each thread stores at the end depends on all registers.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/launch.h"

namespace qgpu::fuzz::ptxlevel {

enum class Feature : std::uint8_t {
  Guard,
  Branch,
  Loop,
  Barrier,
  Shuffle,
  Vote,
  Atomic,
  Memory,
  Wide,  // 64 bits
  Half,  // 16 bits
  Division,
  BitField,
  Permute,
  Carry,
  Select,
  SeveralBlocks,
  WideDivision,
};
inline constexpr int kFeatures = static_cast<int>(Feature::WideDivision) + 1;
std::string_view name(Feature feature);

struct PtxKernel {
  std::uint64_t number = 0;
  std::vector<std::string> body;  // lines between the start, which fills registers, and the end
  launch::Launch launch;
  std::bitset<kFeatures> features;

  bool has(Feature f) const { return features[static_cast<std::size_t>(f)]; }
  std::string text() const;
};

PtxKernel generatePtx(std::uint64_t number);

}  // namespace qgpu::fuzz::ptxlevel
