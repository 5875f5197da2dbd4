#include "interpreter/testing/machine_case.h"

#include <fmt/format.h>

#include "interpreter/isa/assembly.h"

namespace qgpu::isatest {

protocol::Image MachineCase::image() const {
  return {protocol::encode(program), parameters, memory, thread_blocks, threads};
}

std::string MachineCase::text() const {
  std::string out = fmt::format("; {} thread blocks of {} threads\n", thread_blocks, threads);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i] != 0) out += fmt::format("; c{} = {:#x}\n", i, parameters[i]);
  for (const protocol::MemoryWord& m : memory)
    out += fmt::format("; MEM {} = {:#x}\n", m.address, m.value);
  return out + isa::disassemble(program);
}

}  // namespace qgpu::isatest
