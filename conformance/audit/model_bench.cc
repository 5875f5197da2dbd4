// The model's speed: tokens a second of launches that it writes, with and without an audit, the
// stock formulas beside the shortcuts; and what it takes to build and read a circuit.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "conformance/audit/audit.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"
#include "model/launch/decode.h"
#include "model/weights/circuit_file.h"

namespace qgpu::conformance {
namespace {

using protocol::Token;

std::vector<Token> hostTokensOf(std::string_view assembly, int threads) {
  const auto program = isa::assemble(assembly, "bench");
  check(program.has_value() && isa::violations(*program).empty(), "the benchmark's program is one");
  protocol::Image image{.program = protocol::encode(*program),
                        .parameters = {5, 7},
                        .memory = {},
                        .thread_blocks = 1,
                        .threads = threads};
  for (int row = 1; row < 64; ++row)
    image.memory.push_back({row, 0x01234567u * static_cast<unsigned>(row)});
  return protocol::hostTokens(image);
}

// All lanes work in every slot; few tokens beside EXEC.
std::vector<Token> arithmetic() {
  return hostTokensOf(R"(block 0:
    add r1!, tid, 1
    jump 1
  block 1:
    mad _, r1, 5, c1
    xor _, s1, r1
    add _, s2, tid
    mad r1!, s3, s2, s1
    jump 1
  )",
                      32);
}

// Loads, a product and an atomic sum in every block.
std::vector<Token> memory() {
  return hostTokensOf(R"(block 0:
    jump 1
  block 1:
    mov _, [global 4 + tid*4]
    mad _, s1, [global 16 + tid*4], r0
    atom.add _, [global 240 + r0], s2
    jump 1
  )",
                      32);
}

std::vector<Token> mixed() { return protocol::hostTokens(isatest::generateCase(2).image()); }

constexpr std::int64_t kTokens = 2000;

void decodeTokens(benchmark::State& state, const std::vector<Token>& host, bool audited) {
  model::MachineModel model(theCircuit());
  std::int64_t tokens = 0;
  for (auto _ : state) {
    model.reset();
    std::optional<Auditor> auditor;
    model::Observer observe;
    if (audited) {
      auditor.emplace(model);
      observe = [&](const Token& token) { auditor->follow(token); };
    }
    const model::Decoding run = model::decode(model, host, kTokens, observe);
    if (auditor) check(auditor->mismatches() == 0, "the benchmark's launch is exact");
    tokens += static_cast<std::int64_t>(host.size() + run.written.size());
  }
  state.SetItemsProcessed(tokens);
}

void Decode(benchmark::State& state, std::vector<Token> (*host)()) {
  decodeTokens(state, host(), false);
}
void DecodeWithAudit(benchmark::State& state, std::vector<Token> (*host)()) {
  decodeTokens(state, host(), true);
}
BENCHMARK_CAPTURE(Decode, arithmetic, arithmetic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Decode, memory, memory)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Decode, mixed, mixed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DecodeWithAudit, mixed, mixed)->Unit(benchmark::kMillisecond);

void StockFormulas(benchmark::State& state) {
  const auto host = mixed();
  model::MachineModel model(theCircuit(), model::Shortcuts::none());
  std::size_t next = 0;
  for (auto _ : state) model.feed(host[next++ % host.size()]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(StockFormulas)->Unit(benchmark::kMillisecond);

void BuildCircuit(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(circuit::machine::buildCircuit());
}
BENCHMARK(BuildCircuit)->Unit(benchmark::kMillisecond);

void ReadCircuitAndPrepareModel(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / "qgpu_model_bench.safetensors";
  check(model::writeCircuit(path, theCircuit()).has_value(), "the circuit can be written");
  for (auto _ : state) {
    const auto circuit = model::readCircuit(path);
    model::MachineModel model(*circuit);
    benchmark::DoNotOptimize(model.next());
  }
  std::filesystem::remove(path);
}
BENCHMARK(ReadCircuitAndPrepareModel)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace qgpu::conformance
