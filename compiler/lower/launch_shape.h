// What of a launch a program may depend on: its geometry and where its arrays lie, never the values
// of its scalar arguments or the contents of its arrays. Those reach the machine as tokens.
//
//   LaunchShape shape = shapeOf(launch);
//   // or by hand, for kernel(int* out, int n):
//   LaunchShape shape{.block = {4, 1, 1},
//                     .parameters = {arrayShape("out", 16), scalarShape("n", 4)}};
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/launch/launch.h"

namespace qgpu::lower {

struct ParameterShape {
  std::string name;  // for messages
  launch::ParameterKind kind = launch::ParameterKind::Scalar;
  std::uint32_t bytes = 4;      // of the array's contents, the scalar or the struct
  std::uint32_t alignment = 4;  // of the array's elements
  friend bool operator==(const ParameterShape&, const ParameterShape&) = default;
};

struct LaunchShape {
  launch::Dim3 grid;
  launch::Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<ParameterShape> parameters;  // in the kernel's order
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

LaunchShape shapeOf(const launch::Launch& launch);

inline ParameterShape arrayShape(std::string name, std::uint32_t bytes,
                                 std::uint32_t alignment = 4) {
  return {std::move(name), launch::ParameterKind::Array, bytes, alignment};
}
inline ParameterShape scalarShape(std::string name, std::uint32_t bytes = 4) {
  return {std::move(name), launch::ParameterKind::Scalar, bytes, bytes};
}

// Refuses what the machine cannot launch: a size of 0, a thread block of more than 32 threads, more
// than 128 threads or 256 thread blocks in all. The message says which and how many.
Expected<void> checkGeometry(const LaunchShape& shape);

}  // namespace qgpu::lower
