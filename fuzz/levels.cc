#include "fuzz/levels.h"

#include "fuzz/cuda/level.h"
#include "fuzz/ptx/level.h"

namespace qgpu::fuzz {
namespace {

Oracle oracleFor(const LevelOptions& options) {
  if (options.engine != "model") return Oracle::Interpreter;
  return options.plain ? Oracle::ModelAlone : Oracle::Model;
}

std::unique_ptr<Level> makeMachine(const LevelOptions& options) {
  return machineLevel(oracleFor(options), options.model);
}

std::unique_ptr<Level> makeCuda(const LevelOptions& options) {
  return cudaLevel(oracleFor(options), options.model);
}

std::unique_ptr<Level> makePtx(const LevelOptions& options) {
  return ptxLevel(oracleFor(options), options.model);
}

constexpr NamedLevel kLevels[] = {
    {"machine", "blocks of instructions", makeMachine},
    {"cuda", "kernels in CUDA C++", makeCuda},
    {"ptx", "kernels in PTX", makePtx},
};

}  // namespace

std::span<const NamedLevel> levels() { return kLevels; }

}  // namespace qgpu::fuzz
