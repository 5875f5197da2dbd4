// Where everything with an address lies.
//
// Global memory holds the arrays of the launch and the __device__ and __constant__ variables that
// the kernel names, from word 1 up (word 0 is the null word); shared memory the static variables,
// then the dynamic ones; a kernel with bar.red and several warps takes one word more. Most aligned
// first, in the order of declaration: the same kernel and launch always give the same placement.
// Local arrays lie in what is left, shared memory first: one copy for each thread of a thread
// block, since thread blocks run one after another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/lower/launch_shape.h"
#include "compiler/ptx/ast.h"
#include "interpreter/isa/instruction.h"

namespace qgpu::lower {

struct Object {
  std::string name;
  isa::Space space = isa::Space::Global;
  std::uint32_t address = 0;  // of its first byte; of the first thread's copy if `stride` is not 0
  std::uint32_t bytes = 0;
  std::uint32_t stride = 0;  // from one thread's copy to the next
};

// A word of global memory before the launch, beside the arrays.
struct InitialWord {
  int word = 0;
  std::uint32_t value = 0;
  friend bool operator==(const InitialWord&, const InitialWord&) = default;
};

struct Placement {
  std::vector<Object> objects;
  std::vector<int> parameter_objects;           // by kernel parameter; -1 where it is no array
  std::map<std::uint32_t, int> module_objects;  // by index into Module::variables
  std::map<std::uint32_t, int> local_objects;   // by index into Function::variables
  int reduction_object = -1;                    // the shared word of bar.red, where that needs one
  std::vector<InitialWord> initial;
  int global_words = 0;  // of arrays and variables
  int shared_words = 0;
  int local_words = 0;                          // of each thread
  isa::Space local_space = isa::Space::Shared;  // where the local arrays lie
  // The first byte that nothing uses, and where the memory ends.
  std::uint32_t free_global = 4;
  std::uint32_t free_shared = 0;

  // Bytes left in a space.
  std::uint32_t freeBytes(isa::Space space) const;
};

// Refuses arrays, variables or shared memory beyond the machine's, with the numbers, and a kernel
// whose parameters are not those of the launch.
Expected<Placement> place(const ptx::Module& module, const ptx::Function& kernel,
                          const LaunchShape& shape);

}  // namespace qgpu::lower
