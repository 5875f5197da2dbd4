// The precompiled prelude.
#pragma once

#include <string_view>

namespace qgpu::cuda {

// The bytes of the prelude's precompiled header, made on the first call (about 15 ms). Thread safe.
std::string_view preludePch();

}  // namespace qgpu::cuda
