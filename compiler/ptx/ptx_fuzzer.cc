// libFuzzer: any bytes parse or are refused with a place, and what parses survives printing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/ptx/ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = ptx::parse(text, "fuzz.ptx");
  if (!module) {
    check(module.error().kind == FailureKind::Refusal, "bad text is refused");
    check(module.error().location.line >= 1 && module.error().location.column >= 1,
          "a refusal has a place");
    check(!module.error().message.empty(), "a refusal says why");
    return 0;
  }
  const auto again = ptx::parse(ptx::print(*module), "printed.ptx");
  check(again.has_value(), "printed text parses");
  check(*again == *module, "printing changes nothing");
  return 0;
}
