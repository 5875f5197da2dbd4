#include "compiler/circuit/machine/circuit.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/circuit/emit.h"
#include "compiler/circuit/vocabulary.h"

namespace qgpu::circuit::machine {
namespace {

using protocol::Token;

model::TokenEmbedding embedding(const MachineNet& machine, const CompiledNet& compiled) {
  model::TokenEmbedding table{.constants = compiled.constants, .starts = {0}, .columns = {}};
  for (int id = 0; id < protocol::vocabulary(); ++id) {
    for (const Wire w : embed(machine.inputs, *Token::fromId(id)))
      if (const int dim = compiled.dim(w); dim >= 0)
        table.columns.push_back(static_cast<std::uint16_t>(dim));
    std::sort(table.columns.begin() + table.starts.back(), table.columns.end());
    table.starts.push_back(static_cast<std::uint32_t>(table.columns.size()));
  }
  return table;
}

model::Unembedding unembedding(const MachineNet& machine, const CompiledNet& compiled) {
  model::Unembedding head{
      .norm = finalNorm(compiled), .dims = {}, .scale = logitWeight(compiled), .codes = {}};
  for (const Wire w : machine.code) {
    check(compiled.encodings[w.id] == Encoding::Sign, "a code wire is read by its sign");
    head.dims.push_back(static_cast<std::uint16_t>(compiled.dim(w)));
  }
  for (int id = 0; id < protocol::vocabulary(); ++id) {
    const auto code = outputCode(*Token::fromId(id));
    head.codes.push_back(code ? static_cast<std::int32_t>(*code) : model::Unembedding::kNever);
  }
  return head;
}

// The first step at which all of the bus is complete and still there.
Probe probe(const MachineNet& machine, const CompiledNet& compiled, std::span<const Wire> bus) {
  Probe p{.step = 0, .sign = compiled.encodings[bus.front().id] == Encoding::Sign, .dims = {}};
  for (const Wire w : bus) {
    p.step = std::max(p.step, machine.net.info(w).last_drive + 1);
    p.dims.push_back(static_cast<std::uint16_t>(compiled.dim(w)));
  }
  for (const Wire w : bus)
    check(compiled.dim(w) >= 0 && machine.net.info(w).last_read >= p.step &&
              (compiled.encodings[w.id] == Encoding::Sign) == p.sign,
          "a probed bus is whole at one step");
  return p;
}

std::map<std::string, Probe> probes(const MachineNet& machine, const CompiledNet& compiled) {
  std::map<std::string, Probe> all;
  for (std::size_t s = 0; s < machine.results.stages.size(); ++s) {
    const StageWires& stage = machine.results.stages[s];
    const std::string name = fmt::format("stage{}.", s + 1);
    for (std::size_t l = 0; l < stage.result.size(); ++l)
      all[fmt::format("{}result.lane{}", name, l)] = probe(machine, compiled, stage.result[l]);
    all[name + "predicate"] = probe(machine, compiled, stage.predicate);
    all[name + "commits"] = probe(machine, compiled, stage.commits);
  }
  all["write.writes"] = probe(machine, compiled, machine.results.write.writes);
  for (std::size_t l = 0; l < machine.results.write.word.size(); ++l)
    all[fmt::format("write.word.lane{}", l)] =
        probe(machine, compiled, machine.results.write.word[l]);
  return all;
}

}  // namespace

Expected<model::Circuit> buildCircuit(const Substrate& substrate) {
  const MachineNet machine = buildMachine();
  auto compiled = compile(machine.net, substrate);
  if (!compiled) return fail(std::move(compiled.error()));
  model::Circuit circuit{.substrate = substrate,
                         .layers = std::move(compiled->layers),
                         .budget = compiled->budget,
                         .embedding = embedding(machine, *compiled),
                         .unembedding = unembedding(machine, *compiled),
                         .memories = {},
                         .probes = probes(machine, *compiled)};
  for (std::size_t i = 0; i < machine.net.memories().size(); ++i)
    circuit.memories[machine.net.memories()[i].name] = compiled->memories[i];
  return circuit;
}

}  // namespace qgpu::circuit::machine
