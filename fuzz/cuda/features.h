// What a random kernel uses: tests assert the share of kernels that have each.
//
//   const Features features = featuresOf(tree);
//   features.has(Feature::Barrier);
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

enum class Feature : std::uint8_t {
  DivergentIf,  // on a condition that differs between threads
  ConstantLoop,
  DataLoop,  // a trip count that differs between threads
  Break,
  Continue,
  Switch,
  Barrier,
  WarpBarrier,
  Lock,
  SharedMemory,
  Atomic,
  AtomicResult,  // whose old value is used
  SharedAtomic,
  WideAtomic,
  Shuffle,
  Vote,
  BlockVote,
  Division,
  WideDivision,
  Intrinsic,
  Select,
  DeviceFunction,
  LocalArray,
  NarrowType,
  WideType,
  TwoDimensions,
  SeveralBlocks,
  PartialWarp,
  UniformBranch,
  EarlyExit,
};
inline constexpr int kFeatures = static_cast<int>(Feature::EarlyExit) + 1;
std::string_view name(Feature feature);  // "divergent if"

struct Features {
  std::bitset<kFeatures> found;

  // Results depend on warps having four lanes: votes. All else is the same on a real GPU.
  bool width4Only() const { return has(Feature::Vote); }
  bool has(Feature f) const { return found[static_cast<std::size_t>(f)]; }
  void add(Feature f, bool seen = true) { found[static_cast<std::size_t>(f)] = has(f) || seen; }
};

Features featuresOf(const KernelTree& tree);

}  // namespace qgpu::fuzz::cuda
