// Local simplification: what an operation is equal to, given its operands alone.
#pragma once

#include <optional>

#include "compiler/lower/ir/builder.h"

namespace qgpu::lower {

// An older or simpler value for the operation's results; or nothing, and `i` may have been brought
// into canonical form: constants in b where a and b commute, Eq, Lt and Ltu as only comparisons,
// constant parts of an address in its offset, a subtraction of a constant as an addition.
std::optional<Value> fold(Builder& b, Instruction& i);
// The results of an operation without effect whose operands are all constant.
std::optional<Value> foldConstants(Function& f, const Instruction& i);

}  // namespace qgpu::lower
