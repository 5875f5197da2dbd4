// Recordings: what a real GPU computed, as a file that others can check.
//
//   auto recording = readRecording("golden/recordings/tesla-t4.jsonl");   // Expected<Recording>
//   recording->device.device;                                              // "Tesla T4"
//   for (const Golden& golden : recording->goldens)
//     golden.test_case.expected;                                          // what the GPU computed
//
// The file is JSON, one object a line. README.md beside this header has the schema:
//
//   {"qgpu_golden":1,"device":"Tesla T4","compute_capability":"7.5","driver":"535.183.01",
//    "toolkit":"13.0","date":"2026-11-30"}
//   {"source":"dot.cu","sha256":"5891b5...","text":"__global__ void dot(...) ..."}
//   {"name":"dot","kernel":"dot.cu","entry":"dot",...,"params":[...],"expected":{"c":[32]}}
//   {"omitted":"who","reason":"__activemask has no fixed value on a GPU"}
//   {"end":1,"sha256":"9f86d0..."}
//
// A launch is a launch case (compiler/launch/case_file.h) whose `expected` a device computed. The
// source that ran is in the file, so that a recording stays what it was when kernels change. The
// last line counts the launches and has the SHA-256 of all bytes before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/launch.h"
#include "interpreter/base/failure.h"

namespace qgpu::golden {

// Where a recording comes from.
struct Provenance {
  std::string device;              // "Tesla T4"
  std::string compute_capability;  // "7.5"
  std::string driver;              // "535.183.01"
  std::string toolkit;             // of the compiler: "13.0, V13.0.88"
  std::string date;                // "2026-11-30", UTC
};

struct SourceText {
  std::string file;  // a name without a folder: "dot.cu", "ptx_guards.ptx"
  std::string text;

  friend bool operator==(const SourceText&, const SourceText&) = default;
};

struct Golden {
  launch::Case test_case;  // `launch.kernel` is its source's `file`
  std::size_t source = 0;  // in Recording::sources
  int line = 0;            // in the file
};

// A launch that was not recorded, and why.
struct Omission {
  std::string launch;
  std::string reason;
};

struct Recording {
  Provenance device;
  std::vector<SourceText> sources;
  std::vector<Golden> goldens;
  std::vector<Omission> omissions;
  std::string sha256;  // as the last line has it
};

// A fixture is a recording that no device made: tests make them on the CPU. It bears this device
// name and the compute capability 0.0, so that nobody can take it for evidence.
inline constexpr std::string_view kFixtureDevice = "synthetic fixture: not a device";
enum class Origin : std::uint8_t { Device, Fixture };

// Reads a recording of that origin. Refused, with the file and the line: one of the other origin; a
// file that is not as it was written (its hash, its end, the hash of a source); unknown, doubled or
// missing members; no launch at all; a launch without a source, without outputs, or of a name that
// an earlier one has.
Expected<Recording> readRecording(const std::filesystem::path& file,
                                  Origin origin = Origin::Device);
Expected<Recording> parseRecording(std::string_view text, std::string_view file,
                                   Origin origin = Origin::Device);

// Lines of a recording, without the line's end.
std::string sourceLine(const SourceText& source);
// The case as one line; its texts (`topic`, ...) are left out.
std::string launchLine(const launch::Case& test_case);
std::string omissionLine(const Omission& omission);
// A text as a JSON string, with its quotes.
std::string jsonString(std::string_view text);
// The lines with the last one behind them.
std::string sealed(std::string_view lines);

// The recordings of this repository, golden/recordings/*.jsonl, in order of file name.
std::vector<std::filesystem::path> recordingFiles();

}  // namespace qgpu::golden
