#include "compiler/circuit/machine/machine.h"

#include "compiler/circuit/machine/control.h"
#include "compiler/circuit/machine/stage.h"

namespace qgpu::circuit::machine {
namespace {

// Rows of layers that no stage needs for itself.
constexpr int kHeaderLayer = 32, kItemsLayer = 36;
constexpr int kMostFaults = 64;

WriteWires writeWires(Net& net, Mode ordinary) {
  const auto scope = net.scope("write");
  WriteWires out;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::string lane = std::to_string(l);
    {
      const auto mode = net.within(ordinary);
      out.word[l] = net.wires("word" + lane, 32);
      out.address[l] = net.wires("address" + lane, 8);
    }
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
  std::array<SlotBits, kMachine.slots> bits;
  for (int slot = 0; slot < kMachine.slots; ++slot)
    bits[slot] = fetchSlot(net, machine.inputs, front, slot);
  const BlockModes modes = buildBlockModes(net, machine.inputs, bits[0]);
  machine.results.write = writeWires(net, modes.ordinary);
  std::array<Operands, kMachine.slots> operands;
  for (int slot = 0; slot < kMachine.slots; ++slot)
    operands[slot] =
        buildStage(net, machine.inputs, front, bits[slot], slot, modes, machine.results);
  buildDivision(net, machine.inputs, modes, operands[0], bits, machine.results);
  const Schedule schedule = buildControl(net, machine.inputs, front, machine.results, kHeaderLayer);
  machine.code = buildOutput(net, machine.inputs, front, machine.results, schedule, kItemsLayer);
  return machine;
}

}  // namespace qgpu::circuit::machine
