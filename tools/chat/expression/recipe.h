// Which kernel computes an operation, and with which arguments.
#pragma once

#include <string>
#include <vector>

#include "compiler/launch/launch.h"
#include "tools/chat/expression/expression.h"

namespace qgpu::chat {

struct Recipe {
  std::string file;   // of ../kernels
  std::string entry;  // in it
  std::vector<launch::Parameter> parameters;
  std::string result;       // the array whose first elements are the result
  std::size_t threads = 1;  // asked for; whole_block says whether they must be one thread block
  bool whole_block = false;

  launch::Dim3 grid() const;
  launch::Dim3 block() const;
};

// `step` is an operation; its operands have the shapes it was checked with.
Recipe recipeFor(const Step& step, const std::vector<Value>& operands);

}  // namespace qgpu::chat
