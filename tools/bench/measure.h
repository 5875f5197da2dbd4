// The figures of `qgpu bench`: each with what the machine would allow beside it.
//
//   const auto bench = measure(circuit, {.quick = true});   // Expected<Bench>
//   table(*bench);       // for people
//   json(*bench);        // for programs
//   page(*bench);        // docs/performance.md
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/weights/circuit.h"
#include "tools/bench/ceilings.h"

namespace qgpu::bench {

struct Measurement {
  std::string group;  // "model", "audit"
  std::string key;    // "matmul_tokens": with the group, its name in the JSON
  std::string what;   // "matmul (3 x 16 by 16 x 4): tokens"
  std::string unit;   // "1/s", "ms", "MB"
  double value = 0;
  double floor = 0;        // what the machine would allow, in the same unit; 0: nothing to say
  std::string floor_from;  // "41,000 of 1,346,416 weights at 1.4 G/s"

  bool isRate() const { return unit == "1/s"; }
  // How many times slower, or larger, than the floor.
  double times() const {
    if (floor == 0 || value == 0) return 0;
    return isRate() ? floor / value : value / floor;
  }
};

// The machine that figures were taken on.
struct Host {
  std::string processor, system, compiler;
  int cores = 1;
  double memory_gb = 0;
};

struct Bench {
  Host host;
  Ceilings ceilings;
  std::vector<Measurement> measurements;
};

struct BenchOptions {
  bool quick = false;  // less exact
  int cores = 0;       // for what runs on several; 0: all
};

Host thisHost();
// Refused: a circuit's file that cannot be written and read in the folder for temporary files, and
// what the system lacks for a compile.
Expected<Bench> measure(const model::Circuit& circuit, const BenchOptions& options);

std::string table(const Bench& bench);
nlohmann::ordered_json json(const Bench& bench);
// As Markdown.
std::string page(const Bench& bench);

}  // namespace qgpu::bench
