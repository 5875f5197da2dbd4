// The typed modifiers of PTX instructions: `.lo`, `.wrap`, `.global`, `.relaxed`, `.v2` ...
//
// One enumeration per kind of modifier. In each, value 0 means "not written"; what PTX then assumes
// (weak, generic, round to nearest ...) is said beside the enumeration. `spelling(value)` is the
// text without its leading dot, "" for None.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qgpu::ptx {

// clang-format off
// The fundamental types, PTX ISA section "Types". Packed and narrow float types are known so that
// an instruction with them can be refused by name.
enum class Type : std::uint8_t {
  None,
  B8, B16, B32, B64, B128,
  U8, U16, U32, U64,
  S8, S16, S32, S64,
  F16, F16x2, BF16, BF16x2, TF32, F32, F32x2, F64, E4M3x2, E5M2x2,
  U16x2, S16x2,
  Pred,
};

// Relations of setp and set. Lo, Ls, Hi, Hs are the unsigned lt, le, gt, ge. A float relation with
// a trailing u also holds when an operand is NaN; Num and Nan test for NaN.
enum class Compare : std::uint8_t {
  None, Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan,
};

// State spaces. None is the generic space where an instruction could have named one. The last four
// are `.param::entry`, `.param::func`, `.shared::cta`, `.shared::cluster`.
enum class Space : std::uint8_t {
  None, Reg, Const, Global, Local, Param, Shared,
  ParamEntry, ParamFunction, SharedCta, SharedCluster,
};
// clang-format on

// The tail of setp, set and lop3: result = (relation) op c.
enum class Boolean : std::uint8_t { None, And, Or, Xor };

// Which part of a product mul, mad, mul24, mad24 and dp2a use.
enum class Half : std::uint8_t { None, Lo, Hi, Wide };

enum class Direction : std::uint8_t { None, Left, Right };  // shf

// What a shift amount or a position past the width does: saturate, or count modulo the width.
enum class Bound : std::uint8_t { None, Wrap, Clamp };

// Rn to Rs round to a float, Rni to Rpi to an integral value.
enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rs, Rni, Rzi, Rmi, Rpi };

// How exact a float function is asked to be.
enum class Precision : std::uint8_t { None, Approx, Full };

// Memory order; None is weak for ld and st, relaxed for atom and red. `.volatile` excludes the
// orders, so it is a value here.
enum class Order : std::uint8_t {
  None,
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  Sequential,
  Volatile,
};

// Which threads see an access in order. Gl is membar's older name for Gpu.
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys, Gl };

enum class CacheOperator : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };
enum class CacheLevel : std::uint8_t { None, L1, L2 };  // prefetch

// Hints (`.L1::evict_last`, `.L2::evict_first`, `.L2::128B` ...): they never change a value.
enum class L1Eviction : std::uint8_t { None, Normal, Unchanged, First, Last, NoAllocate };
enum class L2Eviction : std::uint8_t { None, Normal, First, Last };
enum class Prefetch : std::uint8_t { None, Bytes64, Bytes128, Bytes256 };

// Elements moved by one ld, st, mov or atom.
enum class Vector : std::uint8_t { None, V2, V4, V8 };

// The operation of atom, red, redux and of a reducing barrier (And, Or, Popc).
// clang-format off
enum class Operation : std::uint8_t {
  None, And, Or, Xor, Cas, Exch, Add, Inc, Dec, Min, Max, Popc,
};
// clang-format on

enum class Shuffle : std::uint8_t { None, Up, Down, Bfly, Idx };
enum class Vote : std::uint8_t { None, All, Any, Uni, Ballot };  // vote; match has All and Any
enum class Permute : std::uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };  // prmt

// What bar and barrier do; Warp is `bar.warp`.
enum class Barrier : std::uint8_t { None, Sync, Arrive, Reduce, Warp };

// Float classes of testp.
// clang-format off
enum class FloatClass : std::uint8_t {
  None, Finite, Infinite, Number, NotANumber, Normal, Subnormal,
};
// clang-format on

// Modifiers that are just there or not.
enum class Flag : std::uint8_t {
  Uni,           // bra, call, ret, brx: every thread of the warp agrees
  Sync,          // bar.warp, shfl, vote, match, redux
  Aligned,       // barrier
  Saturate,      // .sat
  FlushToZero,   // .ftz
  NoFlush,       // .noftz
  CarryOut,      // .cc
  ShiftAmount,   // bfind.shiftamt
  To,            // cvta.to
  NonCoherent,   // ld.global.nc
  Mmio,          // ld.mmio, st.mmio
  CacheHint,     // .L2::cache_hint, with a 64-bit policy as last operand
  Relu,          // .relu
  PropagateNan,  // .NaN
  XorSign,       // .xorsign
  Absolute,      // .abs
  OutOfBounds,   // .oob
  SatFinite,     // .satfinite
  Index,         // brx.idx
  Cta,           // bar.cta, barrier.cta
  Pack,          // cvt.pack
};
inline constexpr int kFlags = 21;

class Flags {
 public:
  constexpr bool has(Flag flag) const { return (bits_ >> static_cast<unsigned>(flag) & 1u) != 0; }
  constexpr void set(Flag flag) { bits_ |= 1u << static_cast<unsigned>(flag); }
  constexpr std::uint32_t bits() const { return bits_; }
  friend constexpr bool operator==(Flags, Flags) = default;

 private:
  std::uint32_t bits_ = 0;
};

constexpr bool isBits(Type t) { return t >= Type::B8 && t <= Type::B128; }
constexpr bool isUnsigned(Type t) { return t >= Type::U8 && t <= Type::U64; }
constexpr bool isSigned(Type t) { return t >= Type::S8 && t <= Type::S64; }
constexpr bool isInteger(Type t) { return isUnsigned(t) || isSigned(t); }
constexpr bool isFloat(Type t) { return t >= Type::F16 && t <= Type::E5M2x2; }
// Width in bits; 1 for pred, 0 for None.
int bitWidth(Type type);
constexpr int elements(Vector v) {
  constexpr std::array<int, 4> kElements = {1, 2, 4, 8};
  return kElements[static_cast<unsigned>(v)];
}

std::string_view spelling(Type);
std::string_view spelling(Compare);
std::string_view spelling(Boolean);
std::string_view spelling(Half);
std::string_view spelling(Direction);
std::string_view spelling(Bound);
std::string_view spelling(Rounding);
std::string_view spelling(Precision);
std::string_view spelling(Space);
std::string_view spelling(Order);
std::string_view spelling(Scope);
std::string_view spelling(CacheOperator);
std::string_view spelling(CacheLevel);
std::string_view spelling(L1Eviction);
std::string_view spelling(L2Eviction);
std::string_view spelling(Prefetch);
std::string_view spelling(Vector);
std::string_view spelling(Operation);
std::string_view spelling(Shuffle);
std::string_view spelling(Vote);
std::string_view spelling(Permute);
std::string_view spelling(Barrier);
std::string_view spelling(FloatClass);
std::string_view spelling(Flag);

}  // namespace qgpu::ptx
