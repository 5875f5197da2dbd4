// What a model may do faster than by the stock formulas, each with a switch.
//
//   Shortcuts shortcuts;                       // all
//   shortcuts.lift_mlps = false;
//   auto none = shortcutsWithout({"all"});     // Expected<Shortcuts>
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/base/failure.h"

namespace qgpu::model {

// What may be done faster than by the stock formulas on compressed weights. Each is exact; turning
// one off changes no bit.
struct Shortcuts {
  bool lift_mixers = true;     // memories of bits instead of the delta rule
  bool lift_mlps = true;       // whole-number units instead of SwiGLU
  bool search_rows = true;     // a tree finds the lifted rows that count, instead of summing all
  bool decode_by_sign = true;  // lm_head's largest logit by the signs of the code's dims
  bool batch = true;           // known tokens, kBatch at a time, bit by bit

  static constexpr Shortcuts none() { return {false, false, false, false, false}; }
};

// Every one of them by its name.
struct NamedShortcut {
  std::string_view name;
  bool Shortcuts::* which;
};
inline constexpr std::array<NamedShortcut, 5> kShortcuts = {{
    {"lift-mixers", &Shortcuts::lift_mixers},
    {"lift-mlps", &Shortcuts::lift_mlps},
    {"search-rows", &Shortcuts::search_rows},
    {"decode-by-sign", &Shortcuts::decode_by_sign},
    {"batch", &Shortcuts::batch},
}};
// All but those named; "all" names every one. Refused, with the names there are.
Expected<Shortcuts> shortcutsWithout(std::span<const std::string> names);

}  // namespace qgpu::model
