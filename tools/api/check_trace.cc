#include "tools/api/check_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/audit/batch_audit.h"
#include "interpreter/base/sha256.h"
#include "interpreter/base/threads.h"
#include "model/weights/circuit_file.h"
#include "tools/api/end_state.h"
#include "tools/api/trace.h"

namespace qgpu {
namespace {

using machine::Phase;
using protocol::Token;

constexpr std::int64_t kPositionsAtOnce = 256;  // between two words to OnPositions

Ending endingOf(Phase phase) {
  if (phase == Phase::Halted) return Ending::Halted;
  return phase == Phase::Trapped ? Ending::Trapped : Ending::OutOfTokens;
}

Check wrongAt(std::int64_t position, const std::string& what) {
  return {position, 1, fmt::format("position {}: {}", position, what)};
}

// What is wrong with a trace beside its tokens.
std::optional<std::string> wrongEnd(const TraceFile& trace, const TokenAudit& audit) {
  if (!trace.chained) return std::nullopt;
  if (trace.ending != audit.ending)
    return fmt::format("the launch is {} here, the trace says it is not", name(audit.ending));
  if (trace.end_state != audit.end_state)
    return "the state at the end is not the one that the trace states";
  return std::nullopt;
}

std::optional<Failure> faultOf(const TraceFile& trace, const TokenAudit& audit,
                               const std::string& file) {
  const auto at = [&](std::int64_t position, std::string what) {
    return Failure{FailureKind::Refusal, {file, trace.lineOf(position), 1}, std::move(what), {}};
  };
  if (audit.check.mismatches != 0) return at(audit.check.positions, audit.check.first);
  if (trace.damage) return trace.damage;
  if (auto wrong = wrongEnd(trace, audit)) return at(audit.check.positions, std::move(*wrong));
  return std::nullopt;
}

}  // namespace

TokenAudit TokenAuditor::audit(std::span<const Token> tokens, std::size_t host, bool complete,
                               const OnPositions& on_positions) {
  if (options_.plain || !complete) return plainly(tokens, host, complete, on_positions);
  return inBatches(tokens, host, on_positions);
}

TokenAudit TokenAuditor::inBatches(std::span<const Token> tokens, std::size_t host,
                                   const OnPositions& on_positions) {
  std::int64_t told = 0;
  const auto progress = [&](std::int64_t positions) {
    if (on_positions) on_positions(positions - told);
    told = positions;
  };
  conformance::Audit found = conformance::auditInBatches(
      model_, tokens.first(host), tokens, {.threads = options_.threads, .progress = progress});
  if (found.positions != told) progress(found.positions);
  Ending ending = Ending::OutOfTokens;
  if (found.mismatches == 0)
    ending = tokens.back().kind == protocol::TokenKind::Halt ? Ending::Halted : Ending::Trapped;
  return {{found.positions, found.mismatches, std::move(found.first)},
          ending,
          hashOf(endState(model_))};
}

TokenAudit TokenAuditor::plainly(std::span<const Token> tokens, std::size_t host, bool complete,
                                 const OnPositions& on_positions) {
  model_.reset();
  conformance::Auditor auditor(model_);
  std::int64_t told = 0;
  const auto tell = [&](std::int64_t least) {
    if (!on_positions || auditor.positions() - told < least) return;
    on_positions(auditor.positions() - told);
    told = auditor.positions();
  };
  const auto result = [&](Check check) {
    tell(1);
    const Ending ending =
        check.mismatches == 0 ? endingOf(auditor.reference().phase()) : Ending::OutOfTokens;
    return TokenAudit{std::move(check), ending, hashOf(endState(model_))};
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i >= host && auditor.reference().phase() != Phase::Model)
      return result(wrongAt(static_cast<std::int64_t>(i) + 1,
                            fmt::format("{} follows the launch's end", tokens[i].text())));
    model_.feed(tokens[i]);
    auditor.follow(tokens[i]);
    if (auditor.mismatches() > 0) break;
    tell(kPositionsAtOnce);
  }
  if (complete && auditor.mismatches() == 0) auditor.finish();
  return result({auditor.positions(), auditor.mismatches(), auditor.first()});
}

