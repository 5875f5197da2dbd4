#include "tools/api/circuit.h"

#include "compiler/circuit/machine/circuit.h"
#include "model/weights/circuit_file.h"

namespace qgpu {

std::optional<std::filesystem::path> installedCircuit() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  auto file = program.parent_path().parent_path() / "share" / "qgpu" / "machine.safetensors";
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  return file;
}

Expected<model::Circuit> loadCircuit(const std::filesystem::path& file) {
  if (!file.empty()) return model::readCircuit(file);
  if (const auto installed = installedCircuit()) return model::readCircuit(*installed);
  return circuit::machine::buildCircuit();
}

}  // namespace qgpu
