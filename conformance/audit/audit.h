// The replay audit: the interpreter and the model, token by token.
//
// This is where the two meet. The interpreter takes the tokens that the model wrote; each must be
// the one it expects. After each, every row of the recurrent state that holds a part of the
// architectural state must be the interpreter's (kept_rows.h: registers, predicates, memories,
// program, PCs, latches, in every copy), and so must what the four stages computed.
//
//   MachineModel model(circuit);
//   Auditor auditor(model);
//   for (Token token : tokens) { model.feed(token); auditor.follow(token); }
//   auditor.finish();
//   auditor.mismatches(); auditor.first();
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/audit/kept_rows.h"
#include "interpreter/machine/machine.h"
#include "model/launch/machine_model.h"

namespace qgpu::conformance {

class Auditor {
 public:
  // Watches the model's probes. `model` must outlive the auditor.
  explicit Auditor(model::MachineModel& model);

  // The model was fed `token`: the interpreter takes it too, and all is compared. From a token on
  // that the interpreter does not accept, every position counts as a mismatch.
  void follow(const protocol::Token& token);
  // No token follows: a launch that has begun must have ended.
  void finish();

  std::int64_t positions() const { return positions_; }
  std::int64_t mismatches() const { return mismatches_; }  // differing values, over all positions
  // The first mismatch in words, with its position; empty where there is none.
  const std::string& first() const { return first_; }
  const machine::Machine& reference() const { return reference_; }

 private:
  void mismatch(const std::string& what);
  void compareNext(const protocol::Token& token);
  void compareRows();
  void compareStages(bool executed);
  void compareProbe(const std::string& name, std::uint32_t expected);

  // Names of the circuit's probes, made once: they are asked for after every token.
  struct StageProbes {
    std::array<std::string, kMachine.lanes> result;
    std::string predicate;
  };

  model::MachineModel& model_;
  std::array<StageProbes, kMachine.slots> stages_;
  std::array<std::string, kMachine.lanes> words_;
  std::vector<KeptRows> kept_;
  machine::Machine reference_;
  bool diverged_ = false;
  std::int64_t positions_ = 0;
  std::int64_t mismatches_ = 0;
  std::string first_;
};

// What an audit found.
struct Audit {
  std::int64_t positions = 0;
  std::int64_t mismatches = 0;
  std::string first;
};

// Audits a trace that is already there: the launch's own host tokens first, then what was written.
// Each token must be the one that the launch, the model and the interpreter say. The audit ends at
// the first position (from 1) that is wrong: that of the altered token, of the first one missing,
// or of the first one behind the launch's end. `model` is reset first.
Audit auditTrace(model::MachineModel& model, std::span<const protocol::Token> host,
                 std::span<const protocol::Token> trace);
Audit auditTrace(const model::Circuit& circuit, std::span<const protocol::Token> host,
                 std::span<const protocol::Token> trace);

}  // namespace qgpu::conformance
