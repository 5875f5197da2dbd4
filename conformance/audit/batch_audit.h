// The replay audit of a known trace, many positions at a time and on several cores.
//
// The interpreter runs ahead; batches of model::kBatch positions follow it through the layers,
// which are shared out over threads: while one thread has a batch in the later layers, another has
// the next batch in the earlier ones. Compared are, at every position, the token that the model
// would write and what the four stages computed; after every batch, every row that holds a part of
// the architectural state. What the model computes has the bits of token-by-token decoding
// (model/launch/machine_model.h).
//
//   const Audit audit = auditInBatches(model, host, trace, {.threads = 2});
//
//   BatchAuditor auditor(model);                          // for many traces
//   for (...) audits.push_back(auditor.run(host, trace));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "conformance/audit/audit.h"

namespace qgpu::conformance {

struct BatchAuditOptions {
  // For the layers; the interpreter has the caller's thread beside them. 1: everything there.
  int threads = 2;
  // Called now and then with the positions that are done.
  std::function<void(std::int64_t positions)> progress = {};
};

class BatchAuditor {
 public:
  // `model` must outlive the auditor, and not be used by others until then.
  explicit BatchAuditor(model::MachineModel& model, const BatchAuditOptions& options = {});
  ~BatchAuditor();

  // As auditTrace, with its report: where anything differs, the trace is audited again token by
  // token up to the first position that is wrong. The model is reset first.
  Audit run(std::span<const protocol::Token> host, std::span<const protocol::Token> trace);

 private:
  class Layers;

  model::MachineModel& model_;
  std::unique_ptr<Layers> layers_;
};

inline Audit auditInBatches(model::MachineModel& model, std::span<const protocol::Token> host,
                            std::span<const protocol::Token> trace,
                            const BatchAuditOptions& options = {}) {
  return BatchAuditor(model, options).run(host, trace);
}

}  // namespace qgpu::conformance
