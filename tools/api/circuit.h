// Where the model's weights come from.
//
//   auto circuit = loadCircuit();                        // the one installed with the program
//   auto other = loadCircuit("machine.safetensors");
#pragma once

#include <filesystem>
#include <optional>

#include "interpreter/base/failure.h"
#include "model/weights/circuit.h"

namespace qgpu {

// PREFIX/share/qgpu/machine.safetensors for a program PREFIX/bin/NAME; nothing if it is not there.
std::optional<std::filesystem::path> installedCircuit();

// Reads a circuit file; without one the installed file, and where none is installed builds the same
// circuit anew, which takes seconds. Refused: what readCircuit (model/weights/circuit_file.h)
// refuses.
Expected<model::Circuit> loadCircuit(const std::filesystem::path& file = {});

}  // namespace qgpu
