// The campaign driver: random launches on engines that must agree.
//
//   fuzz_launch --level machine --engine model --count 10000 --jobs 2 --ledger runs.db
//   fuzz_launch report runs.db
//
// Exit status: 0 nothing was found · 1 something was, and its minimal form is written · 2 usage, or
// a file that cannot be read or written · 4 a fault of the program · 130 Ctrl-C, 143 SIGTERM.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <system_error>

#include "fuzz/campaign_command.h"
#include "fuzz/ledger_command.h"
#include "interpreter/base/out_of_memory.h"

namespace qgpu::fuzz {
namespace {

constexpr std::string_view kExample =
    "Example\n"
    "  $ fuzz_launch --level machine --engine model --count 1000\n"
    "  1000 launches, 398312 positions, no difference: 83 s, 12 launches/s, 4798 positions/s\n"
    "\n"
    "A launch is made from its number alone: --seed S --count 1 runs launch S again, on any "
    "machine.\n"
    "With --shard i/n every n-th chunk of numbers is run, from the i-th on; the n shards together\n"
    "are the campaign. What is found is made small and written to DIR/finding-NUMBER.txt.\n"
    "With --ledger a campaign that was ended or killed goes on when it is started again.\n"
    "\n"
    "Exit status: 0 no difference, 1 differences, 2 refused, 4 a fault of this program,\n"
    "130 Ctrl-C, 143 SIGTERM; see docs/campaigns.md.\n";

int main(int argc, char** argv) {
  CLI::App app("Random launches on engines that must agree");
  app.footer(std::string(kExample));
  CampaignOptions campaign;
  ReportOptions reporting;
  MergeOptions merging;
  addOptions(app, campaign);
  auto* report_verb =
      app.add_subcommand("report", "What ledgers say: launches, mismatches, bounds");
  addOptions(*report_verb, reporting);
  auto* merge_verb = app.add_subcommand("merge", "Bring ledgers of several machines together");
  addOptions(*merge_verb, merging);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "error: {}\n  help: see fuzz_launch --help\n", error.what());
    return 2;
  }
  auto status = report_verb->parsed()  ? report(reporting)
                : merge_verb->parsed() ? merge(merging)
                                       : runCampaign(campaign);
  if (status && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
    status = refuse("cannot write the result to standard output", "make room where it goes");
  if (status) return *status;
  fmt::print(stderr, "{}\n", status.error().text());
  return exitStatus(status.error().kind);
}

int guardedMain(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  endWhenOutOfMemory(std::ranges::find(words, std::string_view("--json")) != words.end());
  try {
    return main(argc, argv);
  } catch (const std::bad_alloc&) {  // of libraries with allocators of their own
    outOfMemory();
  } catch (const std::system_error& error) {  // threads that do not start
    fmt::print(stderr, "error: {}\n", error.what());
    return exitStatus(FailureKind::Refusal);
  } catch (const std::exception& error) {
    bug(error.what());
  }
}

}  // namespace
}  // namespace qgpu::fuzz

int main(int argc, char** argv) { return qgpu::fuzz::guardedMain(argc, argv); }
