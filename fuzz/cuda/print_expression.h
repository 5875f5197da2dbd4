// The text of expressions; a part of print.cc.
#pragma once

#include <string>
#include <string_view>

#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

std::string_view cName(ElementType type);  // "unsigned char"
// What an operand of that type is computed in: int for the narrow types.
ElementType promoted(ElementType type);
ElementType unsignedOf(ElementType type);  // of int and long long; others stay

// Expressions in one kernel or device function, inside `loops` loops.
struct ExpressionPrinter {
  const KernelTree& tree;
  int loops = 0;

  // The value as `type`; in parentheses where it is more than a name.
  std::string as(ElementType type, const Expression& e) const;
  // The value, as a condition.
  std::string condition(const Expression& e) const;
  // The value modulo `count`, which is not negative.
  std::string below(int count, const Expression& e) const;

 private:
  std::string plain(const Expression& e) const;
  std::string leaf(const Expression& e) const;
  std::string binary(const Expression& e) const;
  std::string quotient(const Expression& e) const;
  std::string function(const Expression& e) const;
  ElementType typeOf(const Expression& e) const;
};

}  // namespace qgpu::fuzz::cuda
