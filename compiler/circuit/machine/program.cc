#include "compiler/circuit/machine/program.h"

#include "compiler/circuit/primitives/logic.h"
#include "interpreter/isa/encoding.h"

namespace qgpu::circuit::machine {
namespace {

Gate writes(const WordFields& w, int row, int half) {
  return w.code & spells(w.row(), static_cast<unsigned>(row)) & Literal(w.half(), half != 0);
}

// The first slot's halves, from the parts of a word in the last three tokens.
void fetchEarly(Net& net, const Inputs& in, int half, std::span<const Wire> out) {
  std::vector<Lane> lanes;
  for (int i = 0; i < 32; ++i) {
    const int second = i - protocol::kCodeBits, third = second - protocol::kExtBits;
    Lane lane{.outs = {{out[i], 1}}};
    if (second < 0) {
      lane.value = in.now.low[i];
      lane.delay = 2;
    } else if (third < 0) {
      lane.value = in.more1[second];
      lane.delay = 1;
    } else {
      lane.value = in.more2[third];
    }
    lanes.push_back(lane);
  }
  net.memory({.name = "half" + std::to_string(half),
              .rows = kMachine.blocks,
              .write = {.address = in.now.block(), .when = writes(in.now, 0, half), .delay = 2},
              .read = {.address = in.block, .when = in.exec},
              .lanes = lanes});
}

void fetchHalf(Net& net, const Inputs& in, const Front& front, int row, int half,
               std::span<const Wire> out) {
  net.memory({.name = "half" + std::to_string(half),
              .rows = kMachine.blocks,
              .write = {.address = in.word.block(), .when = writes(in.word, row, half)},
              .read = {.address = in.block, .when = in.exec},
              .lanes = lanes(std::span(front.word).first(out.size()), out)});
}

template <typename Fields>
Bus slice(const Fields& fields, const Bus& word, std::string_view name) {
  for (const isa::Field& f : fields)
    if (f.name == name) return {word.begin() + f.first, word.begin() + f.first + f.bits};
  bug("a field that the encoding does not have");
}

}  // namespace

Bus SlotBits::field(std::string_view name) const { return slice(isa::kSlotFields, word, name); }

SlotBits fetchSlot(Net& net, const Inputs& in, const Front& front, int slot) {
  const auto scope = net.scope("slot" + std::to_string(slot + 1));
  const auto layer = net.at(fetchLayer(slot));
  const SlotBits bits{net.wires("word", 64)};
  for (int half = 0; half < isa::kHalves; ++half) {
    const auto out = std::span(bits.word).subspan(32 * half, 32);
    if (slot == 0)
      fetchEarly(net, in, half, out);
    else
      fetchHalf(net, in, front, slot, half, out);
  }
  return bits;
}

HeaderBits fetchHeader(Net& net, const Inputs& in, const Front& front, int layer) {
  const auto scope = net.scope("header");
  const auto at = net.at(layer);
  const isa::Field& last = isa::kHeaderFields.back();
  const Bus bits = net.wires("word", last.first + last.bits);
  fetchHalf(net, in, front, kMachine.slots, 0, bits);
  const auto field = [&](std::string_view name) { return slice(isa::kHeaderFields, bits, name); };
  return {field("kind"),
          field("condition"),
          field("target"),
          field("other"),
          field("condition_not").front(),
          field("divide").front()};
}

Decoder::Decoder(Net& net, const Inputs& in, const SlotBits& bits)
    : net_(net), exec_(in.exec), op_(bits.field("op")), space_(bits.field("space")) {}

Wire Decoder::ops(std::string_view name, std::initializer_list<isa::Opcode> set, Form form,
                  const Gate& extra) {
  const Wire out = net_.wire(name);
  also(out, set, form, extra);
  return out;
}

void Decoder::also(Wire flag, std::initializer_list<isa::Opcode> set, Form form, const Gate& extra,
                   int amount) {
  for (const isa::Opcode op : set) add(flag, static_cast<int>(op), form, extra, amount);
}

void Decoder::add(Wire out, int opcode, Form form, const Gate& extra, int amount) {
  const Gate gate = exec_ & spells(op_, static_cast<unsigned>(opcode)) & extra;
  switch (form) {
    case Form::Any: net_.add(out, gate, amount); break;
    case Form::Register: net_.add(out, gate & !space_[0] & !space_[1], amount); break;
    case Form::Memory:
      net_.add(out, gate & space_[0], amount);
      net_.add(out, gate & space_[1], amount);
      break;
  }
}

}  // namespace qgpu::circuit::machine
