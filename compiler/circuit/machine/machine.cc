#include "compiler/circuit/machine/machine.h"

#include "compiler/circuit/machine/control.h"
#include "compiler/circuit/machine/stage.h"

namespace qgpu::circuit::machine {
namespace {

// Rows of layers that no stage needs for itself.
constexpr int kHeaderLayer = 32, kItemsLayer = 36;
constexpr int kMostFaults = 64;

WriteWires writeWires(Net& net) {
  const auto scope = net.scope("write");
  WriteWires out;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::string lane = std::to_string(l);
    out.word[l] = net.wires("word" + lane, 32);
    out.address[l] = net.wires("address" + lane, 8);
    out.writes[l] = net.wire("writes" + lane);
    if (l > 0) out.loses[l] = net.wire("loses" + lane);
  }
  out.faults = net.wire("faults", integer(0, kMostFaults));
  return out;
}

}  // namespace

MachineNet buildMachine() {
  MachineNet machine;
  Net& net = machine.net;
  const Front front = buildFront(net, machine.inputs);
  machine.results.write = writeWires(net);
  for (int slot = 0; slot < kMachine.slots; ++slot)
    buildStage(net, machine.inputs, front, slot, machine.results);
  const Schedule schedule = buildControl(net, machine.inputs, front, machine.results, kHeaderLayer);
  machine.code = buildOutput(net, machine.inputs, front, machine.results, schedule, kItemsLayer);
  return machine;
}

}  // namespace qgpu::circuit::machine
