// A loop within the translation of one instruction, where the machine has none for it.
//
//   // The sum of 8 * x:
//   const auto sums = repeat(c, 8, {c.b.zero()}, [&](const std::vector<Id>& now) {
//     return std::vector{c.b.add(now[0], x)};
//   });
//
// All lanes that run the instruction run all rounds.
#pragma once

#include <functional>
#include <vector>

#include "compiler/lower/build/context.h"

namespace qgpu::lower {

// The words that one round hands to the next, made of those that it was given.
using Round = std::function<std::vector<Id>(const std::vector<Id>& now)>;

// Translates `round` once, as a block that runs `rounds` times, and goes on behind it. What comes
// back are the words that the last round made. At most kCarriedWords - 1 of them.
std::vector<Id> repeat(Context& c, std::uint32_t rounds, std::vector<Id> first, const Round& round);

}  // namespace qgpu::lower
