// Ctrl-C and a scheduler's "end soon": a campaign ends after what is in flight, instead of at once.
//
//   catchInterruptions();
//   while (!interruption()) work();
//   return 128 + interruption();
#pragma once

namespace qgpu::fuzz {

// From now on the first SIGINT or SIGTERM is only noted. The second one ends the process.
void catchInterruptions();

// The signal that was noted; 0 for none.
int interruption();

}  // namespace qgpu::fuzz