Expected<TraceVerdict> checkTrace(TokenAuditor& auditor, const TraceFile& trace,
                                  const std::string& file, const OnPositions& on_positions) {
  if (trace.chained && trace.machine != model::instructionTableHash())
    return refuseAt({file, 0, 0}, "was written for another instruction table",
                    "check it with the version that wrote it");
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t host = hostLength(trace.tokens);
  TokenAudit audit =
      auditor.audit(trace.tokens, host, trace.ending != Ending::OutOfTokens, on_positions);
  TraceVerdict verdict{.file = file,
                       .origin = trace.origin,
                       .chained = trace.chained,
                       .launch = sha256(formatTrace(std::span(trace.tokens).first(host))),
                       .chain = trace.chain,
                       .host = static_cast<std::int64_t>(host),
                       .written = static_cast<std::int64_t>(trace.tokens.size() - host)};
  verdict.fault = faultOf(trace, audit, file);
  verdict.check = std::move(audit.check);
  verdict.ending = audit.ending;
  verdict.end_state = std::move(audit.end_state);
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return verdict;
}

std::vector<Expected<TraceVerdict>> checkTraces(const model::Circuit& circuit,
                                                const std::vector<std::filesystem::path>& files,
                                                const CheckOptions& options) {
  std::vector<Expected<TraceVerdict>> verdicts(files.size());
  std::atomic<std::size_t> next = 0;
  // Few traces: each on several threads.
  const auto all = static_cast<std::size_t>(std::max(options.jobs, 1));
  const std::size_t jobs = std::max<std::size_t>(std::min(files.size(), all), 1);
  const AuditOptions audit{.plain = options.plain,
                           .threads = static_cast<int>(all / jobs),
                           .shortcuts = options.shortcuts};
  const auto work = [&] {
    TokenAuditor auditor(circuit, audit);
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const auto trace = readTrace(files[i]);
      verdicts[i] = trace ? checkTrace(auditor, *trace, files[i].string(), options.on_positions)
                          : fail(trace.error());
    }
  };
  std::vector<std::thread> others;
  startThreads(others, static_cast<int>(jobs) - 1, work);
  work();
  for (std::thread& other : others) other.join();
  return verdicts;
}

nlohmann::ordered_json auditReport(const model::Circuit& circuit, const std::string& version,
                                   std::span<const TraceVerdict> verdicts) {
  using Json = nlohmann::ordered_json;
  Json launches = Json::array();
  std::int64_t positions = 0, mismatches = 0;
  for (const TraceVerdict& v : verdicts) {
    Json launch = {{"trace", std::filesystem::path(v.file).filename().string()},
                   {"kernel", v.origin.kernel},
                   {"written_by", v.origin.engine},
                   {"launch", v.launch},
                   {"host", v.host},
                   {"written", v.written},
                   {"ending", name(v.ending)},
                   {"positions", v.check.positions},
                   {"mismatches", v.check.mismatches},
                   {"end_state", v.end_state},
                   {"chain", v.chained ? Json(v.chain) : Json()},
                   {"agrees", v.agrees()}};
    if (v.fault) launch["fault"] = v.fault->message;
    launches.push_back(std::move(launch));
    positions += v.check.positions;
    mismatches += v.check.mismatches;
  }
  return {{"format", "qgpu.audit"},
          {"format_version", 1},
          {"version", version},
          {"instruction_table", model::instructionTableHash()},
          {"weights", model::weightsHash(circuit)},
          {"launches", launches.size()},
          {"positions", positions},
          {"mismatches", mismatches},
          {"traces", launches}};
}

}  // namespace qgpu
