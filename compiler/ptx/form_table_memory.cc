// Memory, synchronisation, exchange between threads, and control flow. form.h has the notation.
#include "compiler/ptx/form_table.h"

namespace qgpu::ptx {
namespace {

using enum Opcode;

// clang-format off
constexpr FormRow kRows[] = {
    {Ld, "order?:weak space?:memory cache?:ca|cg|cs|lu|cv $hints prefetch? vec? T:mem",
                                          "d:T~* [a] policy"},
    {Ld, "order:volatile space?:global|sharedmem prefetch? vec? T:mem", "d:T~* [a]"},
    {Ld, "order:relaxed|acquire scope:cta|cluster|gpu|sys space?:global|sharedmem $hints prefetch? "
         "vec? T:mem",
                                          "d:T~* [a] policy"},
    {Ld, "mmio! order:relaxed scope:sys space?:global T:mem", "d:T~* [a]"},
    {Ld, "space:global cache?:ca|cg|cs nc! $hints prefetch? vec? T:mem",
                                          "d:T~* [a] policy"},
    {Ldu, "space?:global vec?:v2|v4 T:mem",    "d:T~* [a]"},
    {St, "order?:weak space?:global|local|param|param::func|sharedmem cache?:wb|cg|cs|wt $hints "
         "vec? T:mem",
                                          "[a] b:T~* policy"},
    {St, "order:volatile space?:global|sharedmem vec? T:mem", "[a] b:T~*"},
    {St, "order:relaxed|release scope:cta|cluster|gpu|sys space?:global|sharedmem $hints "
         "vec? T:mem",
                                          "[a] b:T~* policy"},
    {St, "mmio! order:relaxed scope:sys space?:global T:mem", "[a] b:T~*"},
    {Prefetch, "space?:global|local level:L1|L2", "[a]"},
    {Prefetch, "space:global L2:L2::evict_last|L2::evict_normal", "[a]"},
    {Prefetchu, "level:L1",               "[a]"},

    {Atom, "$atom op:add L2::cache_hint T:int32|u64|f32|f64",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:add noftz! L2::cache_hint T:f16|f16x2|bf16|bf16x2",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:inc|dec L2::cache_hint T:u32",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:min|max L2::cache_hint T:int32|int64",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:and|or|xor L2::cache_hint T:b32|b64",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:exch L2::cache_hint T:b32|b64|b128",
                                          "d:T_ [a] b:T policy"},
    {Atom, "$atom op:cas T:bits|b128",
                                          "d:T_ [a] b:T c:T"},
    {Atom, "$atomglobal op:add L2::cache_hint vec:v2|v4 T:f32", "d:T*_ [a] b:T* policy"},
    {Atom, "$atomglobal op:add|min|max noftz! L2::cache_hint vec:v2|v4|v8 T:f16|bf16",
                                          "d:T*_ [a] b:T* policy"},
    {Atom, "$atomglobal op:add|min|max noftz! L2::cache_hint vec:v2|v4 T:f16x2|bf16x2",
                                          "d:T*_ [a] b:T* policy"},
    {Red, "$red op:add L2::cache_hint T:int32|u64|f32|f64",
                                          "[a] b:T policy"},
    {Red, "$red op:add noftz! L2::cache_hint T:f16|f16x2|bf16|bf16x2",
                                          "[a] b:T policy"},
    {Red, "$red op:inc|dec L2::cache_hint T:u32",
                                          "[a] b:T policy"},
    {Red, "$red op:min|max L2::cache_hint T:int32|int64",
                                          "[a] b:T policy"},
    {Red, "$red op:and|or|xor L2::cache_hint T:b32|b64",
                                          "[a] b:T policy"},
    {Red, "$redglobal op:add L2::cache_hint vec:v2|v4 T:f32", "[a] b:T* policy"},
    {Red, "$redglobal op:add|min|max noftz! L2::cache_hint vec:v2|v4|v8 T:f16|bf16",
                                          "[a] b:T* policy"},
    {Red, "$redglobal op:add|min|max noftz! L2::cache_hint vec:v2|v4 T:f16x2|bf16x2",
                                          "[a] b:T* policy"},
    {Membar, "scope:cta|gl|sys",          ""},
    {Fence, "order?:sc|acq_rel|acquire|release scope:cta|cluster|gpu|sys", ""},

    {Bar, "^cta ^bar:sync",                "a:u32<0..15> b:u32?"},
    {Bar, "^cta ^bar:arrive",              "a:u32<0..15> b:u32"},
    {Bar, "^cta ^bar:red op:popc T:u32",   "d:T a:u32<0..15> c:pred"},
    {Bar, "^cta ^bar:red op:popc T:u32",   "d:T a:u32<0..15> b:u32 c:pred"},
    {Bar, "^cta ^bar:red op:and|or T:pred", "d:T a:u32<0..15> c:pred"},
    {Bar, "^cta ^bar:red op:and|or T:pred", "d:T a:u32<0..15> b:u32 c:pred"},
    {Bar, "^bar:warp sync!",              "a:u32"},
    {Barrier, "^cta ^bar:sync aligned",    "a:u32<0..15> b:u32?"},
    {Barrier, "^cta ^bar:arrive aligned",  "a:u32<0..15> b:u32"},
    {Barrier, "^cta ^bar:red aligned op:popc T:u32",    "d:T a:u32<0..15> c:pred"},
    {Barrier, "^cta ^bar:red aligned op:popc T:u32",    "d:T a:u32<0..15> b:u32 c:pred"},
    {Barrier, "^cta ^bar:red aligned op:and|or T:pred", "d:T a:u32<0..15> c:pred"},
    {Barrier, "^cta ^bar:red aligned op:and|or T:pred", "d:T a:u32<0..15> b:u32 c:pred"},

    {Shfl, "sync! shfl:up|down|bfly|idx T:b32", "d|p:T a:T b:u32 c:u32 e:u32"},
    {Shfl, "shfl:up|down|bfly|idx T:b32", "d|p:T a:T b:u32 c:u32"},
    {Vote, "sync! vote:all|any|uni T:pred", "d:T a:pred b:u32"},
    {Vote, "sync! vote:ballot T:b32",     "d:T a:pred b:u32"},
    {Vote, "vote:all|any|uni T:pred",     "d:T a:pred"},
    {Vote, "vote:ballot T:b32",           "d:T a:pred"},
    {Match, "vote:any sync! T:b32|b64",   "d:u32 a:T b:u32"},
    {Match, "vote:all sync! T:b32|b64",   "d|p:u32_ a:T b:u32"},
    {Activemask, "T:b32",                 "d:T"},
    {Redux, "sync! op:add|min|max T:int32", "d:T a:T b:u32"},
    {Redux, "sync! op:and|or|xor T:b32",  "d:u32 a:u32 b:u32"},
    {Redux, "sync! op:min|max abs NaN T:f32", "d:T a:T b:u32"},

    {Bra, "uni",                          "@label"},
    {Brx, "^idx! uni",                    "a:u32 @table"},
    {Call, "uni",                         ""},
    {Ret, "uni",                          ""},
    {Exit, "",                            ""},
    {Trap, "",                            ""},
    {Brkpt, "",                           ""},
    {Pmevent, "",                         "a:u32#<0..15>"},
    {Nanosleep, "T:u32",                  "a:T"},
};
// clang-format on

}  // namespace

std::span<const FormRow> memoryRows() { return kRows; }

}  // namespace qgpu::ptx
