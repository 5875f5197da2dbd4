#include "conformance/audit/audit.h"

#include <fmt/format.h>

namespace qgpu::conformance {

using machine::Phase;
using protocol::Token;
using protocol::TokenKind;

Auditor::Auditor(model::MachineModel& model) : model_(model), kept_(keptRows(model.circuit())) {
  for (int s = 0; s < kMachine.slots; ++s) {
    stages_[s].predicate = fmt::format("stage{}.predicate", s + 1);
    for (int l = 0; l < kMachine.lanes; ++l)
      stages_[s].result[l] = fmt::format("stage{}.result.lane{}", s + 1, l);
  }
  for (int l = 0; l < kMachine.lanes; ++l) words_[l] = fmt::format("write.word.lane{}", l);
  model.watchProbes();
}

void Auditor::mismatch(const std::string& what) {
  if (mismatches_++ == 0) first_ = fmt::format("position {}: {}", positions_, what);
}

void Auditor::follow(const Token& token) {
  ++positions_;
  if (diverged_) return mismatch("after a token that the interpreter did not accept");
  if (const auto ok = reference_.step(token); !ok) {
    diverged_ = true;
    return mismatch(ok.error().message);
  }
  compareNext(token);
  compareRows();
  compareStages(token.kind == TokenKind::Exec);
}

void Auditor::finish() {
  if (diverged_ || reference_.phase() != Phase::Model) return;
  ++positions_;
  mismatch(fmt::format("the trace ends where {} comes next", reference_.next()->text()));
}

void Auditor::compareNext(const Token& token) {
  const auto expected = reference_.next();
  if (!expected) return;
  if (const auto written = model_.next(); written != expected)
    mismatch(fmt::format("after {} the model writes {}, the interpreter {}", token.text(),
                         written->text(), expected->text()));
}

void Auditor::compareRows() {
  const machine::State& state = reference_.state();
  for (const KeptRows& kept : kept_)
    for (int row = 0; row < kept.rows; ++row) {
      const auto expected = kept.expected(state, row);
      if (!expected) continue;
      for (const model::MemoryPlace& place : kept.copies)
        if (const std::uint32_t found = model_.row(place, row, kept.bits); found != *expected)
          mismatch(fmt::format("{} {}: {:#x} in layer {} head {}, {:#x} in the interpreter",
                               kept.what, row, found, place.layer, place.head, *expected));
    }
}

void Auditor::compareProbe(const std::string& name, std::uint32_t expected) {
  const auto seen = model_.probed(name);
  if (seen == expected) return;
  mismatch(fmt::format("{}: {}, {:#x} in the interpreter", name,
                       seen ? fmt::format("{:#x}", *seen) : "no whole bits", expected));
}

// Between two EXEC tokens the stages hold nothing.
void Auditor::compareStages(bool executed) {
  static const machine::BlockResult kIdle;
  const machine::BlockResult& block = executed ? reference_.lastBlock() : kIdle;
  for (int s = 0; s < kMachine.slots; ++s) {
    const machine::StageResult& stage = block.stages[s];
    for (int l = 0; l < kMachine.lanes; ++l) compareProbe(stages_[s].result[l], stage.r[l]);
    compareProbe(stages_[s].predicate, stage.p);
  }
  compareProbe("write.writes", block.writes);
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((block.writes >> l & 1) != 0) compareProbe(words_[l], block.words[l]);
}

Audit auditTrace(model::MachineModel& model, std::span<const Token> host,
                 std::span<const Token> trace) {
  model.reset();
  Auditor auditor(model);
  const auto wrong = [](std::size_t i, const std::string& what) {
    return Audit{static_cast<std::int64_t>(i + 1), 1, fmt::format("position {}: {}", i + 1, what)};
  };
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i < host.size() && trace[i] != host[i])
      return wrong(
          i, fmt::format("the launch says {}, the trace {}", host[i].text(), trace[i].text()));
    if (i >= host.size() && auditor.reference().phase() != Phase::Model)
      return wrong(i, fmt::format("{} follows the launch's end", trace[i].text()));
    model.feed(trace[i]);
    auditor.follow(trace[i]);
    if (auditor.mismatches() > 0)
      return {auditor.positions(), auditor.mismatches(), auditor.first()};
  }
  if (trace.size() < host.size())
    return wrong(trace.size(),
                 fmt::format("the trace ends where the launch says {}", host[trace.size()].text()));
  auditor.finish();
  return {auditor.positions(), auditor.mismatches(), auditor.first()};
}

Audit auditTrace(const model::Circuit& circuit, std::span<const Token> host,
                 std::span<const Token> trace) {
  model::MachineModel model(circuit);
  return auditTrace(model, host, trace);
}

}  // namespace qgpu::conformance
