#include "compiler/circuit/machine/output.h"

#include "compiler/circuit/machine/items.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using protocol::Token;
using protocol::TokenKind;

// The kinds of an output code.
enum class Kind : unsigned { Exec, Val, Mem, Ext1, Ext2, Cta, Pred, End };
constexpr std::uint32_t kHaltPayload = 0, kTrapPayload = 1;

// Where each field of a payload starts.
constexpr int kExecWarp = 5, kExecMask = 8, kValLane = 4, kValLow = 7, kMemLow = 8, kCtaNtid = 8,
              kPredBits = 2;

std::uint32_t code(Kind kind, std::uint32_t payload) {
  return static_cast<std::uint32_t>(kind) | payload << kKindBits;
}

// Which words need a second and a third token, for the items that are words.
struct Lengths {
  Bus two, three;
};

// Set where bits low-1 .. 31 of the word differ from each other.
void addLong(Net& net, const Gate& exec, const Bus& word, int low, Wire out) {
  Gate ones = exec, zeros = exec;
  for (int i = low - 1; i < 32; ++i) {
    ones &= word[i];
    zeros &= Gate(!word[i]);
  }
  net.add(out, exec);
  net.add(out, ones, -1);
  net.add(out, zeros, -1);
}

const Bus& wordOf(const Results& results, int word) {
  return word < kValues ? results.stages[word / kMachine.lanes].result[word % kMachine.lanes]
                        : results.write.word[word - kValues];
}

Lengths storeLengths(Net& net, const Inputs& in, const Results& results) {
  const Bus two = net.wires("two", kWords), three = net.wires("three", kWords);
  for (int i = 0; i < kWords; ++i) {
    const int low = i < kValues ? protocol::kValBits : protocol::kMemBits;
    addLong(net, in.exec, wordOf(results, i), low, two[i]);
    addLong(net, in.exec, wordOf(results, i), low + protocol::kExtBits, three[i]);
  }
  const Lengths stored{net.wires("stored_two", kWords), net.wires("stored_three", kWords)};
  Bus values = two, outs = stored.two;
  values.insert(values.end(), three.begin(), three.end());
  outs.insert(outs.end(), stored.three.begin(), stored.three.end());
  net.memory({.name = "lengths", .write = {.when = in.exec}, .lanes = lanes(values, outs)});
  return stored;
}

// A slot's VAL is for all lanes where every lane of the mask commits it with the same value.
Bus storeUniform(Net& net, const Inputs& in, const Front& front, const Results& results) {
  const Bus uniform = net.wires("uniform", kMachine.slots);
  for (int s = 0; s < kMachine.slots; ++s) {
    const StageWires& stage = results.stages[s];
    // equal[i][j][byte]: byte of lane i's result is that of lane j's
    std::array<std::array<Bus, kMachine.lanes>, kMachine.lanes> equal;
    for (int i = 0; i < kMachine.lanes; ++i)
      for (int j = i + 1; j < kMachine.lanes; ++j) {
        equal[i][j] = net.wires("equal", 4);
        for (int b = 0; b < 4; ++b) {
          const auto byte = [&](int lane) {
            return number(std::span(stage.result[lane]).subspan(8 * b, 8));
          };
          addEqual(net, equal[i][j][b], in.exec & stage.live, byte(i) - byte(j), 0);
        }
      }
    // For each mask: its lanes commit and each has the value of the one before.
    for (unsigned mask = 1; mask <= kMachine.allLanes(); ++mask) {
      Gate gate = in.exec & stage.live & spells(front.mask, mask);
      int before = -1;
      for (int l = 0; l < kMachine.lanes; ++l) {
        if ((mask >> l & 1) == 0) continue;
        gate &= stage.commits[l] & results.write.wins(l);
        if (before >= 0)
          for (const Wire w : equal[before][l]) gate &= w;
        before = l;
      }
      net.add(uniform[s], gate);
    }
  }
  const Bus stored = net.wires("stored_uniform", kMachine.slots);
  net.memory({.name = "uniform", .write = {.when = in.exec}, .lanes = lanes(uniform, stored)});
  return stored;
}

// The ways a token can carry bits of a word: which of them, and where in the payload.
struct Part {
  TokenKind base;  // VAL or MEM
  int part;        // 0 the base token, 1 and 2 its EXT tokens
  Kind kind;
  int shift;  // of the bits in the payload

  int low() const { return lowBits(base); }
  int first() const { return part == 0 ? 0 : low() + protocol::kExtBits * (part - 1); }
  int width() const { return std::min(part == 0 ? low() : protocol::kExtBits, 32 - first()); }
};
constexpr std::array<Part, 6> kParts = {{{TokenKind::Val, 0, Kind::Val, kValLow},
                                         {TokenKind::Mem, 0, Kind::Mem, kMemLow},
                                         {TokenKind::Val, 1, Kind::Ext1, 0},
                                         {TokenKind::Mem, 1, Kind::Ext1, 0},
                                         {TokenKind::Val, 2, Kind::Ext2, 0},
                                         {TokenKind::Mem, 2, Kind::Ext2, 0}}};

