// Random expressions; a part of generate.cc.
#pragma once

#include <vector>

#include "fuzz/cuda/tree.h"
#include "interpreter/testing/random.h"

namespace qgpu::fuzz::cuda {

// What one kernel makes use of. Drawn once for each kernel, so that some kernels are full of a
// feature that others lack: that finds more than a little of everything in all.
struct Palette {
  bool wide = false, narrow = false, divisions = false, intrinsics = false;
  bool functions = false, local = false, switches = false, loops = false;
  bool barriers = false, neighbours = false, locks = false, shared_atomics = false, atomics = false,
       own_atomics = false;
  bool shuffles = false, votes = false, block_votes = false, uniform_branches = false,
       exits = false;
};
Palette drawPalette(isatest::Random& random);

// Where an expression stands: what it may name.
struct Scope {
  std::vector<ElementType> variables;  // of the kernel, or a device function's parameters
  bool in_function = false;
  bool collective = false;  // all threads of the thread block come here together
  bool can_leave = false;   // in a loop that a thread may leave alone
  int loops = 0;
  int nesting = 0;
};

class ExpressionMaker {
 public:
  ExpressionMaker(isatest::Random& random, const Palette& palette, KernelTree& tree)
      : random_(random), palette_(palette), tree_(tree) {}

  // Operations that the kernel may still have, roughly in instructions of the machine.
  int budget = 0;

  Expression value(ElementType type, const Scope& scope, int depth);
  Expression condition(const Scope& scope, int depth = 1);
  // The same for all threads of the grid.
  Expression uniform();
  // A type for a value: int, unsigned or, in some kernels, a 64-bit one.
  ElementType computingType();

 private:
  Expression constant(ElementType type);
  Expression leaf(ElementType type, const Scope& scope);
  Expression load(ElementType type, const Scope& scope);
  Expression arithmetic(ElementType type, const Scope& scope, int depth);
  Expression intrinsic(const Scope& scope, int depth);
  Expression call(const Scope& scope);
  Expression node(Op op, ElementType type, const Scope& scope, int operands, int depth);

  isatest::Random& random_;
  const Palette& palette_;
  KernelTree& tree_;
};

}  // namespace qgpu::fuzz::cuda
