#include "compiler/ptx/special.h"

#include <array>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>

namespace qgpu::ptx {
namespace {

struct SpecialInfo {
  std::string_view name;
  int width;
  bool vector = false;
  int count = 0;  // of a numbered family: %pm0 to %pm7
  std::string_view suffix = {};
};

// In the order of Special.
constexpr SpecialInfo kInfo[] = {
    {"%tid", 32, true},
    {"%ntid", 32, true},
    {"%ctaid", 32, true},
    {"%nctaid", 32, true},
    {"%laneid", 32},
    {"%warpid", 32},
    {"%nwarpid", 32},
    {"%smid", 32},
    {"%nsmid", 32},
    {"%gridid", 64},
    {"%lanemask_eq", 32},
    {"%lanemask_le", 32},
    {"%lanemask_lt", 32},
    {"%lanemask_ge", 32},
    {"%lanemask_gt", 32},
    {"%clock", 32},
    {"%clock_hi", 32},
    {"%clock64", 64},
    {"%globaltimer", 64},
    {"%globaltimer_lo", 32},
    {"%globaltimer_hi", 32},
    {"%dynamic_smem_size", 32},
    {"%total_smem_size", 32},
    {"%aggr_smem_size", 32},
    {"%clusterid", 32, true},
    {"%nclusterid", 32, true},
    {"%cluster_ctaid", 32, true},
    {"%cluster_nctaid", 32, true},
    {"%cluster_ctarank", 32},
    {"%cluster_nctarank", 32},
    {"%is_explicit_cluster", 1},
    {"%current_graph_exec", 64},
    {"%pm", 32, false, 8},
    {"%pm", 64, false, 8, "_64"},
    {"%envreg", 32, false, 32},
    {"%reserved_smem_offset_", 32, false, 5},
};
static_assert(std::size(kInfo) == static_cast<std::size_t>(Special::ReservedSmemOffset) + 1);

constexpr std::array<std::string_view, 5> kReserved = {"begin", "end", "cap", "0", "1"};

const SpecialInfo& info(Special special) { return kInfo[static_cast<std::size_t>(special)]; }

std::string nameOf(Special special, int index) {
  const SpecialInfo& found = info(special);
  if (special == Special::ReservedSmemOffset) {
    return fmt::format("{}{}", found.name, kReserved[static_cast<std::size_t>(index)]);
  }
  if (found.count == 0) return std::string(found.name);
  return fmt::format("{}{}{}", found.name, index, found.suffix);
}

using SpecialMap = std::unordered_map<std::string, SpecialRegister>;

SpecialMap makeSpecials() {
  SpecialMap map;
  for (std::size_t i = 0; i < std::size(kInfo); ++i) {
    const auto special = static_cast<Special>(i);
    for (int index = 0; index < std::max(1, kInfo[i].count); ++index) {
      map[nameOf(special, index)] = {special, Component::None, static_cast<std::uint8_t>(index)};
    }
  }
  return map;
}

}  // namespace

std::optional<SpecialRegister> findSpecial(std::string_view name) {
  static const SpecialMap kSpecials = makeSpecials();
  if (!name.starts_with('%')) return std::nullopt;
  const auto found = kSpecials.find(std::string(name));
  if (found == kSpecials.end()) return std::nullopt;
  return found->second;
}

std::string spelling(const SpecialRegister& special) {
  constexpr std::array<std::string_view, 5> kComponents = {"", ".x", ".y", ".z", ".w"};
  return nameOf(special.reg, special.index) +
         std::string(kComponents[static_cast<std::size_t>(special.component)]);
}

bool isVector(Special special) { return info(special).vector; }
int bitWidth(Special special) { return info(special).width; }

bool readableAs(Special special, int width) {
  switch (special) {
    case Special::Tid:
    case Special::Ntid:
    case Special::Ctaid:
    case Special::Nctaid: return width == 16 || width == 32;
    case Special::Gridid: return width == 16 || width == 32 || width == 64;
    default: return width == bitWidth(special);
  }
}

}  // namespace qgpu::ptx
