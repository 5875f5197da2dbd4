// Assembler text: refused, or a program that its own text and its encoding give back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/encoding.h"
#include "interpreter/isa/rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  const auto program = isa::assemble({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!program) return 0;
  const std::string text = isa::disassemble(*program);
  const bool keeps_rules = isa::violations(*program).empty();
  const auto again = isa::assemble(text, "fuzz");
  check(!keeps_rules || (again && *again == *program), "a program is what its text says");
  for (const isa::Block& block : program->blocks) {
    const auto decoded = isa::decodeBlock(isa::encodeBlock(block));
    check(decoded && *decoded == block, "a block is what its words say");
  }
  return 0;
}
