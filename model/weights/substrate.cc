#include "model/weights/substrate.h"

#include <bit>
#include <cmath>

#include "interpreter/base/failure.h"

namespace qgpu::model {

// sum BIG^2 = bigs * 2^52 = hidden * 4^m, so an odd power of two takes two BIG dims.
Constants::Constants(const Substrate& substrate) {
  const auto hidden = static_cast<unsigned>(substrate.hidden);
  check(std::has_single_bit(hidden), "the hidden width is a power of two");
  const int log = std::countr_zero(hidden);
  bigs = 1 + log % 2;
  const int m = (52 + (bigs - 1) - log) / 2;
  one = substrate.first_dim + bigs;
  text = one + 1;
  first_wire = text + 1;
  unit_weight = std::ldexp(1.0f, m);
  big_normed = std::ldexp(1.0f, 26 - m);
}

}  // namespace qgpu::model
