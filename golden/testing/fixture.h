// A fixture for tests: the whole way of a recording, with the CPU in the GPU's place.
//
//   const std::string text = fixture({"dot", "histogram"});
//   parseRecording(text, "fixture", Origin::Fixture);
#pragma once

#include <string>
#include <vector>

namespace qgpu::golden {

// Packs these cases of conformance/cases, lets the pack's own script record them and gives the
// recording's text.
std::string fixture(const std::vector<std::string>& cases);

}  // namespace qgpu::golden
