// The launch cases that every engine must pass: our own, and those handed to the project from
// outside.
//
//   for (const CaseFile& file : allCases()) {
//     const auto test_case = launch::readCase(file.path);
//     ...
//   }
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/launch/launch.h"

namespace qgpu::conformance {

enum class Suite : std::uint8_t {
  Own,     // conformance/cases: kernels of ours, expected values from the native runner
  Shared,  // ../shared/cases: present only where the project was given them; never copied
};

struct CaseFile {
  Suite suite = Suite::Own;
  std::filesystem::path path;

  // A name fit for a test: "own_dot", "shared_crc8", other characters as '_'.
  std::string testName() const;
};

// In order of file name. `sharedCases` is empty where the folder is missing.
std::vector<CaseFile> ownCases();
std::vector<CaseFile> sharedCases();
// The shared cases after our own.
std::vector<CaseFile> allCases();

// The name under which the native runner knows a case's kernel: "own/dot:dot".
std::string nativeName(Suite suite, const launch::Launch& launch);

}  // namespace qgpu::conformance
