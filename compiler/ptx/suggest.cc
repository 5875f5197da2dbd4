#include "compiler/ptx/suggest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kLongest = 32;

// Edits from a to b: letters inserted, removed, replaced, or two neighbours swapped.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

std::string question(std::string_view dot, std::string_view name) {
  return name.empty() ? "" : fmt::format("did you mean `{}{}`?", dot, name);
}

}  // namespace

std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates) {
  if (text.size() > kLongest) return {};
  std::string_view best;
  std::size_t least = text.size() <= 3 ? 2 : 3;  // edits that are too many
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = distance(text, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

std::string suggestOpcode(std::string_view text) {
  return question("", nearest(text, opcodeNames()));
}

std::string suggestDirective(std::string_view text) {
  static constexpr std::string_view kDirectives[] = {"version",
                                                     "target",
                                                     "address_size",
                                                     "file",
                                                     "section",
                                                     "pragma",
                                                     "extern",
                                                     "visible",
                                                     "weak",
                                                     "common",
                                                     "entry",
                                                     "func",
                                                     "reg",
                                                     "const",
                                                     "global",
                                                     "local",
                                                     "param",
                                                     "shared",
                                                     "loc",
                                                     "maxntid",
                                                     "reqntid",
                                                     "minnctapersm",
                                                     "maxnctapersm",
                                                     "maxnreg",
                                                     "noreturn",
                                                     "branchtargets",
                                                     "calltargets",
                                                     "callprototype",
                                                     "explicitcluster",
                                                     "maxclusterrank",
                                                     "reqnctapercluster"};
  return question(".", nearest(text, kDirectives));
}

std::string suggestModifier(std::string_view text) {
  std::vector<std::string_view> names;
  for (int f = 0; f < kFields; ++f) {
    const auto field = static_cast<Field>(f);
    for (int v = 1; v < valuesOf(field); ++v) {
      names.push_back(spelling(field, static_cast<std::uint8_t>(v)));
    }
  }
  for (int f = 0; f < kFlags; ++f) names.push_back(spelling(static_cast<Flag>(f)));
  return question(".", nearest(text, names));
}

}  // namespace qgpu::ptx
