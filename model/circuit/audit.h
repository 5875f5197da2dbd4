// The replay audit: the interpreter and the model, token by token.
//
// This is the one place outside tests where the two meet. The interpreter takes the tokens that the
// model wrote; each must be the one it expects, and after each the rows of the recurrent state that
// hold registers, predicates, memory and lane PCs must be the interpreter's.
//
//   Auditor auditor;
//   model.feed(token); auditor.follow(token, model);
//   auditor.mismatches(); auditor.first();
#pragma once

#include <cstdint>
#include <string>

#include "interpreter/machine/machine.h"
#include "model/circuit/machine_model.h"

namespace qgpu::model {

class Auditor {
 public:
  // Replays `token` and compares the states after it. The whole state is compared after EXEC, HALT
  // and TRAP, and what the token can have changed after the others.
  void follow(const protocol::Token& token, const MachineModel& model);

  std::int64_t positions() const { return positions_; }
  std::int64_t mismatches() const { return mismatches_; }
  const std::string& first() const { return first_; }  // in words; empty where there is none
  const machine::Machine& reference() const { return reference_; }

 private:
  void expect(bool same, const std::string& what);
  void compareMemory(const MachineModel& model);
  void compareWarp(const MachineModel& model, int warp);

  machine::Machine reference_;
  std::int64_t positions_ = 0;
  std::int64_t mismatches_ = 0;
  std::string first_;
};

}  // namespace qgpu::model
