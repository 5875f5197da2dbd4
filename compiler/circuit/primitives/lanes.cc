#include "compiler/circuit/primitives/lanes.h"

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

// number(bits), or number(bits) with each bit inverted that is set in `mask`.
Form flipped(std::span<const Wire> bits, int mask) {
  Form form;
  for (std::size_t i = 0; i < bits.size(); ++i)
    form += (1 << i) * Form(Literal(bits[i], (mask >> i & 1) == 0));
  return form;
}

}  // namespace

ShuffleTarget aimShuffle(Net& net, const ShuffleOperation& op, int lane, std::span<const Wire> b) {
  const auto scope = net.scope("shuffle");
  const ShuffleTarget target{net.wire("source", integer(-31, 34)), net.wire("last", integer(0, 3))};
  net.add(target.source, op.indexed, number(b.first(2)));
  net.add(target.source, op.up, lane - number(b));
  net.add(target.source, op.down, lane + number(b));
  net.add(target.source, op.flip, flipped(b, lane));
  net.add(target.last, op.active, number(op.clamp));
  for (std::size_t k = 0; k < 2; ++k) {
    // A bit of the segment takes the lane's own bit in place of the operand's or the clamp's.
    const int own = (lane >> k & 1) << k;
    net.add(target.source, op.indexed & op.segment[k], own - (1 << k) * Form(b[k]));
    net.add(target.last, op.active & op.segment[k], own - (1 << k) * Form(op.clamp[k]));
  }
  return target;
}

ShuffleChoice chooseSource(Net& net, const ShuffleOperation& op, const ShuffleTarget& target) {
  const auto scope = net.scope("shuffle");
  const ShuffleChoice choice{net.wires("from", 4), net.wire("in_range")};
  for (int lane = 0; lane < 4; ++lane)
    addEqual(net, choice.source[lane], op.active, target.source, lane);
  const Form beyond = Form(target.source) - target.last;
  addAtLeast(net, choice.in_range, op.up, beyond, 0);
  addAtLeast(net, choice.in_range, op.active & !op.up, -beyond, 0);
  return choice;
}

void addShuffled(Net& net, const ShuffleOperation& op, const ShuffleChoice& choice, int lane,
                 const std::vector<Bus>& words, const Bus& out) {
  const auto scope = net.scope("shuffle");
  const auto self = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < out.size(); ++i) {
    net.add(out[i], op.active & words[self][i]);
    for (std::size_t source = 0; source < words.size(); ++source)
      if (source != self)
        net.add(out[i], choice.source[source] & choice.in_range,
                Form(words[source][i]) - words[self][i]);
  }
}

void addAny(Net& net, const Gate& when, const Bus& holding, Wire out) {
  addAtLeast(net, out, when, count(holding), 1);
}

void addAll(Net& net, const Gate& when, const Bus& mask, const Bus& holding, Wire out) {
  const int lanes = static_cast<int>(mask.size());
  addFunction(net, out, when, count(mask) - count(holding), {0, lanes},
              [](int missing) { return missing == 0; });
}

void addUnanimous(Net& net, const Gate& when, const Bus& mask, const Bus& holding, Wire out) {
  // All and none hold together where no lane runs: that case is counted once.
  addAll(net, when, mask, holding, out);
  addEqual(net, out, when, count(holding), 0);
  addFunction(net, out, when, count(mask), [](int running) { return running == 0 ? -1 : 0; });
}

}  // namespace qgpu::circuit
