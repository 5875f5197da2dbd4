// A PTX kernel and the shape of its launch in, a program for the machine out.
//
//   auto module = ptx::parse(text, "dot.ptx");
//   lower::LaunchShape shape{.block = {4, 1, 1},
//                            .parameters = {arrayShape("a", 12), arrayShape("b", 12),
//                                           arrayShape("out", 4), scalarShape("n")}};
//   auto lowered = lower::lowerKernel(*module, "dot", shape);
//   if (!lowered) std::cerr << lowered.error().text();
//       // dot.cu:7:12: error: floating point (add.f32); use integers
//   std::cout << isa::disassemble(lowered->program) << lowered->report.blocks;
//   for (const ParameterWord& w : lowered->parameters) ...   // what PARAM tokens to send
//
// The program depends on the geometry of the launch and on where its arrays lie, and on nothing
// else of the launch: scalar arguments reach it as parameter words, unchanged.
//
// What PTX leaves open is decided here once and for all:
//   - a warp has 4 lanes: %laneid is 0-3, shuffles and votes are among 4 lanes, whatever members
//     their mask names; lanes that reach them at different times do not meet;
//   - division by zero gives all ones, quotient and remainder; with 64 bits it gives any value;
//   - registers that are read before they are written hold any value.
//
// Refused, with the place in the CUDA source where `.loc` gives one: floating point, calls,
// textures and the like, pointers whose memory space does not follow from the text, geometry and
// memory beyond the machine's, and programs that need more than 32 blocks, 15 registers and the
// memory left for spilling, or 32 parameter words; always with the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/lower/launch_shape.h"
#include "compiler/lower/options.h"
#include "compiler/lower/placement.h"
#include "compiler/ptx/ast.h"
#include "interpreter/isa/instruction.h"

namespace qgpu::lower {

// A parameter word of the machine: a constant of the program, or four bytes of a kernel parameter
// from `offset` up (bytes past its end are 0).
struct ParameterWord {
  bool is_constant = false;
  std::uint32_t value = 0;  // of a constant
  int parameter = 0;
  int offset = 0;
  friend bool operator==(const ParameterWord&, const ParameterWord&) = default;
};

// Where a slot or a terminator comes from. Lines count from 1; 0 where nothing is known.
struct Origin {
  int ptx_line = 0;
  Location source;  // in the CUDA source, if the PTX says so
};
struct BlockOrigin {
  std::array<Origin, kMachine.slots> slots;
  Origin terminator;
};

// What `ptxas -v` would print.
struct Report {
  int blocks = 0;
  int slots = 0;  // instructions other than nop
  int registers = 0;
  int predicates = 0;
  int spills = 0;                    // words of spilled registers for each thread
  int spilled_values = 0;            // stores and loads that spilling added
  int global_words = 0;              // of arrays, __device__ and __constant__ variables
  int shared_words = 0;              // of shared variables
  int local_words = 0;               // of local arrays, for each thread
  int parameter_words = 0;           // scalar arguments and wide constants
  int program_tokens = 0;            // CODE and EXT tokens that load the program
  std::vector<BlockOrigin> origins;  // of every slot of every block
};

struct Lowered {
  isa::Program program;
  std::vector<ParameterWord> parameters;
  Placement placement;
  Report report;
};

// `entry` is the kernel's name in the PTX; messages call it `called`, where that is not empty.
Expected<Lowered> lowerKernel(const ptx::Module& module, std::string_view entry,
                              const LaunchShape& shape, const Options& options = {},
                              std::string_view called = {});

}  // namespace qgpu::lower
