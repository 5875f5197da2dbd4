// How cost grows: with the length of a trace, with blocks and warps, with launches at once.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/weights/circuit.h"

namespace qgpu::bench {

// One launch that goes on and on: the tokens from the last row's to this row's, and their cost.
struct LengthRow {
  std::int64_t tokens = 0;  // since the launch began
  double microseconds = 0;  // a token, of those since the row before
};
// The same kernel on more threads.
struct ShapeRow {
  int thread_blocks = 0, warps = 0;  // warps in each thread block
  std::int64_t tokens = 0;           // that the model writes
  double eachWarp() const { return static_cast<double>(tokens) / (thread_blocks * warps); }
};
// The same launch several times at once.
struct BatchRow {
  int launches = 0;
  double tokens_per_second = 0;  // of all together
};

struct Scaling {
  int cores = 1;
  std::vector<LengthRow> lengths;
  std::vector<ShapeRow> shapes;
  std::vector<BatchRow> batches;
};

struct ScalingOptions {
  std::int64_t longest = 1'000'000;  // tokens of the longest trace
  int most_launches = 256;
  int cores = 0;  // 0: all
};

// Minutes with the options as they are.
Scaling measureScaling(const model::Circuit& circuit, const ScalingOptions& options);

std::string table(const Scaling& scaling);
nlohmann::ordered_json json(const Scaling& scaling);
std::string page(const Scaling& scaling);

}  // namespace qgpu::bench
