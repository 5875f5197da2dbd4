// One verb of the command: its name, its options, what it does. To add a verb, write a file with a
// Verb and name its maker in verbs().
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

// Exit statuses beside those of the failures.
inline constexpr int kDone = 0;
inline constexpr int kDisagreement = 1;

class Verb {
 public:
  virtual ~Verb() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;   // a line, for the list of verbs
  virtual std::string_view synopsis() const = 0;  // what follows the name: "FILE [options]"
  virtual std::string_view example() const = 0;  // a worked example, and what else a user must know
  virtual void addOptions(CLI::App& app) = 0;

  // The exit status; failures end with theirs.
  virtual Expected<int> run(const Terminal& terminal) = 0;
};

// All verbs, in the order in which help lists them. Each maker is cheap: none looks at a file.
std::vector<std::unique_ptr<Verb>> verbs();

std::unique_ptr<Verb> runVerb();
std::unique_ptr<Verb> compileVerb();
std::unique_ptr<Verb> disasmVerb();
std::unique_ptr<Verb> traceVerb();
std::unique_ptr<Verb> checkVerb();
std::unique_ptr<Verb> buildVerb();
std::unique_ptr<Verb> infoVerb();
std::unique_ptr<Verb> chatVerb();
std::unique_ptr<Verb> evalVerb();
std::unique_ptr<Verb> manualVerb();
std::unique_ptr<Verb> modelVerb();
std::unique_ptr<Verb> exportVerb();
std::unique_ptr<Verb> reportVerb();
std::unique_ptr<Verb> benchVerb();
std::unique_ptr<Verb> goldenVerb();

}  // namespace qgpu::cli
