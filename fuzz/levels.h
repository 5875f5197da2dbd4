// The levels of fuzz_launch by name.
//
//   for (const NamedLevel& level : levels()) ...
//   auto level = levels()[0].make({.engine = "model", .plain = false, .model = &circuit});
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fuzz/level.h"

namespace qgpu::fuzz {

struct LevelOptions {
  std::string engine;        // "interpreter" or "model"
  bool plain = false;        // the model writes token by token
  ModelUse model = nullptr;  // where one runs
};

struct NamedLevel {
  const char* name;
  const char* what;  // is made
  std::unique_ptr<Level> (*make)(const LevelOptions& options);
};

std::span<const NamedLevel> levels();

}  // namespace qgpu::fuzz
