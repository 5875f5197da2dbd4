// Audits in batches on several threads: launches of many batches pass, and one altered weight or
// one wrong token anywhere does not.
#include <gtest/gtest.h>

#include <optional>

#include "conformance/audit/batch_audit.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::conformance {
namespace {

using protocol::Token;

struct Launch {
  std::vector<Token> host, trace;
};

// Nothing for a launch that does not end within `most` tokens.
std::optional<Launch> launchOf(const protocol::Image& image, std::int64_t most) {
  Launch launch{protocol::hostTokens(image), {}};
  machine::Machine machine;
  const auto run = machine::launch(machine, launch.host, most);
  if (!run) return std::nullopt;
  launch.trace = launch.host;
  launch.trace.insert(launch.trace.end(), run->written.begin(), run->written.end());
  return launch;
}

// A loop of so many rounds that multiplies, stores, loads and sums.
Launch rounds(std::uint32_t count) {
  const auto program = isa::assemble(R"(
    block 0:
      mov r1!, 0
      mov r2!, tid
      jump 1
    block 1:
      mad r2!, r2, 5, c1
      st [global 4 + tid*4], s1
      add r1!, r1, 1
      setp.lt p0, s3, c0
      branch !s4, 2, 1
    block 2:
      atom.add _, [global 128 + r0*4], r2
      exit)",
                                     "rounds");
  check(program.has_value(), program ? "" : program.error().text());
  return *launchOf({.program = protocol::encode(*program), .parameters = {count, 77}, .threads = 8},
                   1000000);
}

TEST(BatchAudit, PassesLaunchesOfManyBatches) {
  model::MachineModel model(theCircuit());
  const Launch launch = rounds(isatest::unlessSanitized(200, 20));
  for (const int threads : {1, 2, 3}) {
    std::int64_t last = 0;
    const Audit audit =
        auditInBatches(model, launch.host, launch.trace,
                       {.threads = threads, .progress = [&](std::int64_t done) { last = done; }});
    EXPECT_EQ(audit.mismatches, 0) << audit.first;
    EXPECT_EQ(audit.positions, static_cast<std::int64_t>(launch.trace.size()));
    EXPECT_EQ(last, audit.positions);
  }
}

TEST(BatchAudit, PassesRandomLaunches) {
  model::MachineModel model(theCircuit());
  int audited = 0;
  for (std::uint64_t seed = 20; audited < isatest::unlessSanitized(15, 2); ++seed) {
    const auto launch = launchOf(isatest::generateCase(seed).image(), 3000);
    if (!launch) continue;
    const Audit audit = auditInBatches(model, launch->host, launch->trace, {.threads = 2});
    EXPECT_EQ(audit.mismatches, 0) << seed << ": " << audit.first;
    ++audited;
  }
}

// Late in the launch, so that a thread is in another batch than the one that is wrong.
TEST(BatchAudit, FindsAWrongTokenAtItsPlace) {
  model::MachineModel model(theCircuit());
  Launch launch = rounds(60);
  const std::size_t at = launch.trace.size() - 100;
  launch.trace[at] = launch.trace[at - 1] == Token::halt() ? Token::trap() : Token::halt();
  const Audit audit = auditInBatches(model, launch.host, launch.trace, {.threads = 2});
  EXPECT_EQ(audit.positions, static_cast<std::int64_t>(at + 1));
  EXPECT_GT(audit.mismatches, 0);
}

// The trace is right, the model is not.
TEST(BatchAudit, FindsAnAlteredWeight) {
  model::Circuit circuit = theCircuit();
  model::SparseMatrix& down = circuit.layers[20].down_proj;
  std::vector<model::Entry> entries;
  for (std::uint32_t row = 0; row < down.rows(); ++row)
    for (std::size_t i = 0; i < down.rowColumns(row).size(); ++i)
      entries.push_back({row, down.rowColumns(row)[i], toFloat(down.rowValues(row)[i])});
  for (model::Entry& entry : entries) entry.value = -entry.value;
  down = model::SparseMatrix(down.rows(), down.columns(), entries);
  model::MachineModel model(circuit);
  const Launch launch = rounds(3);
  const Audit plain = auditTrace(model, launch.host, launch.trace);
  const Audit audit = auditInBatches(model, launch.host, launch.trace, {.threads = 2});
  EXPECT_GT(audit.mismatches, 0);
  EXPECT_EQ(audit.first, plain.first);
}

}  // namespace
}  // namespace qgpu::conformance
