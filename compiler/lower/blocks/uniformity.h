// Which words are the same in all lanes of a warp. A guess that only costs are made of: it follows
// operands, and takes lanes to stay together.
#pragma once

#include <vector>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

class Uniformity {
 public:
  explicit Uniformity(const Function& f);
  bool isUniform(Id word) const { return !varies_[word]; }

 private:
  std::vector<bool> varies_;
};

}  // namespace qgpu::lower
