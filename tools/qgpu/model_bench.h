// What a base model of this shape costs on this machine, and that a launch in the middle of a text
// leaves the text as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "interpreter/base/failure.h"
#include "model/weights/circuit.h"

namespace qgpu::cli {

struct ModelBench {
  double load_seconds = 0;       // the base's folder and the circuit's file
  std::size_t weight_bytes = 0;  // that a token reads
  double floor_seconds = 0;      // to read them with the same threads; the best round
  double decode_seconds = 0;     // for a token of text; the best round
  double decode_of_floor = 0;    // the median of a round's floor over its token
  double prefill_tokens_per_second = 0;
  std::size_t compared_logits = 0;  // after the launch, with those of the text without it
  std::size_t different_logits = 0;
  std::int64_t launch_result = 0;  // of a dot product: 32
  std::size_t launch_tokens = 0;
  double launch_seconds = 0;
  std::size_t peak_bytes = 0;  // resident, of the whole process, mapped files included

  bool exact() const { return different_logits == 0 && launch_result == 32; }
};

struct ModelBenchOptions {
  int threads = 2;
  int rounds = 8;
  std::filesystem::path circuit;  // or the installed one
};

Expected<ModelBench> benchModel(const std::filesystem::path& folder,
                                const ModelBenchOptions& options);

}  // namespace qgpu::cli
