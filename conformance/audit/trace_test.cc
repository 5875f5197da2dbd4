// Damaged traces: an audit reports every token that is altered, missing or too much, at its place.
#include <gtest/gtest.h>

#include "conformance/audit/audit.h"
#include "conformance/audit/batch_audit.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::conformance {
namespace {

using protocol::Token;
using protocol::TokenKind;

struct Launch {
  std::string name;
  std::string program;
  protocol::Image image;
};
void PrintTo(const Launch& launch, std::ostream* out) { *out << launch.name; }

Launch atomics() {
  return {"Atomics",
          R"(
    block 0:
      jump 1
    block 1:
      atom.max r1!, [global 4 + r0*4], tid
      exit)",
          {.memory = {{1, 2}}, .threads = 4}};
}
Launch barriers() {
  return {"Barriers",
          R"(
    block 0:
      st [shared 0 + tid*4], gtid
      bar 1
    block 1:
      mov _, [shared 16 + r0*4]
      st [global 4 + ctaid*4], s1
      exit)",
          {.thread_blocks = 2, .threads = 5}};
}
Launch division() {
  return {"Division",
          R"(
    block 0:
      div c0, tid
      nop
      quo r1!
      rem r2!
      exit)",
          {.parameters = {0xfff0bdc1}, .threads = 3}};
}

class Traces : public ::testing::TestWithParam<Launch> {
 protected:
  Traces() : model_(theModel()) {
    protocol::Image image = GetParam().image;
    const auto program = isa::assemble(GetParam().program, "trace");
    check(program.has_value(), "the program assembles");
    image.program = protocol::encode(*program);
    host_ = trace_ = protocol::hostTokens(image);
    machine::Machine machine;
    const auto run = machine::launch(machine, host_, 1000);
    check(run.has_value(), "the launch ends");
    trace_.insert(trace_.end(), run->written.begin(), run->written.end());
  }

  // Recognising 45 layers takes longer than a short trace.
  static model::MachineModel& theModel() {
    static model::MachineModel model(theCircuit());
    return model;
  }
  // Token by token, and in batches: they report the same.
  Audit audit(const std::vector<Token>& trace) {
    const Audit one_by_one = auditTrace(model_, host_, trace);
    const Audit many = auditInBatches(model_, host_, trace, {.threads = 1});
    EXPECT_EQ(many.positions, one_by_one.positions);
    EXPECT_EQ(many.mismatches, one_by_one.mismatches);
    EXPECT_EQ(many.first, one_by_one.first);
    return one_by_one;
  }
  // That it is reported, first at the given position (from 1), in words that name it.
  void expectReport(const std::vector<Token>& trace, std::size_t position) {
    const Audit found = audit(trace);
    EXPECT_GT(found.mismatches, 0);
    EXPECT_EQ(found.positions, static_cast<std::int64_t>(position));
    EXPECT_TRUE(found.first.starts_with("position " + std::to_string(position) + ": "))
        << found.first;
  }

  model::MachineModel& model_;
  std::vector<Token> host_, trace_;
};

// The places of a trace to damage: all; with sanitizers, a few and the last.
std::vector<std::size_t> placesIn(std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < count; i += isatest::unlessSanitized(1, 24)) places.push_back(i);
  places.push_back(count - 1);
  return places;
}

// The next token of the same kind, the first after the last.
Token otherFields(const Token& token) {
  const int first = protocol::firstId(token.kind);
  return *Token::fromId(first + (token.id() - first + 1) % protocol::tokenCount(token.kind));
}
Token otherKind(const Token& token) {
  const int kind = (static_cast<int>(token.kind) + 1) % protocol::kTokenKinds;
  return *Token::fromId(protocol::firstId(static_cast<TokenKind>(kind)));
}

TEST_P(Traces, AreAcceptedAsTheyAre) {
  const Audit found = audit(trace_);
  EXPECT_EQ(found.mismatches, 0) << found.first;
  EXPECT_EQ(found.positions, static_cast<std::int64_t>(trace_.size()));
  EXPECT_GT(trace_.size(), host_.size() + 5);
}

TEST_P(Traces, AnAlteredTokenIsReportedAtItsPosition) {
  int altered = 0;
  const auto places = placesIn(trace_.size());
  for (const std::size_t i : places)
    for (const Token& other : {otherFields(trace_[i]), otherKind(trace_[i])}) {
      if (other == trace_[i]) continue;  // HALT has no fields
      std::vector<Token> damaged = trace_;
      damaged[i] = other;
      expectReport(damaged, i + 1);
      ++altered;
    }
  EXPECT_EQ(altered, static_cast<int>(2 * places.size()) - 1);
}

TEST_P(Traces, AMissingTailIsReportedWhereItBegins) {
  for (const std::size_t size : placesIn(trace_.size()))
    expectReport({trace_.begin(), trace_.begin() + static_cast<std::ptrdiff_t>(size)}, size + 1);
}

// Also a token that the host may write after HALT.
TEST_P(Traces, ATokenTooManyIsReported) {
  for (int kind = 0; kind < protocol::kTokenKinds; ++kind) {
    std::vector<Token> damaged = trace_;
    damaged.push_back(*Token::fromId(protocol::firstId(static_cast<TokenKind>(kind))));
    expectReport(damaged, damaged.size());
  }
}

TEST_P(Traces, ATokenLeftOutOrTwiceIsReported) {
  for (const std::size_t i : placesIn(trace_.size() - 1)) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (trace_[i] == trace_[i + 1]) continue;
    std::vector<Token> without = trace_, twice = trace_;
    without.erase(without.begin() + at);
    twice.insert(twice.begin() + at, trace_[i]);
    expectReport(without, i + 1);
    expectReport(twice, i + 2);
  }
}

INSTANTIATE_TEST_SUITE_P(OfLaunches, Traces, ::testing::Values(atomics(), barriers(), division()),
                         [](const auto& launch) { return launch.param.name; });

}  // namespace
}  // namespace qgpu::conformance
