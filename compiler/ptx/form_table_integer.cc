// Integer arithmetic, comparison, logic, and data movement between registers. form.h has the
// notation.
#include "compiler/ptx/form_table.h"

namespace qgpu::ptx {
namespace {

using enum Opcode;

// clang-format off
constexpr FormRow kRows[] = {
    {Add, "T:int",                        "d:T a:T b:T"},
    {Add, "sat! T:s32",                   "d:T a:T b:T"},
    {Add, "cc! T:int32|int64",            "d:T a:T b:T"},
    {Add, "T:u16x2|s16x2",                "d:T a:T b:T"},
    {Addc, "T:int",                    "d:T a:T b:T"},
    {Addc, "cc! T:int32|int64",           "d:T a:T b:T"},
    {Sub, "T:int",                        "d:T a:T b:T"},
    {Sub, "sat! T:s32",                   "d:T a:T b:T"},
    {Sub, "cc! T:int32|int64",            "d:T a:T b:T"},
    {Subc, "T:int",                    "d:T a:T b:T"},
    {Subc, "cc! T:int32|int64",           "d:T a:T b:T"},
    {Mul, "^half:lo|hi T:int",            "d:T a:T b:T"},
    {Mul, "^half:wide T:int16|int32",     "d:TT a:T b:T"},
    {Mad, "^half:lo|hi T:int",            "d:T a:T b:T c:T"},
    {Mad, "^half:wide T:int16|int32",     "d:TT a:T b:T c:TT"},
    {Mad, "^half:hi sat! T:s32",          "d:T a:T b:T c:T"},
    {Mad, "^half:lo|hi cc! T:int32|int64", "d:T a:T b:T c:T"},
    {Madc, "^half:lo|hi T:int",        "d:T a:T b:T c:T"},
    {Madc, "^half:lo|hi cc! T:int32|int64", "d:T a:T b:T c:T"},
    {Mul24, "^half:lo|hi T:int32",        "d:T a:T b:T"},
    {Mad24, "^half:lo|hi T:int32",        "d:T a:T b:T c:T"},
    {Mad24, "^half:hi sat! T:s32",        "d:T a:T b:T c:T"},
    {Sad, "T:int",                        "d:T a:T b:T c:T"},
    {Div, "T:int",                        "d:T a:T b:T"},
    {Rem, "T:int",                        "d:T a:T b:T"},
    {Abs, "T:sint",                       "d:T a:T"},
    {Neg, "T:sint",                       "d:T a:T"},
    {Min, "T:int|u16x2|s16x2",            "d:T a:T b:T"},
    {Min, "relu! T:s32|s16x2",            "d:T a:T b:T"},
    {Max, "T:int|u16x2|s16x2",            "d:T a:T b:T"},
    {Max, "relu! T:s32|s16x2",            "d:T a:T b:T"},
    {Popc, "T:b32|b64",                   "d:u32 a:T"},
    {Clz, "T:b32|b64",                    "d:u32 a:T"},
    {Bfind, "shiftamt T:int32|int64",     "d:u32 a:T"},
    {Fns, "T:b32",                        "d:T a:T b:T c:s32"},
    {Brev, "T:b32|b64",                   "d:T a:T"},
    {Bfe, "T:int32|int64",                "d:T a:T b:u32<0..255> c:u32<0..255>"},
    {Bfi, "T:b32|b64",                    "d:T a:T b:T c:u32<0..255> e:u32<0..255>"},
    {Szext, "bound:wrap|clamp T:int32",   "d:T a:T b:u32"},
    {Bmsk, "bound:wrap|clamp T:b32",      "d:T a:T b:u32"},
    {Dp4a, "T:int32 S:int32",             "d:T a:u32 b:u32 c:T"},
    {Dp2a, "^half:lo|hi T:int32 S:int32", "d:T a:u32 b:u32 c:T"},

    {Set, "cmp:eq|ne bool? T:int32|f32 S:bits",                     "d:T a:S b:S tail"},
    {Set, "cmp:eq|ne|lt|le|gt|ge bool? T:int32|f32 S:sint",         "d:T a:S b:S tail"},
    {Set, "cmp:unsigned bool? T:int32|f32 S:uint",                  "d:T a:S b:S tail"},
    {Setp, "cmp:eq|ne bool? T:bits",                                "d|p:pred a:T b:T tail"},
    {Setp, "cmp:eq|ne|lt|le|gt|ge bool? T:sint",                    "d|p:pred a:T b:T tail"},
    {Setp, "cmp:unsigned bool? T:uint",                             "d|p:pred a:T b:T tail"},
    {Selp, "T:bits|int|f32|f64",                                    "d:T a:T b:T c:pred"},
    {Slct, "T:bits|int|f32|f64 S:s32",                              "d:T a:T b:T c:S"},

    {And, "T:pred|bits",                  "d:T a:T b:T"},
    {Or, "T:pred|bits",                   "d:T a:T b:T"},
    {Xor, "T:pred|bits",                  "d:T a:T b:T"},
    {Not, "T:pred|bits",                  "d:T a:T"},
    {Cnot, "T:bits",                      "d:T a:T"},
    {Lop3, "T:b32",                       "d:T a:T b:T c:T e:u32#"},
    {Lop3, "bool:and|or T:b32",           "d|p!:T_ a:T b:T c:T e:u32# tail"},
    {Shf, "^dir:l|r bound:wrap|clamp T:b32", "d:T a:T b:T c:u32"},
    {Shl, "T:bits",                       "d:T a:T b:u32"},
    {Shr, "T:bits|int",                   "d:T a:T b:u32"},

    {Mov, "T:pred|bits|b128|int|f32|f64", "d:T a:T$&"},
    {Mov, "T:bits|b128",                  "{d}:T a:T$&"},
    {Mov, "T:bits|b128",                  "d:T {a}:T"},
    {Mov, "vec:v2|v4 T:bits|int|f32|f64", "d:T* a:T$*"},
    {Prmt, "T:b32 perm?:f4e|b4e|rc8|ecl|ecr|rc16", "d:T a:T b:T c:u32"},
    {Cvta, "space:window T:u32|u64",
                                          "d:T a:T&"},
    {Cvta, "^to! space:window T:u32|u64",
                                          "d:T a:T"},
    {Isspacep, "space:window",
                                          "d:pred a:any"},
    {Cvt, "sat T:int8|int S:int8|int",    "d:T~ a:S~$"},
    {Cvt, "^pack! sat! T:int16 S:s32",    "d:u32 a:S b:S"},
    {Cvt, "^pack! sat! T:int8 S:s32 U:b32", "d:u32 a:S b:S c:U"},
};
// clang-format on

}  // namespace

std::span<const FormRow> integerRows() { return kRows; }

}  // namespace qgpu::ptx
