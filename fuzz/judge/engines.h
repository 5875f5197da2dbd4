// A compiled launch on the engines, and the verdict: what both levels of kernels share.
//
//   Engines engines(Oracle::Interpreter, nullptr);
//   engines.hold(program, usualVariant(), expected, verdict);
//   verdict.difference();   // "as usual: out[3]: expected 5, got 7"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "conformance/audit/batch_audit.h"
#include "fuzz/judge/variant.h"
#include "fuzz/level.h"
#include "model/launch/machine_model.h"
#include "tools/api/qgpu.h"

namespace qgpu::fuzz {

struct Verdict {
  // Where the fault lies, and in words what it is: "out[3]: expected 5, got 7". Both empty where
  // all agree.
  std::string where;
  std::string what;
  std::string refusal;  // why the machine has no room for the kernel, numbers left out
  std::int64_t positions = 0;
  launch::Arrays expected;  // what the oracle says; empty where it says nothing

  bool differs() const { return !where.empty(); }
  std::string difference() const { return differs() ? where + ": " + what : ""; }
  // The first fault is the finding; later ones are left out.
  void blame(std::string at, std::string fault);
  void refuse(const Failure& refusal);

  // For the way from one process to another. The expected arrays stay behind.
  std::string text() const;
  void read(const std::string& text);
};

// Each verdict by `judge(i)`, in a process apart: a crash there is the verdict's fault. Throws
// CannotGoOn where there is no process.
void judgeApart(std::span<Verdict> verdicts, const std::function<void(std::size_t)>& judge);

class Engines {
 public:
  Engines(Oracle oracle, const ModelUse& model);

  // Runs the program on the interpreter and compares the arrays. A program that was compiled as
  // usual is then held against the other engines of the oracle, position by position.
  void hold(const Program& program, const Variant& variant, const launch::Arrays& expected,
            Verdict& verdict);

 private:
  void holdAgainstModel(const Program& program, const Recording& recording, Verdict& verdict);

  std::unique_ptr<Engine> interpreter_ = interpreterEngine();
  ModelUse use_;
  std::unique_ptr<model::MachineModel> model_;
  std::unique_ptr<conformance::BatchAuditor> auditor_;  // of what the interpreter wrote
  std::unique_ptr<Engine> alone_;                       // the model, writing
};

}  // namespace qgpu::fuzz
