// Mutants of single instructions: what each does at its boundaries, done otherwise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {

struct EdgeMutant {
  std::string what;
  std::function<PlainWarpOut(const PlainWarpIn&)> compute;
};
std::vector<EdgeMutant> edgeMutants(isa::Opcode op);

}  // namespace qgpu::isatest
