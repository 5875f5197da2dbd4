#include "fuzz/ledger_command.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "fuzz/ledger.h"
#include "fuzz/report.h"

namespace qgpu::fuzz {
namespace {

Expected<void> importAll(Ledger& into, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    auto ledger = Ledger::open(file, Database::Access::Read);
    if (!ledger) return fail(std::move(ledger.error()));
    if (auto ok = into.import(*ledger); !ok) return ok;
  }
  return {};
}

}  // namespace

void addOptions(CLI::App& app, ReportOptions& o) {
  app.add_option("ledgers", o.ledgers, "ledgers; what several of them hold counts once")
      ->type_name("LEDGER")
      ->required();
  auto* markdown = app.add_flag("--markdown", o.markdown, "a table for a page");
  app.add_flag("--json", o.json, "one JSON object")->excludes(markdown);
}

void addOptions(CLI::App& app, MergeOptions& o) {
  app.add_option("into", o.into, "the ledger that takes what it has not")
      ->type_name("LEDGER")
      ->required();
  app.add_option("from", o.from, "ledgers that stay as they are")->type_name("LEDGER")->required();
}

Expected<int> report(const ReportOptions& options) {
  auto all = Ledger::open(":memory:");
  if (!all) return fail(std::move(all.error()));
  if (auto ok = importAll(*all, options.ledgers); !ok) return fail(std::move(ok.error()));
  const auto totals = all->totals();
  if (!totals) return fail(totals.error());
  const std::string text = options.json       ? json(*totals).dump() + '\n'
                           : options.markdown ? markdown(*totals)
                                              : table(*totals);
  fmt::print("{}", text);
  return std::ranges::any_of(*totals, [](const Total& t) { return t.findings > 0; }) ? 1 : 0;
}

Expected<int> merge(const MergeOptions& options) {
  auto into = Ledger::open(options.into);
  if (!into) return fail(std::move(into.error()));
  if (auto ok = importAll(*into, options.from); !ok) return fail(std::move(ok.error()));
  return 0;
}

}  // namespace qgpu::fuzz
