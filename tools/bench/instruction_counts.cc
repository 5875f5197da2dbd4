// Small fixed workloads for an instruction counter: what a change of the code costs, whatever else
// the machine does. `ci/instructions` runs this under valgrind.
//
//   instruction_counts CIRCUIT.safetensors
//
// prints the name of each workload before its call of `qgpu_measured`, the function to count in.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <span>

#include "compiler/launch/case_file.h"
#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "model/launch/decode.h"
#include "tools/api/check_trace.h"
#include "tools/api/circuit.h"
#include "tools/api/qgpu.h"
#include "tools/bench/assembly_launches.h"

// A name that valgrind's --toggle-collect and --dump-after find.
extern "C" __attribute__((noinline)) void qgpu_measured(const std::function<void()>& work) {
  work();
}

namespace qgpu::bench {
namespace {

void measure(const char* name, const std::function<void()>& work) {
  std::puts(name);
  qgpu_measured(work);
}

void interpreter() {
  const AssemblyLaunch arithmetic = assemblyLaunch(kArithmetic, 500);
  const AssemblyLaunch memory = assemblyLaunch(kMemory, 200);
  const AssemblyLaunch divergence = assemblyLaunch(kDivergence, 100);
  const auto hosts = {arithmetic.hostTokens(), memory.hostTokens(), divergence.hostTokens()};
  measure("interpreter: tokens", [&] {
    for (const auto& host : hosts) {
      machine::Machine machine;
      check(machine::launch(machine, host, 1'000'000).has_value(), "the launch ends");
    }
  });
  measure("interpreter: without tokens", [&] {
    for (const AssemblyLaunch* launch : {&arithmetic, &memory, &divergence})
      check(machine::runFast(launch->program, launch->image, 1'000'000).has_value(),
            "the launch ends");
  });
}

void model(const model::Circuit& circuit) {
  const auto host = assemblyLaunch(kMemory, 200).hostTokens();
  model::MachineModel model(circuit);
  measure("model: tokens", [&] { decode(model, host, 200); });
  const auto known = assemblyLaunch(kDivergence, 2).trace();
  const auto auditWith = [&](const AuditOptions& options) {
    TokenAuditor auditor(circuit, options);
    measure(options.plain ? "model: audit, token by token" : "model: audit", [&] {
      const TokenAudit audit = auditor.audit(known, hostLength(known));
      check(audit.check.mismatches == 0, "the launch is exact");
    });
  };
  auditWith({});
  auditWith({.plain = true});
  model::MachineModel stock(circuit, model::Shortcuts::none());
  measure("model: stock formulas", [&] { stock.prefill(std::span(known).first(16)); });
}

void compiler() {
  const auto test_case = launch::readCase(QGPU_SOURCE_DIR "/conformance/cases/nvcc_warp.json");
  check(test_case.has_value(), "the benchmark's case is there");
  const auto source = readSource(test_case->launch.kernel);
  check(source.has_value(), "the benchmark's kernel can be read");
  measure("compiler: PTX to blocks", [&] {
    const auto kernel = loadKernel(*source, test_case->launch.entry);
    check(kernel.has_value(), "the benchmark's kernel is one");
    const auto program = compile(*kernel, test_case->launch);
    check(program.has_value(), program ? "" : program.error().text());
  });
}

void traceFile() {
  const AssemblyLaunch launch = assemblyLaunch(kMemory, 200);
  const auto host = launch.hostTokens();
  const auto run = interpreterEngine()->run(host, {});
  measure("trace file: written and read", [&] {
    const auto trace = readTraceText(traceText({}, host, *run), "trace");
    check(trace && !trace->damage, "the trace is whole");
  });
}

}  // namespace
}  // namespace qgpu::bench

int main(int argc, char** argv) {
  using namespace qgpu;
  const auto circuit = loadCircuit(argc > 1 ? argv[1] : "");
  if (!circuit) {
    std::fputs((circuit.error().text() + '\n').c_str(), stderr);
    return exitStatus(circuit.error().kind);
  }
  bench::interpreter();
  bench::model(*circuit);
  bench::compiler();
  bench::traceFile();
}
