// One random block that keeps the block rules (isa/rules.h) and its place in the layout.
#pragma once

#include "interpreter/isa/instruction.h"
#include "interpreter/testing/generate_layout.h"
#include "interpreter/testing/machine_case.h"
#include "interpreter/testing/random.h"

namespace qgpu::isatest {

// The parameter words that generated programs read. The first hold addresses, multiples of 4 from 4
// to kAddressLimit, and serve as bases.
inline constexpr int kParametersRead = 8, kAddressParameters = 3, kAddressLimit = 64;

// `launch` gives the shape: how large tid, ctaid and the like can be.
isa::Block randomBlock(Random& random, const Layout& layout, int number, const MachineCase& launch);

}  // namespace qgpu::isatest
