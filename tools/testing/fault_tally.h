// What the fault injector writes down, for system_faults_test to read: a file of these bytes.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace qgpu::testing {

// The kinds of requests to the system, as fault_injector.cc describes them.
inline constexpr std::string_view kFaultKinds[] = {"memory",  "open",    "read", "write",
                                                   "sync",    "rename",  "map",  "thread",
                                                   "process", "channel", "part"};

struct FaultTally {
  std::int64_t requests[std::size(kFaultKinds)] = {};  // of each kind, so far
  std::int64_t failed = 0;                             // of all of them
};

}  // namespace qgpu::testing
