// What lanes learn of each other: shuffles and votes. And logic on predicates.
#include "compiler/circuit/machine/stage.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Opcode;

constexpr unsigned kLaneValues = kMachine.lanes;  // two-bit lane numbers

struct ShuffleFlags {
  Wire active, idx, up, down, exclusive;
};

// Where lane `l` of a shuffle reads from, and whether that is in range.
class ShuffleSource {
 public:
  ShuffleSource(Stage& s, const ShuffleFlags& flags, int lane)
      : s_(s), flags_(flags), lane_(lane), last_(s.net.wires("last", 2)) {
    // Decoded before it is known what kind of block it is; the rest belongs to ordinary blocks.
    const auto mode = s.net.within(s.ordinary);
    source_ = s.net.wires("source", kMachine.lanes);
    in_range_ = s.net.wire("in_range");
    const Bus aux = s.bits.field("aux");
    clamp_ = {aux[0], aux[1]};
    segment_ = {aux[2], aux[3]};
  }

  void build() {
    {
      // last = lane within the segment, clamp outside it
      const auto at = s_.decoding();
      for (unsigned i = 0; i < 2; ++i) {
        s_.net.add(last_[i], s_.in.exec & !segment_[i] & clamp_[i]);
        if ((lane_ >> i & 1) != 0) s_.net.add(last_[i], s_.in.exec & segment_[i]);
      }
    }
    const auto at = s_.net.at(s_.layer(2));
    const Bus& b = s_.operands.b[lane_];
    const std::span<const Wire> low = std::span(b).first(2);
    const Gate near{!b[2], !b[3], !b[4]};
    for (unsigned n = 0; n < kLaneValues; ++n) {
      const Gate by_n = spells(low, n) & near;
      const int delta = static_cast<int>(n);
      if (lane_ - delta >= 0) reads(flags_.up & by_n, lane_ - delta, false);
      if (lane_ + delta < kMachine.lanes) reads(flags_.down & by_n, lane_ + delta, true);
      reads(flags_.exclusive & by_n, lane_ ^ delta, true);
      for (unsigned segment = 0; segment < kLaneValues; ++segment) {
        const auto kept = static_cast<unsigned>(lane_) & segment;
        reads(flags_.idx & spells(low, n) & spells(segment_, segment),
              static_cast<int>(kept | (n & ~segment)), true);
      }
    }
  }

  // The predicate is wanted one layer before the result.
  void report() { s_.net.add(s_.predicate[lane_], Gate(in_range_)); }
  void move() {
    const Bus& out = s_.out.result[lane_];
    const Wire open = s_.open[lane_];
    for (int from = 0; from < kMachine.lanes; ++from)
      addCopy(s_.net, source_[from] & open, s_.operands.a[from], out);
    addCopy(s_.net, flags_.active & open & !in_range_, s_.operands.a[lane_], out);
  }

 private:
  // Reads lane `from` where that is at most, or at least, the last lane of its segment.
  void reads(const Gate& when, int from, bool at_most_last) {
    for (const Wire out : {source_[from], in_range_})
      addFunction(s_.net, out, when, number(last_),
                  [&](int last) { return at_most_last ? from <= last : from >= last; });
  }

  Stage& s_;
  const ShuffleFlags& flags_;
  int lane_;
  Bus source_;
  Wire in_range_;
  Bus last_, clamp_, segment_;
};

void buildShuffles(Stage& s) {
  ShuffleFlags flags;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    flags.active = d.rows("active", [](const isa::Row& r) { return r.isShuffle(); });
    flags.idx = d.ops("idx", {Opcode::ShflIdx});
    flags.up = d.ops("up", {Opcode::ShflUp});
    flags.down = d.ops("down", {Opcode::ShflDown});
    flags.exclusive = d.ops("xor", {Opcode::ShflXor});
  }
  for (const Wire flag : {flags.active, flags.idx, flags.up, flags.down, flags.exclusive})
    s.net.implies(flag, s.ordinary);
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto lane = s.net.scope("lane" + std::to_string(l));
    ShuffleSource source(s, flags, l);
    source.build();
    {
      const auto early = s.net.at(s.layer(4));
      source.report();
    }
    const auto at = s.net.at(s.layer(5));
    source.move();
  }
}

void buildVotes(Stage& s) {
  Wire any, all, uni, ballot;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    any = d.ops("any", {Opcode::VoteAny});
    all = d.ops("all", {Opcode::VoteAll});
    uni = d.ops("uni", {Opcode::VoteUni});
    ballot = d.ops("ballot", {Opcode::Ballot});
  }
  const auto at = s.net.at(s.layer(3));
  const Bus holding(s.access.begin(), s.access.end());  // runs, and its input holds
  const Form votes = count(holding), missing = count(s.front.mask) - votes;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Wire out = s.predicate[l];
    addFunction(s.net, out, Gate(any), votes, {0, kMachine.lanes}, [](int n) { return n > 0; });
    for (const Wire flag : {all, uni})
      addFunction(s.net, out, Gate(flag), missing, {0, kMachine.lanes},
                  [](int n) { return n == 0; });
    addFunction(s.net, out, Gate(uni), votes, {0, kMachine.lanes}, [](int n) { return n == 0; });
    const auto next = s.net.at(s.layer(4));
    addCopy(s.net, Gate(ballot), holding, std::span(s.out.result[l]).first(kMachine.lanes));
  }
}

void buildPredicateLogic(Stage& s) {
  Wire conjunction, disjunction, difference;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    conjunction = d.ops("and", {Opcode::Pand});
    disjunction = d.ops("or", {Opcode::Por});
    difference = d.ops("xor", {Opcode::Pxor});
  }
  const auto at = s.net.at(s.layer(3));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Wire a = s.operands.guard[l], b = s.operands.second[l], out = s.predicate[l];
    s.net.add(out, conjunction & a & b);
    s.net.add(out, disjunction & a);
    s.net.add(out, disjunction & !a & b);
    s.net.add(out, difference & a & !b);
    s.net.add(out, difference & !a & b);
  }
}

}  // namespace

void buildLanes(Stage& s) {
  const auto scope = s.net.scope("lanes");
  buildShuffles(s);
  buildVotes(s);
  buildPredicateLogic(s);
}

}  // namespace qgpu::circuit::machine
