// A PTX kernel as a function of the intermediate representation.
#pragma once

#include "compiler/lower/ir/ir.h"
#include "compiler/lower/launch_shape.h"
#include "compiler/lower/placement.h"
#include "compiler/ptx/ast.h"

namespace qgpu::lower {

// What the machine does not have becomes Kind::Unsupported: whether it matters shows later.
// Refused: control flow that cannot be followed, and kernels out of all proportion.
Expected<Function> build(const ptx::Module& module, const ptx::Function& kernel,
                         const LaunchShape& shape, const Placement& placement);

}  // namespace qgpu::lower
