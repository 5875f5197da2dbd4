// The model against the interpreter: launches that it writes itself, and its state after every
// token.
#include "model/circuit/machine_model.h"

#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "model/circuit/audit.h"

namespace qgpu::model {
namespace {

using protocol::Token;
using protocol::TokenKind;

const circuit::machine::Circuit& theCircuit() {
  static const circuit::machine::Circuit kCircuit = [] {
    auto built = circuit::machine::buildCircuit();
    check(built.has_value(), "the machine fits the model");
    return std::move(*built);
  }();
  return kCircuit;
}

// Greedy decoding until HALT, TRAP or `budget` tokens; nothing but the model decides a token.
std::vector<Token> decode(MachineModel& model, Auditor& auditor, const protocol::Image& image,
                          std::size_t budget) {
  const auto feed = [&](const Token& token) {
    model.feed(token);
    auditor.follow(token, model);
  };
  for (const Token& token : protocol::hostTokens(image)) feed(token);
  std::vector<Token> written;
  while (written.size() < budget) {
    written.push_back(*model.next());
    feed(written.back());
    if (written.back().kind == TokenKind::Halt || written.back().kind == TokenKind::Trap) break;
  }
  return written;
}

TEST(MachineModel, WritesADotProduct) {
  const auto program = isa::assemble(R"(block 0:
    setp.lt p0, gtid, c0
    @s1 mov _, [global 4 + gtid*4]
    @s1 mad _, s2, [global 16 + gtid*4], r0
    @s1 atom.add _, [global 28 + r0], s3
    exit
  )",
                                     "dot");
  ASSERT_TRUE(program);
  const protocol::Image image{.program = protocol::encode(*program),
                              .parameters = {3},
                              .memory = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}},
                              .thread_blocks = 1,
                              .threads = 4};
  MachineModel model(theCircuit());
  Auditor auditor;
  const std::vector<Token> written = decode(model, auditor, image, 100);
  const std::vector<Token> expected = {Token::exec(0, 0, 0b1111), Token::mem(7, 32), Token::halt()};
  EXPECT_EQ(written, expected);
  EXPECT_EQ(model.globalWord(7), 32u);
  EXPECT_EQ(auditor.mismatches(), 0) << auditor.first();
}

TEST(MachineModel, WritesRandomLaunches) {
  const char* wanted = std::getenv("QGPU_MODEL_CASES");
  const std::uint64_t cases = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 3;
  MachineModel model(theCircuit());
  std::int64_t positions = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    model.reset();
    Auditor auditor;
    decode(model, auditor, isatest::generateCase(seed).image(), 200);
    positions += auditor.positions();
    ASSERT_EQ(auditor.mismatches(), 0) << "seed " << seed << ": " << auditor.first();
  }
  EXPECT_GT(positions, static_cast<std::int64_t>(100 * cases));
}

TEST(MachineModel, AnAuditNoticesAForeignToken) {
  const isatest::MachineCase launch = isatest::generateCase(3);
  MachineModel model(theCircuit());
  Auditor auditor;
  for (const Token& token : protocol::hostTokens(launch.image())) {
    model.feed(token);
    auditor.follow(token, model);
  }
  ASSERT_EQ(auditor.mismatches(), 0) << auditor.first();
  const Token wrong = Token::mem(5, 77);
  model.feed(wrong);
  auditor.follow(wrong, model);
  EXPECT_EQ(auditor.mismatches(), 1);
  EXPECT_NE(auditor.first().find("MEM 5 77"), std::string::npos) << auditor.first();
}

}  // namespace
}  // namespace qgpu::model
