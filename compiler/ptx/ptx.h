// PTX text in, checked syntax tree out, and back.
//
//   auto module = ptx::parse(text, "kernel.ptx");
//   if (!module) std::cerr << module.error().text();
//       // kernel.ptx:14:18: error: %r1 is .b32, add.s64 needs a 64-bit register; ...
//   for (const ptx::Function& f : module->functions) ...
//   std::string text2 = ptx::print(*module);      // parse(text2) == module
//
// Taken: PTX ISA 1.0 to 9.0 as nvcc and clang write it and as people do. The instruction table
// (form.h) lists each instruction's modifiers and operands. What `ptxas` accepts is accepted, and
// what it refuses is refused, with these differences:
//   - versions and targets are not held against each other: any instruction may stand under any
//     .version and .target, and PTX 1 spellings (shfl without .sync, div.f32 ...) remain legal;
//   - families without an integer meaning for one thread (textures, surfaces, matrix units,
//     asynchronous copies, video, clusters' launch control ...) are refused by name;
//   - `# line` markers, .alias, array indexing x[1], a register plus a constant as a value, calls'
//     .abi_preserve, and `_` as only destination of setp are refused; so are modifiers that mean
//     nothing (ptxas takes add.finite.u32);
//   - limits: 4 MiB of text, 64 nested scopes, 64 levels of expression, 2^20 instructions, 2^16
//     variables, 2^12 functions.
// DWARF `.section` blocks are skipped, but the names in .debug_str serve `.loc function_name`.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ptx/ast.h"

namespace qgpu::ptx {

struct Options {
  int warp_size = 4;  // the value of WARP_SZ
};

// Time is linear in the text. Never throws on bad input; the Failure is a Refusal with the place in
// the PTX and, where a `.loc` is known, the source line in its message.
Expected<Module> parse(std::string_view text, std::string file_name, const Options& options = {});

// Refuses a kernel that calls, directly or not, a function without a body (vprintf, malloc ...):
// the place is that of the call. `parse` lets them pass, as they are legal PTX.
Expected<void> requireResolved(const Module& module, const Function& kernel);

// Canonical text: one instruction a line, scopes flattened, expressions folded.
std::string print(const Module& module);
// One instruction without its guard's line break: "@%p1 add.s32 %r1, %r2, 4;".
std::string print(const Instruction& instruction, const Function& function, const Module& module);

}  // namespace qgpu::ptx
