// fuzz_launch report and merge: what ledgers say, and one of several.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::fuzz {

struct ReportOptions {
  std::vector<std::string> ledgers;
  bool markdown = false, json = false;
};
struct MergeOptions {
  std::string into;
  std::vector<std::string> from;
};

void addOptions(CLI::App& app, ReportOptions& options);
void addOptions(CLI::App& app, MergeOptions& options);

// The exit status: 1 where a ledger holds mismatches, else 0.
Expected<int> report(const ReportOptions& options);
Expected<int> merge(const MergeOptions& options);

}  // namespace qgpu::fuzz
