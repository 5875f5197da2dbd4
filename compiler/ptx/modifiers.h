// The typed modifiers of PTX instructions: `.lo`, `.wrap`, `.global`, `.relaxed`, `.v2` ...
//
// One enumeration per kind of modifier. In each, value 0 means "not written"; what PTX then assumes
// (weak, generic, round to nearest ...) is the reader's business and said beside the enumeration.
// The spelling of a value is `spelling(value)`; it has no leading dot.
#pragma once

#include <cstdint>
#include <string_view>

namespace qgpu::ptx {

// The fundamental types, PTX ISA section "Types". The packed and the narrow float types are known
// so that an instruction with them can be refused by name.
enum class Type : std::uint8_t {
  None,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  U16x2,
  S16x2,
  U8x4,
  S8x4,
  E4M3x2,
  E5M2x2,
  E2M1x2,
  E2M3x2,
  E3M2x2,
  UE8M0x2,
  Pred,
};

// Relations of setp and set. Lo, Ls, Hi, Hs are the unsigned lt, le, gt, ge. A float relation with
// a trailing u also holds when an operand is NaN; Num and Nan test for NaN.
enum class Compare : std::uint8_t {
  None,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

// The tail of setp, set and lop3: result = (relation) op c.
enum class Boolean : std::uint8_t { None, And, Or, Xor };

// Which part of a product mul, mad, mul24, mad24 and dp2a use.
enum class Half : std::uint8_t { None, Lo, Hi, Wide };

enum class Direction : std::uint8_t { None, Left, Right };  // shf
// What a shift amount or a position past the width does: saturate, or count modulo the width.
enum class Bound : std::uint8_t { None, Wrap, Clamp };

// Rn to Rs round a float, Rni to Rpi round to an integral value.
enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rs, Rni, Rzi, Rmi, Rpi };
// How exact a float function is asked to be.
enum class Precision : std::uint8_t { None, Approx, Full };

// State spaces. None is the generic space where an instruction could have named one.
// ParamEntry and ParamFunction are `.param::entry` and `.param::func`; SharedCta and SharedCluster
// likewise.
enum class Space : std::uint8_t {
  None,
  Reg,
  Const,
  Global,
  Local,
  Param,
  ParamEntry,
  ParamFunction,
  Shared,
  SharedCta,
  SharedCluster,
};

// Memory order; None is weak for ld and st, relaxed for atom and red. `.volatile` and `.mmio` are
// grammatically alternatives to the orders, so they are values here.
enum class Order : std::uint8_t {
  None,
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  Sequential,
  Volatile,
  Mmio
};
// Who sees an access in order. Gl is membar's older name for Gpu.
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys, Gl };

enum class CacheOperator : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };
// Hints with a level (`.L1::evict_last`, `.L2::cache_hint`, `.L2::128B` ...): never change a value.
enum class Eviction : std::uint8_t {
  None,
  EvictNormal,
  EvictUnchanged,
  EvictFirst,
  EvictLast,
  NoAllocate
};
enum class L2Eviction : std::uint8_t { None, EvictNormal, EvictFirst, EvictLast };
enum class Prefetch : std::uint8_t { None, Bytes64, Bytes128, Bytes256 };

// Elements moved by one ld, st or mov.
enum class Vector : std::uint8_t { None, V2, V4, V8 };

// The operation of atom, red, redux and of a reducing barrier (And, Or, Popc).
enum class Operation : std::uint8_t {
  None,
  And,
  Or,
  Xor,
  Cas,
  Exch,
  Add,
  Inc,
  Dec,
  Min,
  Max,
  Popc
};

enum class Shuffle : std::uint8_t { None, Up, Down, Bfly, Idx };
// vote (All, Any, Uni, Ballot) and match (Any, All).
enum class Vote : std::uint8_t { None, All, Any, Uni, Ballot };
enum class Permute : std::uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
// What bar and barrier do; Warp is `bar.warp.sync`.
enum class Barrier : std::uint8_t { None, Sync, Arrive, Reduce, Warp };
// Float classes of testp.
enum class FloatClass : std::uint8_t {
  None,
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

// Modifiers that are just there or not.
enum class Flag : std::uint8_t {
  Uni,           // bra, call, ret, brx: every thread of the warp agrees
  Sync,          // shfl, vote, match, redux, elect
  Aligned,       // barrier
  Saturate,      // .sat
  FlushToZero,   // .ftz
  NoFlush,       // .noftz
  CarryOut,      // .cc
  ShiftAmount,   // bfind.shiftamt
  To,            // cvta.to
  NonCoherent,   // ld.global.nc
  CacheHint,     // .L2::cache_hint, with a 64-bit policy as last operand
  Relu,          // .relu
  PropagateNan,  // .NaN
  XorSign,       // .xorsign
  Absolute,      // .abs
  OutOfBounds,   // .oob
  Idx,           // brx.idx
  Cta,           // bar.cta, barrier.cta
  Unified,       // .unified after an address
};

class Flags {
 public:
  constexpr bool has(Flag flag) const { return (bits_ >> static_cast<unsigned>(flag) & 1u) != 0; }
  constexpr void set(Flag flag) { bits_ |= 1u << static_cast<unsigned>(flag); }
  friend constexpr bool operator==(Flags, Flags) = default;

 private:
  std::uint32_t bits_ = 0;
};

// What a type means, without a switch at every use.
constexpr bool isBits(Type t) { return t >= Type::B8 && t <= Type::B128; }
constexpr bool isUnsigned(Type t) { return t >= Type::U8 && t <= Type::U64; }
constexpr bool isSigned(Type t) { return t >= Type::S8 && t <= Type::S64; }
constexpr bool isInteger(Type t) { return isUnsigned(t) || isSigned(t); }
constexpr bool isFloat(Type t) { return t >= Type::F16 && t <= Type::F64; }
// Width in bits: 1 for pred, 0 for None.
int bitWidth(Type type);
// Size in memory; 0 for None and pred, which have none.
constexpr int elements(Vector v) {
  return v == Vector::None ? 1 : v == Vector::V2 ? 2 : v == Vector::V4 ? 4 : 8;
}

// Spelling without the dot: "u32", "lt", "wrap", "global" ... ; "" for None.
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
std::string_view spelling(Eviction);
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
