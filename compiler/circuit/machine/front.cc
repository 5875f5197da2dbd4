#include "compiler/circuit/machine/front.h"

#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

Bus join(std::initializer_list<Bus> buses) {
  Bus all;
  for (const Bus& bus : buses) all.insert(all.end(), bus.begin(), bus.end());
  return all;
}

// A row of one latch: written where `when` holds, read where `read` does.
void latch(Net& net, std::string_view name, const Gate& when, const Gate& read, const Bus& values,
           const Bus& outs) {
  net.memory({.name = std::string(name),
              .write = {.when = when},
              .read = {.when = read},
              .lanes = lanes(values, outs)});
}

void buildLatches(Net& net, const Inputs& in, Front& out) {
  const auto scope = net.scope("latch");
  out.warp = net.wires("warp", 3);
  out.mask = net.wires("mask", kMachine.lanes);
  out.ctaid = net.wires("ctaid", 8);
  out.ntid = net.wires("ntid", 6);
  out.first = net.wires("first", 13);
  out.nctaid = net.wires("nctaid", 9);
  latch(net, "exec", in.exec, {}, join({in.warp, in.mask}), join({out.warp, out.mask}));
  latch(net, "cta", in.cta, {}, join({in.ctaid, in.ntid, in.first}),
        join({out.ctaid, out.ntid, out.first}));
  latch(net, "grid", in.grid, {}, in.nctaid, out.nctaid);
  latch(net, "base", in.base, in.ext, in.now.all(), in.word.all());
  latch(net, "ext1", in.ext1, in.ext2, in.more1, in.word1);
}

// The word of one format: `low` bits from the base token, then 13 and 13, the rest its sign.
void composeWord(Net& net, const Inputs& in, Wire kind, int low, const Bus& word) {
  const Gate base = kind & in.base, ext1 = kind & in.ext1;
  for (int i = 0; i < 32; ++i) {
    const int second = i - low, third = i - low - protocol::kExtBits;
    if (second < 0) {
      net.add(word[i], kind & in.word.low[i]);
      continue;
    }
    net.add(word[i], base & in.word.low[low - 1]);
    if (third < 0) {
      net.add(word[i], kind & in.ext & in.word1[second]);
      continue;
    }
    net.add(word[i], ext1 & in.word1.back());
    net.add(word[i], kind & in.ext2 & in.more2[third]);
  }
}

// gtid = first + tid. A lane's tid is the warp's number times four plus the lane, so its low two
// bits are constants; `first` is a sum of two numbers of 7 and 6 bits to keep every gate small.
void buildGtid(Net& net, const Inputs& in, Front& out) {
  const auto scope = net.scope("gtid");
  const std::span<const Wire> low = std::span(out.first).first(7),
                              high = std::span(out.first).subspan(7);
  for (int l = 0; l < kMachine.lanes; ++l) {
    out.gtid[l] = net.wires("lane" + std::to_string(l), 13);
    const Form sum = number(low) + 4 * number(out.warp) + l;  // at most 127 + 31
    addBits(net, std::span(out.gtid[l]).first(7), in.exec, sum);
    for (int i = 0; i < 6; ++i) {
      // A carry of at most 1 flips bit i where all lower bits of the high part are ones.
      const Wire bit = high[i];
      net.add(out.gtid[l][7 + i], in.exec & bit);
      Gate ones = in.exec;
      for (int j = 0; j < i; ++j) ones &= high[j];
      const Form carry = 1 - 2 * Form(bit);
      net.add(out.gtid[l][7 + i], ones & relu(sum - 127).atMost(31), carry);
      net.add(out.gtid[l][7 + i], ones & relu(sum - 128).atMost(30), -carry);
    }
  }
}

}  // namespace

Front buildFront(Net& net, const Inputs& in) {
  const auto scope = net.scope("front");
  Front out;
  buildLatches(net, in, out);
  out.word = net.wires("word", 32);
  composeWord(net, in, in.word.val, protocol::kValBits, out.word);
  composeWord(net, in, in.word.nine, protocol::kMemBits, out.word);
  composeWord(net, in, in.word.code, protocol::kCodeBits, out.word);
  out.at_entry = net.define("at_entry", in.exec & spells(in.block, 0));
  Gate none_before;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::string lane = std::to_string(l);
    out.write_register[l] = net.define("write_register" + lane, in.word.val & in.word.lane()[l]);
    net.add(out.write_register[l], in.word.val & in.word.allLanes() & out.mask[l]);
    out.first_lane[l] = net.define("first_lane" + lane, none_before & out.mask[l]);
    none_before &= !out.mask[l];
  }
  buildGtid(net, in, out);
  return out;
}

}  // namespace qgpu::circuit::machine
