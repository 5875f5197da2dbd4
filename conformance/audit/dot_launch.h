// The dot product of [1, 2, 3] and [4, 5, 6] in one block: words 1-3 and 4-6 of global memory, the
// result in word 7.
#pragma once

#include "interpreter/base/failure.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::conformance {

inline protocol::Image dotLaunch() {
  const auto program = isa::assemble(R"(block 0:
    setp.lt p0, gtid, c0
    @s1 mov _, [global 4 + gtid*4]
    @s1 mad _, s2, [global 16 + gtid*4], r0
    @s1 atom.add _, [global 28 + r0], s3
    exit
  )",
                                     "dot");
  check(program.has_value(), "the dot product assembles");
  return {.program = protocol::encode(*program),
          .parameters = {3},
          .memory = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}},
          .thread_blocks = 1,
          .threads = 4};
}

}  // namespace qgpu::conformance
