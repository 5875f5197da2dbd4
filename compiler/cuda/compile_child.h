// One compile in a process that exists for nothing else.
#pragma once

namespace qgpu::cuda {

// Reads a request from `socket`, compiles under its limits, answers and ends the process. When the
// time is over or the compiler gives up, the answer says so; when the process dies, there is none.
[[noreturn]] void compileAndExit(int socket);

}  // namespace qgpu::cuda
