// The qgpu command: finds the verb, reads its options, runs it, and turns failures into messages
// and exit statuses.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "interpreter/base/out_of_memory.h"
#include "tools/api/joined.h"
#include "tools/qgpu/help.h"
#include "tools/qgpu/suggest.h"
#include "tools/qgpu/verb.h"

#ifndef QGPU_VERSION
#define QGPU_VERSION "unversioned"
#endif

namespace qgpu::cli {
namespace {

using CommandLine = std::vector<std::string>;

// What CLI11 says, in our words.
Failure usageFailure(const CLI::Error& error, const CLI::App& app, const Verb& verb,
                     const CommandLine& arguments) {
  Failure failure{
      FailureKind::Refusal, {}, error.what(), fmt::format("see `qgpu {} --help`", verb.name())};
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return failure;
  const std::vector<std::string> names = optionNames(app);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with('-') || std::ranges::find(names, name) != names.end()) continue;
    failure.message = fmt::format("there is no option '{}'", name);
    if (const std::string near = nearest(name, names); !near.empty())
      failure.hint = fmt::format("did you mean {}? {}", near, failure.hint);
    return failure;
  }
  failure.message = fmt::format("'{}' is one argument too many", arguments.back());
  return failure;
}

Expected<int> runVerb(Verb& verb, const CommandLine& arguments, const Terminal& terminal) {
  CLI::App app;
  bool json = false;
  verb.addOptions(app);
  app.add_flag("--json", json, "one JSON object on standard output, nothing else");
  app.set_help_flag("-h,--help", "this text");
  try {
    app.parse(CommandLine(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::fputs(verbHelp(verb, app, Terminal::standard(false)).c_str(), stdout);
    return kDone;
  } catch (const CLI::Error& error) {
    return fail(usageFailure(error, app, verb, arguments));
  }
  return verb.run(terminal);
}

Failure unknownVerb(const std::string& word, const std::vector<std::unique_ptr<Verb>>& all) {
  std::vector<std::string> names;
  for (const auto& verb : all) names.emplace_back(verb->name());
  const std::string near = nearest(word, names);
  return {FailureKind::Refusal,
          {},
          fmt::format("'{}' is neither a verb nor a file", word),
          near.empty() ? fmt::format("verbs: {}", joined(names))
                       : fmt::format("did you mean `qgpu {}`?", near)};
}

// A first word that is no verb is a file for `run`; so is an option of `run`.
bool meansRun(const std::string& word) {
  return word.starts_with('-') || word.find('.') != std::string::npos ||
         word.find('/') != std::string::npos;
}

Expected<int> dispatch(CommandLine arguments, const Terminal& terminal) {
  const auto all = verbs();
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    terminal.print(overview(all, terminal));
    return kDone;
  }
  if (arguments[0] == "--version") {
    terminal.print("qgpu " QGPU_VERSION "\n");
    return kDone;
  }
  const auto named = std::ranges::find(all, arguments[0], &Verb::name);
  if (named != all.end()) {
    arguments.erase(arguments.begin());
    return runVerb(**named, arguments, terminal);
  }
  if (!meansRun(arguments[0])) return fail(unknownVerb(arguments[0], all));
  return runVerb(*all.front(), arguments, terminal);
}

// A full disk shows when the last of a text is written.
bool isWritten(std::FILE* stream) { return std::fflush(stream) == 0 && std::ferror(stream) == 0; }

int main(std::span<char*> argv) {
  const bool json = std::ranges::find(argv, std::string_view("--json")) != argv.end();
  endWhenOutOfMemory(json);  // before the first allocation
  const CommandLine arguments(argv.begin() + 1, argv.end());
  const Terminal terminal = Terminal::standard(json);
  reportBugsTo(terminal);
  try {
    auto status = dispatch(arguments, terminal);
    if (status && !isWritten(stdout))
      status = refuse("cannot write the result to standard output", "make room where it goes");
    if (status) return *status;
    terminal.report(status.error());
    return exitStatus(status.error().kind);
  } catch (const std::bad_alloc&) {  // of libraries with allocators of their own
    outOfMemory();
  } catch (const std::system_error& error) {  // threads that do not start
    Failure failure;
    failure.message = error.what();
    failure.hint = "free what the system is short of";
    terminal.report(failure);
    return exitStatus(failure.kind);
  } catch (const std::exception& error) {
    bug(error.what());
  }
}

}  // namespace
}  // namespace qgpu::cli

int main(int argc, char** argv) { return qgpu::cli::main({argv, static_cast<std::size_t>(argc)}); }
