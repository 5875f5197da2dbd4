// Instructions made from the instruction table, right and wrong ones, for tests.
//
// Each is one statement that stands in the kernel given by `sampleKernel`: a register of every type
// (%u32_1 to %u32_3 and so on), variables gl, co, sh, lo in the four spaces, parameters p0 and p1,
// a label L and a list of targets T.
#pragma once

#include <string>
#include <vector>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {

// Every form with every type, and each optional modifier once: all of them legal.
std::vector<std::string> legalSamples();
// The same with one operand dropped, added or replaced, over all kinds of operand: mostly illegal.
std::vector<std::string> mutatedSamples();

// A kernel around statements, one a line. Its first statement stands on line `kSampleLine`.
std::string sampleKernel(const std::vector<std::string>& statements, std::string_view target);
inline constexpr int kSampleLine = 10;

}  // namespace qgpu::ptx
