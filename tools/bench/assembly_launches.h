// Launches in machine assembly, which no change of the compilers touches: what is measured of the
// machine and the model is then theirs alone.
#pragma once

#include <string_view>
#include <vector>

#include "interpreter/isa/instruction.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::bench {

// A warp's lanes multiply-add in every slot of block 1, for `rounds` rounds; 32 threads.
inline constexpr std::string_view kArithmetic = R"(block 0:
    mov r1!, c0
    mov r2!, tid
    jump 1
  block 1:
    mad r2!, r2, 1103, tid
    xor _, s1, 21845
    add r3!, s2, r3
    sub.ne r1!, r1, 1
    branch s4, 1, 2
  block 2:
    st [global 4 + tid*4], r3
    exit
)";

// A load, a product and a store in each round.
inline constexpr std::string_view kMemory = R"(block 0:
    mov r1!, c0
    jump 1
  block 1:
    and _, r1, 15
    mad r3!, s1, [global 4 + s1*4], r3
    st [global 128 + tid*4], s2
    sub.ne r1!, r1, 1
    branch s4, 1, 2
  block 2:
    st [global 4 + tid*4], r3
    exit
)";

// Lanes part and meet in each round, and warps meet at a barrier.
inline constexpr std::string_view kDivergence = R"(block 0:
    mov r1!, c0
    jump 1
  block 1:
    and _, tid, 1
    xor _, s1, r1
    and _, s2, 1
    setp.ne p0, s3, 0
    branch s4, 2, 3
  block 2:
    add r2!, r2, tid
    mad r3!, r2, 3, r3
    jump 3
  block 3:
    sub.ne r1!, r1, 1
    setp.eq p1!, s1, 0
    bar 4
  block 4:
    branch p1, 5, 1
  block 5:
    exit
)";

struct AssemblyLaunch {
  isa::Program program;
  protocol::Image image;

  std::vector<protocol::Token> hostTokens() const { return protocol::hostTokens(image); }
  // All of it, as the interpreter writes it.
  std::vector<protocol::Token> trace() const;
};

AssemblyLaunch assemblyLaunch(std::string_view assembly, std::uint32_t rounds, int threads = 32,
                              int thread_blocks = 1);

}  // namespace qgpu::bench
