// Addresses: constants go into the offset, a shift by the width into the scale.
#include <bit>

#include "compiler/lower/ir/fold_rules.h"

namespace qgpu::lower::rules {

using isa::Opcode;

namespace {

class Address {
 public:
  Address(Function& f, Instruction& i)
      : f_(f), i_(i), width_shift_(std::countr_zero(static_cast<unsigned>(i.row().width))) {}

  // One step; false when nothing is left to do.
  bool step() {
    if (i_.b == kNone) return false;
    if (f_.isConstant(i_.b)) return take(i_.b, kNone);
    if (const Instruction* sum = asOperation(f_, i_.b, Opcode::Add); sum && f_.isConstant(sum->b))
      return take(sum->b, sum->a);
    return scale();
  }

 private:
  std::uint32_t shift() const {
    return i_.memory.scaled ? static_cast<std::uint32_t>(width_shift_) : 0;
  }

  bool take(Id constant, Id rest) {
    const Instruction& k = f_[constant];
    i_.memory.offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(i_.memory.offset) +
                                                 (k.immediate << shift()));
    if (k.memory.object != kNoObject) i_.memory.object = k.memory.object;
    i_.b = rest;
    if (rest == kNone) i_.memory.scaled = false;
    return true;
  }

  bool scale() {
    if (i_.memory.scaled || width_shift_ == 0) return false;
    if (const Instruction* shl = asOperation(f_, i_.b, Opcode::Shl)) {
      if (!f_.isConstant(shl->b, static_cast<std::uint32_t>(width_shift_))) return false;
      i_.b = shl->a;
      i_.memory.scaled = true;
      return true;
    }
    // index * width + constant
    const Instruction* mad = asOperation(f_, i_.b, Opcode::Mad);
    if (mad == nullptr || !f_.isConstant(mad->b, 1u << width_shift_) || !f_.isConstant(mad->c))
      return false;
    const Id index = mad->a;
    take(mad->c, index);
    i_.memory.scaled = true;
    return true;
  }

  Function& f_;
  Instruction& i_;
  int width_shift_;
};

}  // namespace

void address(Builder& b, Instruction& i) {
  Address address(b.function(), i);
  while (address.step()) {
  }
}

}  // namespace qgpu::lower::rules
