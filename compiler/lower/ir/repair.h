// Static single assignment after a change of control flow: a value that got a second definition.
#pragma once

#include <utility>
#include <vector>

#include "compiler/lower/ir/liveness.h"

namespace qgpu::lower {

// Every read of `original` outside its own block now gets what holds there, where `ends` says what
// the value is at the end of the blocks that define it, the block of `original` among them. New
// phis appear where definitions meet.
void repair(Function& f, Id original, Port port, int home,
            const std::vector<std::pair<int, Predicate>>& ends);

}  // namespace qgpu::lower
