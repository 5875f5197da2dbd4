// Floating point: recognised so that a machine without it can refuse by name. form.h has the
// notation.
#include "compiler/ptx/form_table.h"

namespace qgpu::ptx {
namespace {

using enum Opcode;

// clang-format off
constexpr FormRow kRows[] = {
    {Add, "round?:rn|rz|rm|rp ftz sat T:f32",  "d:T a:T b:T"},
    {Add, "round?:rn|rz|rm|rp T:f64",          "d:T a:T b:T"},
    {Add, "round?:rn|rz|rm|rp ftz T:f32x2",    "d:T a:T b:T"},
    {Add, "round?:rn ftz sat T:f16|f16x2",     "d:T a:T b:T"},
    {Add, "round?:rn T:bf16|bf16x2",           "d:T a:T b:T"},
    {Sub, "round?:rn|rz|rm|rp ftz sat T:f32",  "d:T a:T b:T"},
    {Sub, "round?:rn|rz|rm|rp T:f64",          "d:T a:T b:T"},
    {Sub, "round?:rn|rz|rm|rp ftz T:f32x2",    "d:T a:T b:T"},
    {Sub, "round?:rn ftz sat T:f16|f16x2",     "d:T a:T b:T"},
    {Sub, "round?:rn T:bf16|bf16x2",           "d:T a:T b:T"},
    {Mul, "round?:rn|rz|rm|rp ftz sat T:f32",  "d:T a:T b:T"},
    {Mul, "round?:rn|rz|rm|rp T:f64",          "d:T a:T b:T"},
    {Mul, "round?:rn|rz|rm|rp ftz T:f32x2",    "d:T a:T b:T"},
    {Mul, "round?:rn ftz sat T:f16|f16x2",     "d:T a:T b:T"},
    {Mul, "round?:rn T:bf16|bf16x2",           "d:T a:T b:T"},
    {Mad, "round?:rn|rz|rm|rp ftz sat T:f32",  "d:T a:T b:T c:T"},
    {Mad, "round?:rn|rz|rm|rp T:f64",          "d:T a:T b:T c:T"},
    {Fma, "round:rn|rz|rm|rp ftz sat T:f32",   "d:T a:T b:T c:T"},
    {Fma, "round:rn|rz|rm|rp T:f64",           "d:T a:T b:T c:T"},
    {Fma, "round:rn|rz|rm|rp ftz T:f32x2",     "d:T a:T b:T c:T"},
    {Fma, "round:rn ftz sat T:f16|f16x2",      "d:T a:T b:T c:T"},
    {Fma, "round:rn ftz relu! T:f16|f16x2",    "d:T a:T b:T c:T"},
    {Fma, "round:rn relu T:bf16|bf16x2",       "d:T a:T b:T c:T"},
    {Fma, "round:rn oob! relu T:f16|f16x2|bf16|bf16x2", "d:T a:T b:T c:T"},
    {Div, "prec?:approx|full ftz T:f32",       "d:T a:T b:T"},
    {Div, "round:rn|rz|rm|rp ftz T:f32",       "d:T a:T b:T"},
    {Div, "round?:rn|rz|rm|rp T:f64",          "d:T a:T b:T"},
    {Abs, "ftz T:f32|f16|f16x2",               "d:T a:T"},
    {Abs, "T:f64|bf16|bf16x2",                 "d:T a:T"},
    {Neg, "ftz T:f32|f16|f16x2",               "d:T a:T"},
    {Neg, "T:f64|bf16|bf16x2",                 "d:T a:T"},
    {Min, "ftz NaN xorsign abs T:f32",         "d:T a:T b:T"},
    {Min, "T:f64",                             "d:T a:T b:T"},
    {Min, "ftz NaN xorsign abs T:f16|f16x2",   "d:T a:T b:T"},
    {Min, "NaN xorsign abs T:bf16|bf16x2",     "d:T a:T b:T"},
    {Max, "ftz NaN xorsign abs T:f32",         "d:T a:T b:T"},
    {Max, "T:f64",                             "d:T a:T b:T"},
    {Max, "ftz NaN xorsign abs T:f16|f16x2",   "d:T a:T b:T"},
    {Max, "NaN xorsign abs T:bf16|bf16x2",     "d:T a:T b:T"},
    {Rcp, "prec?:approx ftz T:f32",            "d:T a:T"},
    {Rcp, "round:rn|rz|rm|rp ftz T:f32",       "d:T a:T"},
    {Rcp, "round?:rn|rz|rm|rp T:f64",          "d:T a:T"},
    {Rcp, "prec:approx ftz! T:f64",            "d:T a:T"},
    {Sqrt, "prec?:approx ftz T:f32",           "d:T a:T"},
    {Sqrt, "round:rn|rz|rm|rp ftz T:f32",      "d:T a:T"},
    {Sqrt, "round?:rn|rz|rm|rp T:f64",         "d:T a:T"},
    {Rsqrt, "prec?:approx ftz T:f32|f64",      "d:T a:T"},
    {Sin, "prec?:approx ftz T:f32",            "d:T a:T"},
    {Cos, "prec?:approx ftz T:f32",            "d:T a:T"},
    {Lg2, "prec?:approx ftz T:f32",            "d:T a:T"},
    {Ex2, "prec?:approx ftz T:f32",            "d:T a:T"},
    {Ex2, "prec:approx T:f16|f16x2",           "d:T a:T"},
    {Ex2, "prec:approx ftz! T:bf16|bf16x2",    "d:T a:T"},
    {Tanh, "prec:approx T:f32|f16|f16x2|bf16|bf16x2", "d:T a:T"},
    {Copysign, "T:f32|f64",                    "d:T a:T b:T"},
    {Testp, "class:finite|infinite|number|notanumber|normal|subnormal T:f32|f64", "d:pred a:T"},

    {Set, "cmp:float bool? ftz T:int32|f32 S:f32",        "d:T a:S b:S tail"},
    {Set, "cmp:float bool? T:int32|f32 S:f64",            "d:T a:S b:S tail"},
    {Set, "cmp:float bool? ftz T:u16|s16|int32|f16 S:f16", "d:T a:S b:S tail"},
    {Set, "cmp:float bool? T:u16|s16|int32|bf16 S:bf16",  "d:T a:S b:S tail"},
    {Set, "cmp:float bool? ftz T:int32|f16x2 S:f16x2",    "d:T a:S b:S tail"},
    {Set, "cmp:float bool? T:int32|bf16x2 S:bf16x2",      "d:T a:S b:S tail"},
    {Setp, "cmp:float bool? ftz T:f32|f16",               "d|p:pred a:T b:T tail"},
    {Setp, "cmp:float bool? T:f64|bf16",                  "d|p:pred a:T b:T tail"},
    {Setp, "cmp:float bool? ftz T:f16x2",                 "d|p:pred a:T b:T tail"},
    {Setp, "cmp:float bool? T:bf16x2",                    "d|p:pred a:T b:T tail"},
    {Slct, "ftz T:bits|int|f32|f64 S:f32",                "d:T a:T b:T c:S"},

    {Cvt, "round:rni|rzi|rmi|rpi ftz sat T:int8|int S:f16|f32|f64|bf16", "d:T~ a:S~"},
    {Cvt, "round:rn|rz|rm|rp sat T:f16|f32|f64|bf16 S:int8|int",         "d:T~ a:S~"},
    {Cvt, "round?:rn|rz|rm|rp|rni|rzi|rmi|rpi ftz relu sat T:f16|f32|f64|bf16 S:f16|f32|f64|bf16",
                                                          "d:T~ a:S~"},
    {Cvt, "round:rn|rz ftz relu satfinite T:f16x2|bf16x2 S:f32", "d:T a:S b:S"},
    {Cvt, "round:rna|rn|rz relu satfinite T:tf32 S:f32",   "d:b32 a:S"},
    {Cvt, "round:rn satfinite! relu T:e4m3x2|e5m2x2 S:f32", "d:b16 a:S b:S"},
    {Cvt, "round:rn satfinite! relu T:e4m3x2|e5m2x2 S:f16x2", "d:b16 a:S"},
    {Cvt, "round:rn relu T:f16x2 S:e4m3x2|e5m2x2",         "d:T a:b16"},
};
// clang-format on

}  // namespace

std::span<const FormRow> floatRows() { return kRows; }

}  // namespace qgpu::ptx
