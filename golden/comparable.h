// Whether a launch gives on a GPU what it gives on the machine: the machine's warps have 4 lanes, a
// GPU's have 32.
//
//   if (const std::string reason = whyNotComparable(test_case, file); !reason.empty())
//     list(test_case.launch.name, reason);
#pragma once

#include <filesystem>
#include <string>

#include "compiler/launch/launch.h"

namespace qgpu::golden {

// Empty where the launch can be compared. Otherwise the reason:
//
//   a launch that must be refused or trap       there is no output to compare
//   an array of floats                          the machine computes with integers
//   __activemask in the source                  a GPU promises no value for it
//   PTX with addresses of 32 bits               no GPU takes it any more
//   one of this repository's cases              the native runner (conformance/cpu) runs it in
//   warps
//                                               of 32; it traps, or differs from what is expected
//   another case, which the runner cannot run   it says in its `needs` that it is "width4-only"
std::string whyNotComparable(const launch::Case& test_case, const std::filesystem::path& case_file);

// The need by which a case from elsewhere says that it is made for warps of 4 lanes alone.
inline constexpr std::string_view kNeedsWarpsOfFour = "width4-only";

}  // namespace qgpu::golden
