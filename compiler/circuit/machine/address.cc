// The memory operand's address: base + (index << shift) modulo 2^32, its range and its faults.
//
// Only the nine low bits are wanted as a number; of the upper 23 only whether they are all zero.
// Each byte of the sum is looked at alone in the first layer, for each of the three shifts; the
// second joins them by their carries.
#include "compiler/circuit/machine/stage.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"
#include "interpreter/isa/encoding.h"

namespace qgpu::circuit::machine {
namespace {

constexpr int kShifts = 3;

struct AddressFlags {
  Wire global, shared;  // the memory operand's space
  std::array<Wire, kShifts> shift;
  Wire half, word;  // aligned to two, to four bytes
};

AddressFlags decodeAddress(Stage& s) {
  const auto at = s.decoding();
  Decoder d = s.decoder();
  const Bus space = s.bits.field("space");
  const Wire scaled = s.bits.flag("scaled");
  const auto addresses = [](const isa::Row& r) { return r.memory != isa::Memory::None; };
  const auto width = [](int bytes) {
    return [bytes](const isa::Row& r) { return r.memory != isa::Memory::None && r.width == bytes; };
  };
  AddressFlags f;
  f.global = d.rows("global", addresses, Decoder::Form::Any, Gate(space[0]));
  f.shared = d.rows("shared", addresses, Decoder::Form::Any, Gate(space[1]));
  f.half = d.rows("half", width(2), Decoder::Form::Memory);
  f.word = d.rows("word", width(4), Decoder::Form::Memory);
  f.shift[0] = d.rows("unscaled", addresses, Decoder::Form::Memory, Gate(!scaled));
  f.shift[1] = d.rows("scaled2", width(2), Decoder::Form::Memory, Gate(scaled));
  f.shift[2] = d.rows("scaled4", width(4), Decoder::Form::Memory, Gate(scaled));
  d.alsoRows(f.shift[0], width(1), Decoder::Form::Memory, Gate(scaled));
  return f;
}

// What the bytes of the sum look like, each without a carry from below.
struct ByteViews {
  Bus low;                    // bits 0-7 of byte 0
  Wire carry;                 // out of byte 0
  Wire bit8;                  // bit 0 of byte 1
  Bus second;                 // byte 1's sum is 0, 1, 255, 256, 257
  Bus zero, all_ones, wraps;  // bytes 2 and 3: the sum is 0, 255, 256
};

constexpr std::array kSecondSums = {0, 1, 255, 256, 257};

ByteViews makeViews(Net& net) {
  return {net.wires("low", 8),    net.wire("carry"),    net.wire("bit8"),
          net.wires("second", 5), net.wires("zero", 2), net.wires("all_ones", 2),
          net.wires("wraps", 2)};
}

// A byte of base + (index << shift).
Form byteSum(const Stage& s, int lane, int shift, int byte, int width = 8) {
  const Bus& index = s.operands.b[lane];
  Form sum(number(std::span(s.operands.base).subspan(std::size_t{8} * byte, width)));
  for (int i = 0; i < width; ++i) {
    const int from = 8 * byte + i - shift;
    if (from >= 0) sum += (1 << i) * Form(index[from]);
  }
  return sum;
}

void addViews(Stage& s, const Gate& when, int lane, int shift, const ByteViews& v) {
  Net& net = s.net;
  for (int k = 0; k < 8; ++k)
    addFunction(net, v.low[k], when, byteSum(s, lane, shift, 0, k + 1),
                [k](int n) { return n >> k & 1; });
  addAtLeast(net, v.carry, when, byteSum(s, lane, shift, 0), 256);
  addFunction(net, v.bit8, when, byteSum(s, lane, shift, 1, 1), [](int n) { return n & 1; });
  for (std::size_t i = 0; i < kSecondSums.size(); ++i)
    addEqual(net, v.second[i], when, byteSum(s, lane, shift, 1), kSecondSums[i]);
  for (int byte = 2; byte < 4; ++byte) {
    const Form sum = byteSum(s, lane, shift, byte);
    addEqual(net, v.zero[byte - 2], when, sum, 0);
    addEqual(net, v.all_ones[byte - 2], when, sum, 255);
    addEqual(net, v.wraps[byte - 2], when, sum, 256);
  }
}

// Adds 1 to `good` where the bits above the space's are 0. `bits`: how many low bits of byte 1 may
// be set, 1 for global memory and none for shared.
void addInRange(Net& net, Wire space, int bits, const ByteViews& v, Wire good) {
  for (const bool carry : {false, true})
    for (std::size_t i = 0; i < kSecondSums.size(); ++i) {
      const int sum = kSecondSums[i] + (carry ? 1 : 0);
      if ((sum & 255) >> bits != 0) continue;
      const Gate second = space & Literal(v.carry, carry) & v.second[i];
      if (sum >= 256) {
        net.add(good, second & v.all_ones[0] & v.all_ones[1]);
        continue;
      }
      net.add(good, second & v.zero[0] & v.zero[1]);
      net.add(good, second & v.zero[0] & v.wraps[1]);
      net.add(good, second & v.wraps[0] & v.all_ones[1]);
    }
}

void buildLane(Stage& s, const AddressFlags& f, int l) {
  Net& net = s.net;
  const ByteViews v = makeViews(net);
  {
    const auto at = net.at(s.layer(2));
    for (int shift = 0; shift < kShifts; ++shift) addViews(s, Gate(f.shift[shift]), l, shift, v);
  }
  s.address[l] = net.wires("row", 8);
  s.byte[l] = net.wires("byte", 2);
  const Bus &row = s.address[l], &byte = s.byte[l];
  const Wire good = net.wire("good");
  {
    const auto at = net.at(s.layer(3));
    addCopy(net, {}, std::span(v.low).first(2), byte);
    addCopy(net, {}, std::span(v.low).subspan(2), std::span(row).first(6));
    net.add(row[6], f.global & v.bit8 & !v.carry);
    net.add(row[6], f.global & !v.bit8 & v.carry);
    net.add(row[7], Gate(f.shared));
    addInRange(net, f.global, 1, v, good);
    addInRange(net, f.shared, 0, v, good);
  }
  const auto at = net.at(s.layer(4));
  const Wire faults = s.write.faults, access = s.access[l];
  for (const Wire space : {f.global, f.shared}) net.add(faults, access & space & !good);
  net.add(faults, access & f.global & spells(std::span(row).first(7), 0));
  net.add(faults, access & f.word & byte[0]);
  net.add(faults, access & f.word & byte[1]);
  net.add(faults, access & f.half & byte[0]);
}

}  // namespace

void buildAddress(Stage& s) {
  const auto scope = s.net.scope("address");
  const AddressFlags flags = decodeAddress(s);
  for (const Wire flag : {flags.global, flags.shared, flags.half, flags.word, flags.shift[0],
                          flags.shift[1], flags.shift[2]})
    s.net.implies(flag, s.ordinary);
  const auto mode = s.net.within(s.ordinary);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = s.net.scope("lane" + std::to_string(l));
    buildLane(s, flags, l);
  }
}

}  // namespace qgpu::circuit::machine