// What the next token is. At most one of the flags of each group holds, and at most one group.
struct Choice {
  std::array<Bus, kParts.size()> part;  // for the first and the second word of a pair
  Bus pair;                             // 10: the row of words that holds the one to send
  Bus value_slot, value_lane, memory_lane, predicate_slot;
  Wire all_lanes;  // a VAL for all lanes
  Wire resume, fresh, cta, halt, trap;
};

Choice makeChoice(Net& net) {
  Choice c;
  for (Bus& flags : c.part) flags = net.wires("part", 2);
  c.pair = net.wires("pair", kWords / 2);
  c.value_slot = net.wires("value_slot", kMachine.slots);
  c.value_lane = net.wires("value_lane", kMachine.lanes);
  c.memory_lane = net.wires("memory_lane", kMachine.lanes);
  c.predicate_slot = net.wires("predicate_slot", kMachine.slots);
  c.all_lanes = net.wire("all_lanes");
  c.resume = net.wire("resume");
  c.fresh = net.wire("fresh");
  c.cta = net.wire("cta");
  c.halt = net.wire("halt");
  c.trap = net.wire("trap");
  return c;
}

void chooseWord(Net& net, const Items& items, const Bus& uniform, Wire more1, Wire more2,
                const Gate& item, Choice& c) {
  for (int w = 0; w < kWords; ++w) {
    const bool value = w < kValues;
    const auto parity = static_cast<std::size_t>(w % 2);
    const std::size_t kind = value ? 0 : 1;
    const Wire next = items.next[itemOfWord(w)];
    net.add(c.pair[w / 2], item & next);
    net.add(c.part[kind][parity], item & next);
    for (const auto& [part, more] : {std::pair{1u, more1}, std::pair{2u, more2}}) {
      net.add(c.pair[w / 2], more & items.here[w]);
      net.add(c.part[2 * part + kind][parity], more & items.here[w]);
    }
    if (!value) {
      net.add(c.memory_lane[w - kValues], item & next);
      continue;
    }
    const int slot = w / kMachine.lanes, lane = w % kMachine.lanes;
    net.add(c.value_slot[slot], item & next);
    net.add(c.all_lanes, item & next & uniform[slot]);
    net.add(c.value_lane[lane], item & next & !uniform[slot]);
  }
  for (int s = 0; s < kMachine.slots; ++s)
    net.add(c.predicate_slot[s], item & items.next[kFirstPredicate + s]);
}

Choice choose(Net& net, const Inputs& in, const Results& results, const Items& items,
              const Lengths& lengths, const Bus& uniform, const Schedule& schedule) {
  const Wire more1 = net.wire("more1"), more2 = net.wire("more2"), faulty = net.wire("faulty");
  addAtLeast(net, faulty, in.exec, Form(results.write.faults), 1);
  for (int w = 0; w < kWords; ++w) {
    net.add(more1, items.here[w] & lengths.two[w] & in.base);
    net.add(more2, items.here[w] & lengths.three[w] & in.ext1);
  }
  Choice c = makeChoice(net);
  const Gate item{!more1, !more2, !faulty};
  chooseWord(net, items, uniform, more1, more2, item, c);
  const Gate done = item & items.none_left & !in.cta;
  net.add(c.resume, done & schedule.resume);
  net.add(c.fresh, done & schedule.fresh);
  net.add(c.cta, done & schedule.cta);
  net.add(c.halt, done & schedule.halt);
  net.add(c.trap, Gate(faulty));
  return c;
}

// The two words of the row that holds the one to send.
std::array<Bus, 2> storeWords(Net& net, const Inputs& in, const Results& results, const Choice& c) {
  const std::array<Bus, 2> words = {net.wires("even_word", 32), net.wires("odd_word", 32)};
  for (int pair = 0; pair < kWords / 2; ++pair) {
    Bus values = wordOf(results, 2 * pair), outs = words[0];
    const Bus& odd = wordOf(results, 2 * pair + 1);
    values.insert(values.end(), odd.begin(), odd.end());
    outs.insert(outs.end(), words[1].begin(), words[1].end());
    net.memory({.name = "words" + std::to_string(pair),
                .write = {.when = in.exec},
                .read = {.when = Gate(c.pair[pair])},
                .lanes = lanes(values, outs)});
  }
  return words;
}

// Writes codes: the kind of each choice and the fields of its payload.
class CodeWriter {
 public:
  CodeWriter(Net& net, const Bus& code) : net_(net), code_(code) {}

