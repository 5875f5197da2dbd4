// One compile in a process that exists for nothing else.
#pragma once

namespace qgpu::cuda {

// How much real time a compile may take for each unit of its limit of processor time.
inline constexpr int kRealTimeFactor = 8;

// Reads a request from `socket`, compiles under its limits, answers and ends the process. When the
// time is over or the compiler gives up, the answer says so; when the process dies, there is none.
[[noreturn]] void compileAndExit(int socket);

}  // namespace qgpu::cuda
