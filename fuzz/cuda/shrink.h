// Makes a kernel that fails small: fewer statements, smaller expressions, fewer threads, shorter
// loops.
//
//   KernelTree small = minimise(tree, [&](std::span<const KernelTree> candidates) {
//     return std::optional<std::size_t>(...);   // the first candidate that fails as well
//   });
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

// Programs one step smaller, the boldest steps first. Repeated, the steps come to an end.
std::vector<KernelTree> shrinks(const KernelTree& tree);

// How many candidates `firstFailing` gets at once.
inline constexpr std::size_t kCandidates = 32;

// Steps on for as long as some smaller tree fails. All candidates have the tree's number.
KernelTree minimise(
    KernelTree tree,
    const std::function<std::optional<std::size_t>(std::span<const KernelTree>)>& firstFailing);

}  // namespace qgpu::fuzz::cuda
