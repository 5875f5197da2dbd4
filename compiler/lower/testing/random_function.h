// Functions of the intermediate representation made by chance: blocks that lead anywhere, loops
// within and beside each other, values that meet in phis, stores and loads of a few words.
//
//   const Function f = randomFunction(seed);
//   const FunctionInput input = randomInput(seed);
//
// They know three arguments and kRandomWords words of global memory. Operations come partly as the
// builder folds them and partly as they are.
#pragma once

#include <cstdint>

#include "compiler/lower/testing/run_function.h"

namespace qgpu::lower::testing {

inline constexpr int kRandomWords = 12;

Function randomFunction(std::uint64_t seed);
FunctionInput randomInput(std::uint64_t seed);

}  // namespace qgpu::lower::testing
