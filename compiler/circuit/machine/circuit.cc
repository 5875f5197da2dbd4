#include "compiler/circuit/machine/circuit.h"

namespace qgpu::circuit::machine {

MemoryPlace Circuit::memory(const std::string& name) const {
  const auto found = places.find(name);
  check(found != places.end(), "a memory is asked for by a name that it has");
  return found->second;
}

Expected<Circuit> buildCircuit(const Substrate& substrate) {
  const MachineNet machine = buildMachine();
  auto compiled = compile(machine.net, substrate);
  if (!compiled) return fail(std::move(compiled.error()));
  Circuit circuit{.substrate = substrate,
                  .layers = std::move(compiled->layers),
                  .constants = compiled->constants,
                  .input_dims = {},
                  .code_dims = {},
                  .places = {}};
  for (std::uint32_t id = 0; machine.net.info({id}).is_input; ++id)
    circuit.input_dims.push_back(compiled->dims[id]);
  for (const Wire w : machine.code) circuit.code_dims.push_back(compiled->dim(w));
  for (std::size_t i = 0; i < machine.net.memories().size(); ++i)
    circuit.places[machine.net.memories()[i].name] = compiled->memories[i];
  return circuit;
}

TokenEmbedding::TokenEmbedding(const Circuit& circuit) : inputs_(net_), circuit_(circuit) {}

std::vector<int> TokenEmbedding::operator()(const protocol::Token& token) const {
  std::vector<int> columns;
  for (const Wire w : embed(inputs_, token))
    if (const int dim = circuit_.input_dims[w.id]; dim >= 0) columns.push_back(dim);
  return columns;
}

}  // namespace qgpu::circuit::machine
