// The level of random PTX: the front end of PTX, the lowering, the interpreter and the model
// against a second executor of PTX (executor.h).
#pragma once

#include <functional>
#include <memory>

#include "fuzz/level.h"
#include "fuzz/ptx/generate.h"

namespace qgpu::fuzz {

// A finding comes with NAME.ptx and NAME.json, a launch case. `alter`, for tests, changes the text
// that qgpu gets.
std::unique_ptr<Level> ptxLevel(Oracle oracle, const ModelUse& model,
                                std::function<std::string(const std::string&)> alter = {});

}  // namespace qgpu::fuzz
