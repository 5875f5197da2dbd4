#include "model/launch/shortcuts.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu::model {

Expected<Shortcuts> shortcutsWithout(std::span<const std::string> names) {
  Shortcuts shortcuts;
  for (const std::string& name : names) {
    if (name == "all") {
      shortcuts = Shortcuts::none();
      continue;
    }
    const auto* const found = std::ranges::find(kShortcuts, name, &NamedShortcut::name);
    if (found == kShortcuts.end()) {
      std::string known = "all";
      for (const NamedShortcut& shortcut : kShortcuts) known += fmt::format(", {}", shortcut.name);
      return refuse(fmt::format("'{}' is no shortcut", name), "there are " + known);
    }
    shortcuts.*found->which = false;
  }
  return shortcuts;
}

}  // namespace qgpu::model
