// The metadata of a circuit file: what its tensors do not say; the keys are listed in
// circuit_file.h.
#pragma once

#include <string>

#include "interpreter/base/safetensors.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

// All keys but `weights`.
Metadata circuitMetadata(const Circuit& circuit);

// Fills in what the metadata holds. Refused: a missing key, values that do not fit each other, and
// files of another format, machine or instruction table.
Expected<void> readMetadata(const Metadata& metadata, const std::string& file, Circuit& circuit);

}  // namespace qgpu::model
