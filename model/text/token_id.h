#pragma once

#include <cstdint>

namespace qgpu::model {

// A row of the embedding.
using TokenId = std::uint32_t;

}  // namespace qgpu::model
