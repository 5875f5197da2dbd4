#include "compiler/ptx/modifiers.h"

#include <cstddef>
#include <span>

namespace qgpu::ptx {
namespace {

using Text = std::string_view;

// Each table is in the order of its enumeration.
// clang-format off
constexpr Text kTypes[] = {
    "", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
    "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f32x2", "f64", "e4m3x2", "e5m2x2",
    "u16x2", "s16x2", "pred"};
constexpr int kTypeWidths[] = {
    0, 8, 16, 32, 64, 128, 8, 16, 32, 64, 8, 16, 32, 64,
    16, 32, 16, 32, 32, 32, 64, 64, 16, 16,
    32, 32, 1};
constexpr Text kCompares[] = {"", "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                              "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
constexpr Text kBooleans[] = {"", "and", "or", "xor"};
constexpr Text kHalves[] = {"", "lo", "hi", "wide"};
constexpr Text kDirections[] = {"", "l", "r"};
constexpr Text kBounds[] = {"", "wrap", "clamp"};
constexpr Text kRoundings[] = {"", "rn", "rz", "rm", "rp", "rna", "rs", "rni", "rzi", "rmi", "rpi"};
constexpr Text kPrecisions[] = {"", "approx", "full"};
constexpr Text kSpaces[] = {"", "reg", "const", "global", "local", "param", "shared",
                            "param::entry", "param::func", "shared::cta", "shared::cluster"};
constexpr Text kOrders[] = {"", "weak", "relaxed", "acquire", "release", "acq_rel", "sc",
                            "volatile"};
constexpr Text kScopes[] = {"", "cta", "cluster", "gpu", "sys", "gl"};
constexpr Text kCacheOperators[] = {"", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};
constexpr Text kCacheLevels[] = {"", "L1", "L2"};
constexpr Text kL1Evictions[] = {"", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                                 "L1::evict_last", "L1::no_allocate"};
constexpr Text kL2Evictions[] = {"", "L2::evict_normal", "L2::evict_first", "L2::evict_last"};
constexpr Text kPrefetches[] = {"", "L2::64B", "L2::128B", "L2::256B"};
constexpr Text kVectors[] = {"", "v2", "v4", "v8"};
constexpr Text kOperations[] = {"", "and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min",
                                "max", "popc"};
constexpr Text kShuffles[] = {"", "up", "down", "bfly", "idx"};
constexpr Text kVotes[] = {"", "all", "any", "uni", "ballot"};
constexpr Text kPermutes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
constexpr Text kBarriers[] = {"", "sync", "arrive", "red", "warp"};
constexpr Text kFloatClasses[] = {"", "finite", "infinite", "number", "notanumber", "normal",
                                  "subnormal"};
constexpr Text kFlagTexts[] = {"uni", "sync", "aligned", "sat", "ftz", "noftz", "cc", "shiftamt",
                               "to", "nc", "mmio", "L2::cache_hint", "relu", "NaN", "xorsign",
                               "abs", "oob", "satfinite", "idx", "cta", "pack"};
// clang-format on
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::Pred) + 1);
static_assert(std::size(kTypes) == std::size(kTypeWidths));
static_assert(std::size(kCompares) == static_cast<std::size_t>(Compare::Nan) + 1);
static_assert(std::size(kSpaces) == static_cast<std::size_t>(Space::SharedCluster) + 1);
static_assert(std::size(kFlagTexts) == kFlags);

template <typename Enum>
constexpr Text at(std::span<const Text> texts, Enum value) {
  return texts[static_cast<std::size_t>(value)];
}

}  // namespace

int bitWidth(Type type) { return kTypeWidths[static_cast<std::size_t>(type)]; }

std::string_view spelling(Type v) { return at(kTypes, v); }
std::string_view spelling(Compare v) { return at(kCompares, v); }
std::string_view spelling(Boolean v) { return at(kBooleans, v); }
std::string_view spelling(Half v) { return at(kHalves, v); }
std::string_view spelling(Direction v) { return at(kDirections, v); }
std::string_view spelling(Bound v) { return at(kBounds, v); }
std::string_view spelling(Rounding v) { return at(kRoundings, v); }
std::string_view spelling(Precision v) { return at(kPrecisions, v); }
std::string_view spelling(Space v) { return at(kSpaces, v); }
std::string_view spelling(Order v) { return at(kOrders, v); }
std::string_view spelling(Scope v) { return at(kScopes, v); }
std::string_view spelling(CacheOperator v) { return at(kCacheOperators, v); }
std::string_view spelling(CacheLevel v) { return at(kCacheLevels, v); }
std::string_view spelling(L1Eviction v) { return at(kL1Evictions, v); }
std::string_view spelling(L2Eviction v) { return at(kL2Evictions, v); }
std::string_view spelling(Prefetch v) { return at(kPrefetches, v); }
std::string_view spelling(Vector v) { return at(kVectors, v); }
std::string_view spelling(Operation v) { return at(kOperations, v); }
std::string_view spelling(Shuffle v) { return at(kShuffles, v); }
std::string_view spelling(Vote v) { return at(kVotes, v); }
std::string_view spelling(Permute v) { return at(kPermutes, v); }
std::string_view spelling(Barrier v) { return at(kBarriers, v); }
std::string_view spelling(FloatClass v) { return at(kFloatClasses, v); }
std::string_view spelling(Flag v) { return at(kFlagTexts, v); }

}  // namespace qgpu::ptx
