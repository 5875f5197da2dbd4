// Help in one style: a usage line, aligned options, a worked example, the exit statuses.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/qgpu/verb.h"

namespace qgpu::cli {

// What `qgpu --help` prints.
std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs, const Terminal& terminal);
// What `qgpu VERB --help` prints.
std::string verbHelp(const Verb& verb, const CLI::App& app, const Terminal& terminal);
// The same options as CLI11 knows them, for `did you mean`: "--entry", "-h".
std::vector<std::string> optionNames(const CLI::App& app);

}  // namespace qgpu::cli
