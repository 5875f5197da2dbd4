// A launch of the machine: what the generator makes, the executors run and the shrinker reduces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/isa/instruction.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::isatest {

struct MachineCase {
  isa::Program program;
  std::vector<std::uint32_t> parameters;
  std::vector<protocol::MemoryWord> memory;
  int thread_blocks = 1;
  int threads = 1;  // in each thread block

  protocol::Image image() const;
  // The shape, the inputs and the program, as a failing test prints them.
  std::string text() const;

  friend bool operator==(const MachineCase&, const MachineCase&) = default;
};

}  // namespace qgpu::isatest