  void kind(const Gate& when, Kind kind) {
    addConstant(net_, when, static_cast<unsigned>(kind), std::span(code_).first(kKindBits));
  }
  void bits(const Gate& when, std::span<const Wire> field, int shift) {
    addCopy(net_, when, field, payload().subspan(shift, field.size()));
  }
  void constant(const Gate& when, std::uint32_t value) {
    addConstant(net_, when, value, payload());
  }
  Wire bit(int i) const { return code_[kKindBits + i]; }

 private:
  std::span<const Wire> payload() const { return std::span(code_).subspan(kKindBits); }
  Net& net_;
  const Bus& code_;
};

void writeItems(CodeWriter& out, const Items& items, const Choice& c,
                const std::array<Bus, 2>& words) {
  for (std::size_t p = 0; p < kParts.size(); ++p)
    for (std::size_t parity = 0; parity < 2; ++parity) {
      const Wire chosen = c.part[p][parity];
      out.kind(chosen, kParts[p].kind);
      out.bits(chosen, std::span(words[parity]).subspan(kParts[p].first(), kParts[p].width()),
               kParts[p].shift);
    }
  out.constant(c.all_lanes, std::uint32_t{protocol::kAllLanes} << kValLane);
  for (int l = 0; l < kMachine.lanes; ++l) {
    out.constant(c.value_lane[l], static_cast<unsigned>(l) << kValLane);
    out.bits(c.memory_lane[l], items.address[l], 0);
  }
  for (int s = 0; s < kMachine.slots; ++s) {
    out.bits(c.value_slot[s], items.rd[s], 0);
    out.kind(c.predicate_slot[s], Kind::Pred);
    out.bits(c.predicate_slot[s], items.pd[s], 0);
    out.bits(c.predicate_slot[s], items.predicates[s], kPredBits);
  }
}

void writeSchedule(Net& net, CodeWriter& out, const Inputs& in, const Front& front,
                   const Schedule& schedule, const Choice& c) {
  out.bits(c.resume, std::span(schedule.block).first(kExecWarp), 0);
  out.bits(c.resume, schedule.warp, kExecWarp);
  out.bits(c.resume, schedule.mask, kExecMask);
  out.bits(c.fresh, schedule.fresh_warp, kExecWarp);
  out.bits(c.fresh, schedule.fresh_lanes, kExecMask);
  for (int l = 0; l < kMachine.lanes; ++l)  // a thread block starts with warp 0
    addAtLeast(net, out.bit(kExecMask + l), in.cta, number(front.ntid), l + 1);
  out.kind(c.cta, Kind::Cta);
  out.bits(c.cta, schedule.next_cta, 0);
  out.bits(c.cta, front.ntid, kCtaNtid);
  out.kind(c.halt, Kind::End);
  out.constant(c.halt, kHaltPayload);
  out.kind(c.trap, Kind::End);
  out.constant(c.trap, kTrapPayload);
}

}  // namespace

std::optional<std::uint32_t> outputCode(const Token& t) {
  const auto f = [&](int i) { return std::uint32_t{t.field[i]}; };
  switch (t.kind) {
    case TokenKind::Exec: return code(Kind::Exec, f(0) | f(1) << kExecWarp | f(2) << kExecMask);
    case TokenKind::Val: return code(Kind::Val, f(0) | f(1) << kValLane | f(2) << kValLow);
    case TokenKind::Mem: return code(Kind::Mem, f(0) | f(1) << kMemLow);
    case TokenKind::Ext1: return code(Kind::Ext1, f(0));
    case TokenKind::Ext2: return code(Kind::Ext2, f(0));
    case TokenKind::Cta: return code(Kind::Cta, f(0) | f(1) << kCtaNtid);
    case TokenKind::Pred: return code(Kind::Pred, f(0) | f(1) << kPredBits);
    case TokenKind::Halt: return code(Kind::End, kHaltPayload);
    case TokenKind::Trap: return code(Kind::End, kTrapPayload);
    default: return std::nullopt;
  }
}

Bus buildOutput(Net& net, const Inputs& in, const Front& front, const Results& results,
                const Schedule& schedule, int first) {
  const auto scope = net.scope("output");
  const Items items = buildItems(net, in, front, results, first);
  const Lengths lengths = storeLengths(net, in, results);
  const Bus uniform = storeUniform(net, in, front, results);
  const Choice choice = choose(net, in, results, items, lengths, uniform, schedule);
  const std::array<Bus, 2> words = storeWords(net, in, results, choice);
  const Bus code = net.wires("code", kCodeWidth, kBit);
  CodeWriter writer(net, code);
  writeItems(writer, items, choice, words);
  writeSchedule(net, writer, in, front, schedule, choice);
  net.output(code);
  return code;
}

}  // namespace qgpu::circuit::machine
