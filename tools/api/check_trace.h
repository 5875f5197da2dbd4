// Verifies saved traces: every token by the model and by the interpreter, what is kept after it,
// and that the file is the one that was written.
//
//   auto verdicts = checkTraces(circuit, {"a.trace", "b.trace"}, {.jobs = 2});
//   verdicts[0]->agrees();
//   verdicts[0]->check.positions;
//   verdicts[0]->fault;              // what is wrong first, with file and line
//   auditReport(circuit, verdicts);  // for others, who can make the same from the same traces
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/audit/audit.h"
#include "interpreter/base/failure.h"
#include "model/launch/machine_model.h"
#include "tools/api/engine.h"
#include "tools/api/trace_file.h"

namespace qgpu {

// Told of every few positions that are verified, by any thread.
using OnPositions = std::function<void(std::int64_t more)>;

// What became of a sequence of tokens.
struct TokenAudit {
  Check check;                          // up to and with the first position that is wrong
  Ending ending = Ending::OutOfTokens;  // after the last token, if all are right
  std::string end_state;                // the hash of what the model keeps then
};

struct AuditOptions {
  // Token by token, the whole state after each, rather than many positions at once with the state
  // after each batch of them. Both find the same first position that is wrong.
  bool plain = false;
  int threads = 1;  // of one audit that is not plain
  model::Shortcuts shortcuts = {};
};

// Feeds known tokens to the model and lets the interpreter follow. One for each audit that goes on
// at a time; they share the circuit, which must outlive them.
class TokenAuditor {
 public:
  explicit TokenAuditor(const model::Circuit& circuit, const AuditOptions& options = {})
      : model_(circuit, options.shortcuts), options_(options) {}

  // The first `host` tokens are the launch, whatever they say; those behind must be what model and
  // interpreter write. Without `complete` the sequence may end before the launch does, and is
  // audited plainly.
  TokenAudit audit(std::span<const protocol::Token> tokens, std::size_t host, bool complete = true,
                   const OnPositions& on_positions = {});

 private:
  TokenAudit plainly(std::span<const protocol::Token> tokens, std::size_t host, bool complete,
                     const OnPositions& on_positions);
  TokenAudit inBatches(std::span<const protocol::Token> tokens, std::size_t host,
                       const OnPositions& on_positions);

  model::MachineModel model_;
  AuditOptions options_;
};

struct TraceVerdict {
  std::string file = {};
  TraceOrigin origin = {};
  bool chained = false;
  std::string launch = {},
              chain = {};  // the hash of the host's tokens; that of the file, if it is chained
  std::int64_t host = 0, written = 0;  // tokens
  Check check = {};
  Ending ending = Ending::OutOfTokens;
  std::string end_state = {};
  std::optional<Failure> fault = {};  // the first thing that is wrong
  double seconds = 0;

  bool agrees() const { return !fault; }
};

// What a trace's tokens and its chain come to. Refused: a trace of another instruction table.
Expected<TraceVerdict> checkTrace(TokenAuditor& auditor, const TraceFile& trace,
                                  const std::string& file, const OnPositions& on_positions = {});

struct CheckOptions {
  int jobs = 1;        // threads: for several traces, or for several parts of one
  bool plain = false;  // AuditOptions
  model::Shortcuts shortcuts = {};
  OnPositions on_positions = {};
};
// In the order of the files. Refused, each for itself: what readTrace and checkTrace refuse.
std::vector<Expected<TraceVerdict>> checkTraces(const model::Circuit& circuit,
                                                const std::vector<std::filesystem::path>& files,
                                                const CheckOptions& options = {});

// An audit as data that depends on nothing but the traces, the weights and the version of the
// program: whoever has them gets the same bytes.
nlohmann::ordered_json auditReport(const model::Circuit& circuit, const std::string& version,
                                   std::span<const TraceVerdict> verdicts);

}  // namespace qgpu
