// The model against the interpreter: launches that it writes itself, and its state after every
// token.
#include "conformance/audit/audit.h"

#include <gtest/gtest.h>

#include "conformance/audit/dot_launch.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "model/launch/decode.h"

namespace qgpu::conformance {
namespace {

using protocol::Token;
using protocol::TokenKind;

// What the model writes, audited after every token.
struct AuditedRun {
  model::Decoding decoding;
  std::int64_t positions = 0, mismatches = 0;
  std::string first;
};
AuditedRun runAudited(model::MachineModel& model, const protocol::Image& image, std::int64_t most) {
  Auditor auditor(model);
  const auto host = protocol::hostTokens(image);
  AuditedRun run;
  run.decoding = decode(model, host, most, [&](const Token& t) { auditor.follow(t); });
  run.positions = auditor.positions();
  run.mismatches = auditor.mismatches();
  run.first = auditor.first();
  return run;
}

TEST(MachineModel, WritesADotProduct) {
  model::MachineModel model(theCircuit());
  const AuditedRun run = runAudited(model, dotLaunch(), 100);
  const std::vector<Token> expected = {Token::exec(0, 0, 0b1111), Token::mem(7, 32), Token::halt()};
  EXPECT_EQ(run.decoding.written, expected);
  EXPECT_EQ(model::globalMemory(model)[7], 32u);
  EXPECT_EQ(run.mismatches, 0) << run.first;
}

TEST(MachineModel, WritesRandomLaunches) {
  const char* wanted = std::getenv("QGPU_MODEL_CASES");
  const std::uint64_t cases = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 3;
  model::MachineModel model(theCircuit());
  std::int64_t positions = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    model.reset();
    const AuditedRun run = runAudited(model, isatest::generateCase(seed).image(), 200);
    positions += run.positions;
    ASSERT_EQ(run.mismatches, 0) << "seed " << seed << ": " << run.first;
    for (std::size_t i = 0; i < theCircuit().layers.size(); ++i)
      ASSERT_TRUE(model.layer(i).isLifted()) << "layer " << i << " needed the stock formulas";
  }
  EXPECT_GT(positions, static_cast<std::int64_t>(100 * cases));
}

// A misaligned address faults; what its stage computed all the same is specified too.
TEST(MachineModel, StagesAgreeOnMisalignedHalfWords) {
  for (const std::string_view slot :
       {"ldhs _, [global 26009 + r0]", "ldh _, [global 411 + r0]", "sth [global 409 + r0], tid"}) {
    const auto program = isa::assemble(
        "block 0:\n jump 1\nblock 1:\n nop\n " + std::string(slot) + "\n exit\n", "t");
    ASSERT_TRUE(program) << program.error().text();
    const protocol::Image image{.program = protocol::encode(*program),
                                .parameters = {},
                                .memory = {{102, 0x80c0ffee}},
                                .thread_blocks = 1,
                                .threads = 4};
    model::MachineModel model(theCircuit());
    const AuditedRun run = runAudited(model, image, 100);
    EXPECT_EQ(run.decoding.written.back(), Token::trap());
    EXPECT_EQ(run.mismatches, 0) << slot << ": " << run.first;
  }
}

TEST(MachineModel, AnAuditNoticesAForeignToken) {
  model::MachineModel model(theCircuit());
  Auditor auditor(model);
  const auto feed = [&](const Token& token) {
    model.feed(token);
    auditor.follow(token);
  };
  for (const Token& token : protocol::hostTokens(isatest::generateCase(3).image())) feed(token);
  ASSERT_EQ(auditor.mismatches(), 0) << auditor.first();
  feed(Token::mem(5, 77));
  EXPECT_EQ(auditor.mismatches(), 1);
  EXPECT_NE(auditor.first().find("MEM 5 77"), std::string::npos) << auditor.first();
}

}  // namespace
}  // namespace qgpu::conformance
