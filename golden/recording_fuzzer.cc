// Any lines under a good seal are a recording or are refused; what is accepted can be written
// again.
#include <cstdint>

#include "golden/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  const std::string lines = std::string(reinterpret_cast<const char*>(data), size) + '\n';
  const auto recording = golden::parseRecording(golden::sealed(lines), "fuzz");
  if (!recording) return 0;
  for (const golden::Golden& golden : recording->goldens) {
    check(golden.source < recording->sources.size(), "a launch has a source");
    check(!golden.test_case.expected.empty(), "a launch has outputs");
    check(!golden::launchLine(golden.test_case).empty(), "a launch can be written");
  }
  return 0;
}
