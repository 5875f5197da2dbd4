// Other ways to compile a kernel than the usual one, which must compute the same.
//
//   variantOf(17).name;   // "clang's level 2"
#pragma once

#include <cstdint>
#include <string>

#include "compiler/lower/options.h"

namespace qgpu::fuzz {

struct Variant {
  std::string name;
  int opt_level = 1;  // clang's
  lower::Options options;

  bool isUsual() const { return name == "as usual"; }
};

// As `qgpu run` compiles.
Variant usualVariant();
// The variant of a kernel's number; every fifteen numbers have all.
Variant variantOf(std::uint64_t number);
inline constexpr std::uint64_t kVariants = 15;

}  // namespace qgpu::fuzz
