#include "compiler/lower/build/address.h"

#include <optional>

namespace qgpu::lower {
namespace {

// Where in the machine's memories a PTX state space lies; nothing for the generic space.
std::optional<isa::Space> spaceOf(const Context& c, ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
    case ptx::Space::SharedCta:
    case ptx::Space::SharedCluster: return isa::Space::Shared;
    case ptx::Space::Local: return c.placement.local_space;
    case ptx::Space::Global:
    case ptx::Space::Const: return isa::Space::Global;
    default: return std::nullopt;
  }
}

}  // namespace

Target targetOf(Context& c, const ptx::Instruction& i, const ptx::Operand& operand) {
  const auto& address = std::get<ptx::Address>(operand.value);
  Target t;
  const auto space = spaceOf(c, i.space);
  t.space = space.value_or(isa::Space::Global);
  t.place.is_generic = !space;
  t.place.is_volatile = i.order != ptx::Order::None && i.order != ptx::Order::Weak;
  Id base = c.b.zero();
  if (const auto* reg = std::get_if<ptx::RegisterId>(&address.base))
    base = c.word({.value = ptx::Register{*reg, false}, .position = operand.position});
  if (const auto* symbol = std::get_if<ptx::SymbolRef>(&address.base))
    base = c.addressOf(*symbol, 0).low;
  t.place.index = c.b.add(base, c.b.constant(static_cast<std::uint32_t>(address.offset)));
  return t;
}

Place shifted(Place place, std::uint32_t bytes) {
  place.offset += static_cast<std::int32_t>(bytes);
  return place;
}

}  // namespace qgpu::lower
