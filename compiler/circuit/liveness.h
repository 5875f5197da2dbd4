// What of a net is needed, and how long each wire must keep its place.
//
// A unit is needed if one of its outputs is read later by a needed unit, a memory or the end; a
// wire and its revisions share one place, from the step that first drives it to the step that
// clears it for the next owner.
#pragma once

#include <vector>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// The life of one place in the residual stream: a wire with all its revisions.
struct Tenant {
  std::vector<Wire> wires;  // in order of revision
  Mode mode;
  int low = 0, high = 0;   // in the residual stream: a sign-encoded wire lies in -1..1
  bool is_signed = false;  // starts at -1, added by an extra unit (or by the embedding)
  int start = 0;           // a unit step or the embedding: from here on the place must be clean
  int first_drive = 0;     // the first step that changes it
  int end = 0;             // the first unit step that may clear it; kLastStep: kept to the end
};

struct Liveness {
  std::vector<std::uint32_t> units;  // indices of the needed ones, by step, else in order
  std::vector<bool> read;            // for each wire: somebody needs it
  std::vector<Tenant> tenants;       // sorted by start, then by first wire
  std::vector<int> mode_end;  // of each mode: the last step that can still ask whether it is on
};
Liveness analyse(const Net& net);

}  // namespace qgpu::circuit
