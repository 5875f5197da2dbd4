// What the tests of levels share: launches by number, and the first finding among them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "fuzz/level.h"

namespace qgpu::fuzz::testing {

inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

// The first of these launches that the engines differ on, made small. Fails where they agree on
// all.
inline Finding firstFinding(Level& level, std::span<const std::uint64_t> launches) {
  const std::vector<Outcome> outcomes = level.runAll(launches);
  const auto found = std::ranges::find_if(
      outcomes, [](const Outcome& outcome) { return !outcome.difference.empty(); });
  if (found != outcomes.end())
    return level.minimal(launches[static_cast<std::size_t>(found - outcomes.begin())]);
  ADD_FAILURE() << "the engines agree on all launches";
  return {};
}

}  // namespace qgpu::fuzz::testing
