// What a function of the intermediate representation means, for one thread: the reference that
// passes are held against.
//
//   const FunctionRun before = runFunction(f, {.arguments = {7, 8}});
//   combine(f);
//   EXPECT_EQ(runFunction(f, {.arguments = {7, 8}}), before);
//
// The thread is alone in its launch: barriers let it pass, votes hear it alone. A value that is
// read before it is made is reported as an error of the function, which is how a pass that moves
// something too far is found out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower::testing {

struct FunctionInput {
  std::vector<std::uint32_t> arguments{};  // by index in Function::arguments
  std::vector<std::uint32_t> global{};     // words from address 4 up
  std::uint32_t undefined = 0;             // what undefined words hold
};

struct FunctionRun {
  enum class End { Exit, Trap, Endless, Error };
  End end = End::Error;
  std::vector<std::uint32_t> global;  // the words that the input gave, afterwards
  std::string error;                  // of a function that is not sound
  friend bool operator==(const FunctionRun&, const FunctionRun&) = default;
};

// A function that enters more than `most_blocks` basic blocks is endless.
FunctionRun runFunction(const Function& f, const FunctionInput& input, int most_blocks = 300);

}  // namespace qgpu::lower::testing
