// Wires to residual dimensions, by a linear scan in the order of birth; deterministic.
//
// A place is handed on as late as possible: first to dims that were never used, then to the one
// that has been free for longest. Where the next owner needs it clean, a clearing unit is inserted
// anywhere between the last use and the new birth, in the layer with the fewest units; not in the
// step of the birth itself if the dim could then change by more than 256. Two tenants
// of exclusive modes may hold one dim at the same time; each is 0 while the other's mode is on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/circuit/liveness.h"
#include "compiler/circuit/target.h"

namespace qgpu::circuit {

// dim += -(its value) in the MLP of `step`, where `mode` is on (0: always).
struct Clearing {
  int dim = 0;
  int step = 0;
  Mode mode;
  bool is_negative = false;  // the value may be negative
};

struct Occupancy {
  std::uint32_t tenant = 0;
  int present_from = 0;  // the dim may hold the tenant's value after this step ...
  int present_to = 0;    // ... up to what this step reads
};

struct Allocation {
  static constexpr int kNoDim = -1;
  std::vector<int> dim;                             // of each wire; kNoDim where nobody reads it
  std::vector<std::vector<Occupancy>> occupancies;  // of each dim, all tenants it ever has
  std::vector<Clearing> clearings;                  // sorted by step, then dim
  std::vector<int> live;                            // dims in use at each unit step, by layer
};

// `unit_load`: hidden units of each layer so far. Refused where the dims do not suffice.
Expected<Allocation> allocate(const Net& net, const Liveness& liveness, const Substrate& substrate,
                              std::vector<int> unit_load);

}  // namespace qgpu::circuit
