// Kernels written as PTX, lowered and run on the machine.
//
//   const PtxLaunch launch{.ptx = kernel(R"(mov.u32 %a, %tid.x; ...)"), .arrays = {{1, 2}, {0,
//   0}}}; const auto arrays = runPtx(launch, Options::none()); EXPECT_EQ(arrays->at(1), ...);
//
// For tests alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/lower/lower.h"

namespace qgpu::lower::testing {

using Words = std::vector<std::uint32_t>;

// Parameters are the arrays, then the scalars, as one kernel `k` of the text declares them.
struct PtxLaunch {
  std::string ptx;
  std::vector<Words> arrays;
  Words scalars{};
  launch::Dim3 block{4, 1, 1};
  launch::Dim3 grid{1, 1, 1};
};

// A module with one entry k: `arrays` pointers p0, p1, ... whose addresses stand in %p0, %p1, ...,
// `scalars` words in %n0, ..., registers %a<40> (.b32), %w<40> (.b64), %q<40> (.pred).
std::string kernelText(int arrays, int scalars, std::string_view body);

Expected<Lowered> lowerPtx(const PtxLaunch& launch, const Options& options = {});
// The arrays after the launch. Fails with what lowering refuses, and with a Trap.
Expected<std::vector<Words>> runPtx(const PtxLaunch& launch, const Options& options = {});

// Every set of options a test should try: all, none, each alone off and on, and all with few
// registers, which forces spilling.
inline constexpr int kFewRegisters = 6;
struct NamedOptions {
  std::string name;
  Options options;
};
std::vector<NamedOptions> optionSets();

}  // namespace qgpu::lower::testing
