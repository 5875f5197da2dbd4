#include "tools/api/launch_text.h"

#include <fmt/format.h>

#include <vector>

#include "tools/api/joined.h"

namespace qgpu {
namespace {

using protocol::TokenKind;

// "4", "(4, 2)" or "(4, 2, 1)", as in <<<grid, block>>>.
std::string shapeText(launch::Dim3 d) {
  if (d.z != 1) return fmt::format("({}, {}, {})", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("({}, {})", d.x, d.y) : std::to_string(d.x);
}

}  // namespace

std::string countsText(const TokenCounts& counts) {
  std::vector<std::string> parts;
  for (int k = 0; k < protocol::kTokenKinds; ++k)
    if (const auto n = counts.by_kind[static_cast<std::size_t>(k)]; n != 0)
      parts.push_back(fmt::format("{} {}", protocol::name(static_cast<TokenKind>(k)), n));
  return joined(parts);
}

std::string launchText(const Program& program) {
  return fmt::format("{}<<<{}, {}>>>", program.kernel, shapeText(program.launch.grid),
                     shapeText(program.launch.block));
}

std::string counted(std::int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace qgpu
