// Recording: every launch twice, on fresh memory, and a line about each.
//
//   Totals totals = recordAll(entries, *device, std::cout, std::cerr);
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "device.h"
#include "launch_list.h"

namespace qgpu::recorder {

// A launch's line: {"name":...,"expected":{...}} with what both runs computed. Otherwise, with
// `reason` set, {"omitted":...,"reason":...}: the device reported an error, the kernel wrote beside
// an array, or the two runs differ. The space beside arrays holds another pattern in each run.
std::string recordLaunch(const Launch& launch, Device& device, std::string& reason);

// Who computed it.
struct Provenance {
  std::string driver, toolkit, date;
};
// The recording's first line.
std::string headerLine(const Device& device, const Provenance& provenance);

struct Totals {
  int recorded = 0;
  int omitted = 0;  // here; the list itself may name more
};
// Writes a line for each entry to `out`; what is omitted is said on `log` too.
Totals recordAll(const std::vector<Entry>& entries, Device& device, std::ostream& out,
                 std::ostream& log);

}  // namespace qgpu::recorder
