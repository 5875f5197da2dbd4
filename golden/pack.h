// A pack: everything that a machine with a GPU and nvcc needs to record goldens, without this
// repository, LLVM or any library.
//
//   auto pack = makePack(caseFiles);                 // Expected<Pack>
//   pack->launches.size();  pack->omissions;         // what is ready, and what is not and why
//   writePack(*pack, "golden-pack");                 // Expected<void>
//
//   golden-pack/
//     record            the script that does everything: compiles, records, seals
//     launches.txt      what to run, for the recorder (recorder/launch_list.h)
//     kernels/dot.cu    the sources as they are
//     modules/dot.cu    includes the source and names the instances of templates that are launched
//     recorder/         the recorder's sources
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "golden/recording.h"

namespace qgpu::golden {

struct PackedLaunch {
  launch::Case test_case;  // `launch.kernel` is its source's `file`
  std::size_t source = 0;  // in Pack::sources
  std::string symbol;      // the kernel in its module: "_Z3dotPKiS0_Pii"
};

struct Pack {
  std::vector<SourceText> sources;
  std::vector<PackedLaunch> launches;
  std::vector<Omission> omissions;

  // Different kernels among the launches.
  std::size_t kernels() const;
};

// Reads cases and finds the symbols of their kernels. What cannot be compared with a GPU
// (comparable.h) and what clang does not take becomes an omission. Refused: a case that cannot be
// read, two launches of one name, two different sources of one file name, a file name that a shell
// would take apart, a source that is not UTF-8.
Expected<Pack> makePack(
    const std::vector<std::filesystem::path>& case_files,
    const std::function<void()>& after_case = [] {});

// The text of launches.txt.
std::string launchList(const Pack& pack);

// Writes the pack into `folder`, which is made, or must be empty.
Expected<void> writePack(const Pack& pack, const std::filesystem::path& folder);

}  // namespace qgpu::golden
