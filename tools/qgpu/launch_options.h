// The options that say which kernel is launched on what; shared by run, compile and disasm.
//
//   LaunchOptions options;
//   options.addTo(app);
//   auto prepared = options.prepare(terminal, Arguments::Required);
//   prepared->program; prepared->test_case.expected;
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/launch/launch.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

// Whether the kernel's arguments must be there, or may be made up where only the code is asked for.
enum class Arguments : std::uint8_t { Required, Optional };

struct Prepared {
  Kernel kernel;
  launch::Case test_case;       // the launch, and what is expected of it if a case file said so
  bool arguments_given = true;  // false: the arguments are made up
};

class LaunchOptions {
 public:
  void addTo(CLI::App& app);

  // The kernel, and the case where there is one; its launch is not fitted to the kernel yet.
  Expected<Prepared> load(const Terminal& terminal) const;
  // The kernel and a launch that fits it. What the user left open is chosen and said in a note.
  Expected<Prepared> prepare(const Terminal& terminal, Arguments arguments) const;

  // Refuses an output that is the kernel or the case.
  Expected<void> keepApart(const std::string& output, const Prepared& prepared) const;

 private:
  Expected<void> fillIn(const Terminal& terminal, Prepared& prepared) const;
  Expected<void> chooseShape(const Terminal& terminal, launch::Launch& launch) const;

  std::string file_, case_file_, entry_, grid_, block_;
  std::vector<std::string> arguments_;
  std::optional<std::uint32_t> shared_bytes_;
};

// qgpu::compile, its warnings on standard error.
Expected<Program> compileFor(const Terminal& terminal, const Prepared& prepared);

}  // namespace qgpu::cli
