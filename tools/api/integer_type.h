// The element type of an integer by sign and width. Private to this folder.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/launch/element_type.h"

namespace qgpu {

inline std::optional<launch::ElementType> integerType(bool is_signed, std::size_t bytes) {
  using launch::ElementType;
  switch (bytes) {
    case 1: return is_signed ? ElementType::Int8 : ElementType::Uint8;
    case 2: return is_signed ? ElementType::Int16 : ElementType::Uint16;
    case 4: return is_signed ? ElementType::Int : ElementType::Unsigned;
    case 8: return is_signed ? ElementType::Int64 : ElementType::Uint64;
    default: return std::nullopt;
  }
}

}  // namespace qgpu
