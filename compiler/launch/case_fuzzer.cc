// Any text is a case or is refused; a case that was read can be written and read again.
#include <cstdint>
#include <string_view>

#include "compiler/launch/case_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = launch::parseCase(text, "fuzz");
  if (!first) {
    check(!first.error().message.empty(), "a refusal has a reason");
    return 0;
  }
  const std::string written = launch::formatCase(*first);
  const auto again = launch::parseCase(written, "again");
  check(again && launch::formatCase(*again) == written, "a case comes back as it was written");
  return 0;
}
