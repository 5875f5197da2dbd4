// The memory of a launch as the second executor of PTX has it: every array at an address far from
// all others, shared memory beside them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/launch/launch.h"
#include "compiler/ptx/ast.h"
#include "interpreter/base/failure.h"

namespace qgpu::fuzz::ptxlevel {

class Memory {
 public:
  Memory(const ptx::Function& kernel, const ptx::Module& module, const launch::Launch& launch);

  // Fills shared memory, which each thread block finds with other contents.
  void startBlock(std::uint8_t pattern);

  // `bytes` at `address`, little-endian. Refused: an access that is not aligned or lies in nothing.
  Expected<std::uint64_t> load(ptx::Space space, std::uint64_t address, int bytes) const;
  Expected<void> store(ptx::Space space, std::uint64_t address, int bytes, std::uint64_t value);

  std::uint64_t addressOf(const ptx::SymbolRef& symbol) const;
  launch::Arrays arrays(const launch::Launch& launch) const;

 private:
  struct Object {
    ptx::Space space = ptx::Space::Global;
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  const std::uint8_t* find(ptx::Space space, std::uint64_t address, int bytes) const;

  std::vector<Object> objects_;                // arrays, parameters, shared variables
  std::vector<std::size_t> of_parameter_;      // the array behind a parameter
  std::vector<std::size_t> parameters_;        // by number
  std::vector<std::size_t> module_variables_;  // by number
  std::vector<std::size_t> kernel_variables_;  // by number
};

}  // namespace qgpu::fuzz::ptxlevel
