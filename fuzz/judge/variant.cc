#include "fuzz/judge/variant.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace qgpu::fuzz {
namespace {

struct Switch {
  std::string_view name;
  bool lower::Options::* member;
};
constexpr std::array kSwitches = {
    Switch{"simplify", &lower::Options::simplify},
    Switch{"thread_jumps", &lower::Options::thread_jumps},
    Switch{"if_convert", &lower::Options::if_convert},
    Switch{"guard_exits", &lower::Options::guard_exits},
    Switch{"combine", &lower::Options::combine},
    Switch{"fuse_memory", &lower::Options::fuse_memory},
    Switch{"forward", &lower::Options::forward},
    Switch{"rematerialise", &lower::Options::rematerialise},
    Switch{"spill", &lower::Options::spill},
};
static_assert(kSwitches.size() + 6 == kVariants);

constexpr int kFewRegisters = 3;

}  // namespace

Variant usualVariant() { return {"as usual", 1, {}}; }

Variant variantOf(std::uint64_t number) {
  const std::uint64_t n = number % kVariants;
  if (n == 0) return {"clang's level 0", 0, {}};
  if (n == 1) return {"clang's level 2", 2, {}};
  if (n == 2) return {"without optimisations", 1, lower::Options::none()};
  if (n == 3) return {"without any optimisation", 0, lower::Options::none()};
  if (n == 4) return {"clang's level 3", 3, {}};
  Variant variant{"", 1, {}};
  if (n == 5) {
    variant.options.registers = kFewRegisters;
    variant.name = fmt::format("with {} registers", kFewRegisters);
    return variant;
  }
  const Switch& off = kSwitches[n - 6];
  variant.options.*off.member = false;
  variant.name = "without " + std::string(off.name);
  return variant;
}

}  // namespace qgpu::fuzz
