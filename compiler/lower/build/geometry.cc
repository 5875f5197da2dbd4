// The special registers. The machine numbers threads and thread blocks linearly; x, y and z follow
// by code made for the geometry of the launch.
#include <bit>

#include "compiler/lower/build/context.h"

namespace qgpu::lower {
namespace {

// x / d for x <= most, d >= 1: by a multiplication that is exact in this small range, since with
// m = ceil(2^s / d) the error x * (m * d - 2^s) stays below 2^s.
Id divideSmall(Builder& b, Id x, std::uint32_t most, std::uint32_t d) {
  if (d == 1) return x;
  if (d > most) return b.zero();
  if (std::has_single_bit(d))
    return b.shiftRightBy(x, static_cast<std::uint32_t>(std::countr_zero(d)));
  const auto s = static_cast<std::uint32_t>(std::bit_width(most * (d - 1)));
  const std::uint32_t m = ((1u << s) + d - 1) / d;
  return b.shiftRightBy(b.mul(x, b.constant(m)), s);
}

// x mod d, given x / d.
Id remainderOf(Builder& b, Id x, Id quotient, std::uint32_t d) {
  if (d == 1) return b.zero();
  if (std::has_single_bit(d)) return b.mask(x, d - 1);
  return b.mad(quotient, b.constant(0u - d), x);
}

// Component of a linear number in a box of the given size.
Id component(Builder& b, Id linear, launch::Dim3 size, ptx::Component which) {
  const auto most = static_cast<std::uint32_t>(size.count() - 1);
  if (which == ptx::Component::X) {
    if (size.y * size.z == 1) return linear;
    return remainderOf(b, linear, divideSmall(b, linear, most, size.x), size.x);
  }
  if (which == ptx::Component::Z) return divideSmall(b, linear, most, size.x * size.y);
  const Id row = divideSmall(b, linear, most, size.x);
  if (size.z == 1) return row;
  return remainderOf(b, row, divideSmall(b, row, most / size.x, size.y), size.y);
}

std::uint32_t extent(launch::Dim3 size, ptx::Component which) {
  if (which == ptx::Component::X) return size.x;
  return which == ptx::Component::Y ? size.y : size.z;
}

// The lanes of a warp that a lane mask names: at, below or above one's own.
Id laneMask(Builder& b, Id lane, ptx::Special which) {
  const auto power = [&](std::uint32_t base) { return b.shiftLeft(b.constant(base), lane); };
  const Id minus_one = b.constant(~0u), all = b.constant(kMachine.allLanes());
  switch (which) {
    case ptx::Special::LanemaskEq: return power(1);
    case ptx::Special::LanemaskLt: return b.add(power(1), minus_one);
    case ptx::Special::LanemaskLe: return b.add(power(2), minus_one);
    case ptx::Special::LanemaskGe: return b.shiftLeft(all, lane);
    default: return b.shiftLeft(b.constant(kMachine.allLanes() & ~1u), lane);
  }
}

}  // namespace

Id Context::special(const ptx::SpecialRegister& reg, const ptx::Instruction&) {
  using ptx::Special;
  if (reg.component == ptx::Component::W) return b.zero();
  const auto linear = [&](isa::Special s, launch::Dim3 size) {
    if (size.count() == 1) return b.zero();
    return component(b, f.special(s), size, reg.component);
  };
  const auto threads = static_cast<std::uint32_t>(shape.block.count());
  const auto lanes = static_cast<std::uint32_t>(kMachine.lanes);
  switch (reg.reg) {
    case Special::Tid: return linear(isa::Special::Tid, shape.block);
    case Special::Ctaid: return linear(isa::Special::Ctaid, shape.grid);
    case Special::Ntid: return b.constant(extent(shape.block, reg.component));
    case Special::Nctaid: return b.constant(extent(shape.grid, reg.component));
    case Special::Laneid: return f.special(isa::Special::Lane);
    case Special::Warpid: return threads <= lanes ? b.zero() : f.special(isa::Special::Warp);
    case Special::Nwarpid: return b.constant((threads + lanes - 1) / lanes);
    case Special::LanemaskEq:
    case Special::LanemaskLt:
    case Special::LanemaskLe:
    case Special::LanemaskGe:
    case Special::LanemaskGt: {
      const Id mask = laneMask(b, f.special(isa::Special::Lane), reg.reg);
      return b.mask(mask, kMachine.allLanes());
    }
    case Special::Smid:
    case Special::Gridid: return b.zero();
    case Special::Nsmid: return b.constant(1);
    case Special::DynamicSmemSize: return b.constant(shape.dynamic_shared_bytes);
    case Special::TotalSmemSize:
      return b.constant(4 * static_cast<std::uint32_t>(placement.shared_words));
    default:
      return unsupported("a special register that the machine does not have",
                         "clocks, clusters and counters are not there");
  }
}

}  // namespace qgpu::lower
