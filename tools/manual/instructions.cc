#include "interpreter/isa/manual.h"
#include "tools/manual/manual.h"

namespace qgpu::manual {

std::string instructionPage() { return isa::instructionManual(); }
std::string instructionEntry(isa::Opcode op) { return isa::instructionEntry(op); }

}  // namespace qgpu::manual
