// About how many slots a basic block will take once instructions have been combined.
#pragma once

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

double estimateSlots(const Function& f, int block);

}  // namespace qgpu::lower
