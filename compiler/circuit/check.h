// Proves, by interval arithmetic over the ranges of the wires, that a compiled net computes
// exactly.
//
// What must hold, in every layer, for binary32 and for bfloat16 roundings alike:
//
//   gates      the positive side of a gate is an integer of at most 256
//   products   gate * amount is at most 256, so bfloat16 holds it
//   wires      a dim holds an integer of at most 256 after every step, and changes by no more
//   sums       no partial sum of a projection needs more than 24 bits, in any order
//   norm       the squares of all wires vanish beside BIG's
//
// Where the ranges of single wires are too wide to show a bound (several wires are never large
// together), the proof rests on the author's Gate::atMost or on an interval that a primitive was
// given; those promises are counted, and the evaluator watches them.
//
//   const ExactnessReport report = checkExactness(net, *compiled);
//   if (!report.problems.empty()) ...              // each names its unit, wire or memory
//   report.tightest(5);                            // the layers closest to a limit, as text
#pragma once

#include <string>
#include <vector>

#include "compiler/circuit/emit.h"

namespace qgpu::circuit {

struct LayerMargins {
  int gate = 0;           // the largest value of a gate
  int product = 0;        // of gate * amount
  int promised = 0;       // units whose gate is bounded by its author's word
  double gate_sum = 0;    // the largest sum of absolute terms of a gate row, in gate units
  double down_sum = 0;    // the same for what a step may add to one dim
  double square_sum = 0;  // of all wires together
};

struct ExactnessReport {
  std::vector<std::string> problems;
  std::vector<LayerMargins> layers;

  // A table of the `count` layers with the least room in any respect.
  std::string tightest(int count) const;
};

ExactnessReport checkExactness(const Net& net, const CompiledNet& compiled);

}  // namespace qgpu::circuit
