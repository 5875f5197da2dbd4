// Whole files in and out. Writing is atomic: readers see the old content or the new, never a part.
//
//   auto text = readFile("kernel.cu");                 // Expected<std::string>
//   auto done = writeFileAtomically("out.json", json); // Expected<void>
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu {

// A regular file of up to `limit` bytes. Refused: a missing or unreadable file, a directory, a pipe
// or a device (which may have no end, or never begin), one over the limit.
Expected<std::string> readFile(const std::filesystem::path& path, std::size_t limit = 64u << 20);

// The file that an output to `path` replaces: what a symbolic link leads to. Refused: a device, a
// pipe, and what stands in /dev or /proc (/dev/stdout), which must not be replaced.
Expected<std::filesystem::path> outputFile(const std::filesystem::path& path);

// Refuses an output that is one of the inputs, under whatever name.
Expected<void> keepApart(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs);

// Writes a temporary file beside `path`, or what that leads to (outputFile), flushes it to the disk
// and renames it over `path`. On failure `path` holds what it held before and no temporary file is
// left.
Expected<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

}  // namespace qgpu
