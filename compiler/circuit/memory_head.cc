#include "compiler/circuit/memory_head.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu::circuit {
namespace {

constexpr float kBitHeight = 146.0f;
constexpr float kPinHeight = 146.0f * 65536.0f;
constexpr int kFirstPin = kHeadDim - 2;
constexpr float kOpen = 128.0f;  // sigmoid and silu give 1 and 128 exactly
// What the gated norm makes of a stored bit and of a pin, times the z gate.
constexpr float kBitRead = 1.0f / 64.0f;
constexpr float kPinRead = 1024.0f;
// softplus(a + dt_bias) with a = 0 is so small that exp(-softplus) is 1: nothing decays.
constexpr float kNoDecay = -30.0f;

class MixerWriter {
 public:
  MixerWriter(const RowWriter& writer, const Net& net, const Allocation& allocation,
              const Substrate& substrate)
      : writer_(writer),
        net_(net),
        allocation_(allocation),
        substrate_(substrate),
        constants_(substrate),
        width_(static_cast<std::uint32_t>(substrate.heads) * kHeadDim) {}

  bool add(const Memory& memory, std::uint32_t head) {
    const bool reads = isRead(memory);
    bool exact = addPort(memory, memory.write, 1, head);
    if (reads) exact = addPort(memory, memory.read, 0, head) && exact;
    for (std::uint32_t i = 0; i < memory.lanes.size(); ++i)
      exact = addLane(memory, i, head) && exact;
    for (int pin = kFirstPin; pin < kHeadDim; ++pin) {
      const std::uint32_t channel = valueChannel(head, pin);
      exact = writer_.append(qkv_, channel, 1, RowForm{kPinHeight, {}}) && exact;
      conv_.push_back({channel, kConvTaps - 1, 1});
    }
    exact = writer_.append(b_, head, 1, RowForm{kOpen, {}}) && exact;
    if (!memory.written.empty())
      exact = addOuts(memory.written, head, kFirstPin, kPinRead) && exact;
    return exact;
  }

  void finish(LayerWeights& weights) {
    const auto hidden = static_cast<std::size_t>(substrate_.hidden);
    const auto heads = static_cast<std::size_t>(substrate_.heads);
    weights.in_proj_qkv = SparseMatrix(3 * width_, hidden, std::move(qkv_));
    weights.in_proj_z = SparseMatrix(width_, hidden, std::move(z_));
    weights.in_proj_b = SparseMatrix(heads, hidden, std::move(b_));
    weights.in_proj_a = SparseMatrix(heads, hidden, {});
    weights.conv1d = SparseMatrix(3 * width_, kConvTaps, std::move(conv_));
    weights.out_proj = SparseMatrix(hidden, width_, std::move(out_));
    weights.dt_bias.assign(heads, toBfloat16(kNoDecay));
    weights.a_log.assign(heads, toBfloat16(0));
    weights.norm.assign(kHeadDim, toBfloat16(1));
  }

 private:
  bool isRead(const Memory& memory) const {
    return !memory.written.empty() ||
           std::ranges::any_of(memory.lanes, [](const Lane& lane) { return !lane.outs.empty(); });
  }
  std::uint32_t valueChannel(std::uint32_t head, int lane) const {
    return 2 * width_ + head * kHeadDim + static_cast<std::uint32_t>(lane);
  }
  void addTap(std::uint32_t channel, int delay) {
    conv_.push_back({channel, static_cast<std::uint32_t>(kConvTaps - 1 - delay), 1});
  }

  // One channel for each row: the AND of its address bits and the port's condition.
  // Part 0 is q, part 1 is k.
  bool addPort(const Memory& memory, const Port& port, std::uint32_t part, std::uint32_t head) {
    bool exact = true;
    const int rows = std::min(memory.rows, 1 << port.address.size());
    for (int row = 0; row < rows; ++row) {
      Gate gate = port.when;
      for (std::size_t i = 0; i < port.address.size(); ++i)
        gate &= Literal(port.address[i], (row >> i & 1) != 0);
      if (gate.contradictory()) continue;
      const std::uint32_t channel =
          part * width_ + head * kHeadDim + static_cast<std::uint32_t>(row);
      const RowForm key = writer_.row(gate, memory.step, RowWriter::Margin::One);
      exact = writer_.append(qkv_, channel, kGateScale, key) && exact;
      addTap(channel, port.delay);
    }
    return exact;
  }

  bool addLane(const Memory& memory, std::uint32_t index, std::uint32_t head) {
    const Lane& lane = memory.lanes[index];
    const std::uint32_t channel = valueChannel(head, static_cast<int>(index));
    addTap(channel, lane.delay);
    return writer_.append(qkv_, channel, kBitHeight, writer_.row(lane.value, memory.step)) &&
           addOuts(lane.outs, head, static_cast<int>(index), kBitRead);
  }

  bool addOuts(const std::vector<Output>& outs, std::uint32_t head, int lane, float read) {
    const std::uint32_t channel = head * kHeadDim + static_cast<std::uint32_t>(lane);
    bool used = false, exact = true;
    for (const Output& out : outs) {
      const int dim = allocation_.dim[out.wire.id];
      if (dim == Allocation::kNoDim) continue;
      const bool sign = net_.info(out.wire).type.encoding == Encoding::Sign;
      const float share = static_cast<float>(sign ? 2 * out.amount : out.amount) / read;
      exact = exact && isBfloat16(share);
      if (exact) out_.push_back({static_cast<std::uint32_t>(dim), channel, share});
      used = true;
    }
    if (used) exact = writer_.append(z_, channel, 1, RowForm{kOpen, {}}) && exact;
    return exact;
  }

  const RowWriter& writer_;
  const Net& net_;
  const Allocation& allocation_;
  const Substrate& substrate_;
  Constants constants_;
  std::uint32_t width_;
  std::vector<Entry> qkv_, z_, b_, conv_, out_;
};

}  // namespace

Expected<void> emitMemories(const RowWriter& writer, const Net& net, const Allocation& allocation,
                            const Substrate& substrate, const std::vector<const Memory*>& memories,
                            LayerWeights& weights) {
  MixerWriter mixer(writer, net, allocation, substrate);
  for (std::uint32_t head = 0; head < memories.size(); ++head)
    if (!mixer.add(*memories[head], head))
      return refuse(fmt::format("{} in {} needs a weight of more than eight bits",
                                memories[head]->name, stepName(memories[head]->step)));
  mixer.finish(weights);
  return {};
}

}  // namespace qgpu::circuit
