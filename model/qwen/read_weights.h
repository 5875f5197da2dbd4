// The floor of decoding: a token reads every weight once, so it takes no less than the time to read
// them with the same threads and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/layers/workers.h"
#include "model/qwen/checkpoint.h"

namespace qgpu::model {

// The sum of the bytes' whole words, as fast as one thread reads memory: eight streams have more
// requests on their way than one.
std::uint64_t sumInStreams(std::span<const std::byte> bytes);

// The bytes of the weights that a token reads. (Of an untied embedding it reads one row.)
std::size_t weightBytes(const Config& config);

// Seconds to read them once, in the order of the forward pass.
double secondsToReadWeights(const Checkpoint& checkpoint, Workers& workers);

}  // namespace qgpu::model
