#include "interpreter/testing/mutants.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "interpreter/isa/table.h"
#include "interpreter/testing/clause_check.h"
#include "interpreter/testing/edge_mutants.h"

namespace qgpu::isatest {
namespace {

using isa::Compare;
using isa::kOpcodes;
using isa::Opcode;
using isa::Row;
using isa::Unit;

using Lane = PlainIn;
using Change = std::uint32_t (*)(std::uint32_t);

bool among(Opcode op, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

// ---- What an instruction looks at. ----

struct ClauseOperand {
  char name;
  std::uint32_t Lane::* word;
  std::uint32_t bits;  // those that count
};

std::uint32_t bitsOfB(Opcode op, const Row& row) {
  return op == Opcode::Rotl || row.isShuffle() ? 31 : ~0u;
}
std::uint32_t bitsOfC(Opcode op) {
  switch (op) {
    case Opcode::Prmt:
    case Opcode::Sth: return 0xffff;
    case Opcode::Stb: return 0xff;
    default: return ~0u;
  }
}

// The operands of the clause. For a write, b is the word that is there.
std::vector<ClauseOperand> operandsOf(Opcode op) {
  const Row& row = isa::row(op);
  const bool takes = among(op, {Opcode::Quo, Opcode::Rem});  // what their division divides
  const bool overwrites = among(op, {Opcode::St, Opcode::AtomExch});
  std::vector<ClauseOperand> found;
  if (row.a || takes) found.push_back({'a', &Lane::a, ~0u});
  if ((row.b && !overwrites) || takes) found.push_back({'b', &Lane::b, bitsOfB(op, row)});
  if (row.c) found.push_back({'c', &Lane::c, bitsOfC(op)});
  return found;
}

bool commutes(Opcode op, char x, char y) {
  using enum Opcode;
  if (x == 'a' && y == 'b')
    return among(op, {Add, Addc, Mad, Madh, Madhu, And, Or, Xor, Min, Max, Minu, Maxu});
  if (x == 'b' && y == 'c')
    return among(op, {AtomAdd, AtomMin, AtomMax, AtomMinu, AtomMaxu, AtomAnd, AtomOr, AtomXor});
  return false;
}

bool hasWord(Opcode op) {
  const PlainKind kind = plainKind(op);
  return kind.result || kind.memory != MemoryKind::None || isa::row(op).unit == Unit::Divider;
}
// The highest bits are zero whatever the operands are.
bool isSmall(Opcode op) {
  using enum Opcode;
  return among(op, {Popc, Clz, Ballot, Ldb, Ldh});
}
bool sameInAllLanes(Opcode op) { return isa::row(op).isVote() || op == Opcode::Ballot; }
// The guard is data: a carry, a vote, an input; for quotient and remainder it says "signed".
bool guardIsData(Opcode op) {
  return plainKind(op).guard_is_input || among(op, {Opcode::Quo, Opcode::Rem});
}

// ---- The mutants of one instruction. ----

class Maker {
 public:
  Maker(Opcode op, std::vector<Mutant>& all) : op_(op), row_(isa::row(op)), all_(all) {}

  void make() {
    operands();
    exchanges();
    results();
    predicates();
    inputs();
    comparisonsExchanged();
    otherInstructions();
    for (EdgeMutant& edge : edgeMutants(op_))
      add(MutantFamily::Edge, std::move(edge.what), std::move(edge.compute));
    kinds();
  }

 private:
  void add(MutantFamily family, std::string what,
           std::function<PlainWarpOut(const PlainWarpIn&)> compute) {
    const bool shown = op_ != Opcode::Div && op_ != Opcode::Divu && op_ != Opcode::Nop;
    all_.push_back({op_, family, std::move(what), std::move(compute), {}, shown});
  }
  // The instruction on other inputs: `change` sees each lane.
  template <typename LaneChange>
  void before(MutantFamily family, std::string what, LaneChange change) {
    add(family, std::move(what), [op = op_, change](PlainWarpIn in) {
      for (Lane& lane : in.lanes) change(lane);
      return plainWarp(op, in);
    });
  }
  // Another result: `change` sees what came out.
  template <typename ResultChange>
  void after(std::string what, ResultChange change) {
    add(MutantFamily::Result, std::move(what), [op = op_, change](const PlainWarpIn& in) {
      PlainWarpOut out = plainWarp(op, in);
      change(out);
      return out;
    });
  }

  void operands() {
    struct Named {
      std::string_view what;
      Change change;
      std::uint32_t bits;  // changes nothing but these
    };
    static constexpr std::array<Named, 7> kChanges = {{
        {"{} + 1", [](std::uint32_t x) { return x + 1; }, 1},
        {"{} - 1", [](std::uint32_t x) { return x - 1; }, 1},
        {"~{}", [](std::uint32_t x) { return ~x; }, 1},
        {"0", [](std::uint32_t) { return 0u; }, 1},
        {"{} without its lowest bit", [](std::uint32_t x) { return x & ~1u; }, 1},
        {"{} without its upper half", [](std::uint32_t x) { return x & 0xffff; }, 1u << 16},
        {"{} with the other sign bit", [](std::uint32_t x) { return x ^ 1u << 31; }, 1u << 31},
    }};
    for (const ClauseOperand& o : operandsOf(op_))
      for (const Named& c : kChanges)
        if ((o.bits & c.bits) != 0)
          before(MutantFamily::Operand, filled(c.what, o.name) + " for " + o.name,
                 [word = o.word, change = c.change](Lane& x) { x.*word = change(x.*word); });
  }

  static std::string filled(std::string_view pattern, char name) {
    std::string text(pattern);
    if (const auto at = text.find("{}"); at != std::string::npos) text.replace(at, 2, 1, name);
    return text;
  }

  void exchanges() {
    const auto all = operandsOf(op_);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (!commutes(op_, all[i].name, all[j].name))
          before(MutantFamily::Operand,
                 std::string{all[i].name} + " and " + all[j].name + " exchanged",
                 [x = all[i].word, y = all[j].word](Lane& l) { std::swap(l.*x, l.*y); });
    const int width = plainKind(op_).width;
    if (width == 4) return;
    before(MutantFamily::Operand, "the first byte of the word", [](Lane& x) { x.byte = 0; });
    before(MutantFamily::Operand, "the other half of the word", [](Lane& x) { x.byte ^= 2; });
    if (width == 1)
      before(MutantFamily::Operand, "bytes from above", [](Lane& x) { x.byte = 3 - x.byte; });
  }

  void results() {
    if (!hasWord(op_)) return;
    eachResult("1 more", [](std::uint32_t r) { return r + 1; });
    eachResult("1 less", [](std::uint32_t r) { return r - 1; });
    eachResult("complemented", [](std::uint32_t r) { return ~r; });
    eachResult("0", [](std::uint32_t) { return 0u; });
    eachResult("without its lowest bit", [](std::uint32_t r) { return r & ~1u; });
    if (!isSmall(op_))
      eachResult("without its highest bit", [](std::uint32_t r) { return r & ~(1u << 31); });
    if (!sameInAllLanes(op_))
      after("the result of the next lane",
            [](PlainWarpOut& out) { std::rotate(out.r.begin(), out.r.begin() + 1, out.r.end()); });
    for (const ClauseOperand& o : operandsOf(op_))
      if (!passesOn(o.name))
        add(MutantFamily::Result, std::string{o.name} + " as it is",
            [op = op_, word = o.word](const PlainWarpIn& in) {
              PlainWarpOut out = plainWarp(op, in);
              for (std::size_t l = 0; l < 4; ++l) out.r[l] = in.lanes[l].*word;
              return out;
            });
  }
  // The clause is that operand.
  bool passesOn(char operand) const {
    return operand == 'b' ? op_ == Opcode::Mov
                          : operand == 'c' && among(op_, {Opcode::St, Opcode::AtomExch});
  }
  void eachResult(std::string_view what, Change change) {
    after("the result " + std::string(what), [change](PlainWarpOut& out) {
      for (std::uint32_t& r : out.r) r = change(r);
    });
  }

  void predicates() {
    if (!plainKind(op_).predicate) return;
    after("the predicate negated", [](PlainWarpOut& out) {
      for (bool& p : out.p) p = !p;
    });
    after("the predicate never", [](PlainWarpOut& out) { out.p.fill(false); });
    after("the predicate always", [](PlainWarpOut& out) { out.p.fill(true); });
    if (!sameInAllLanes(op_))
      after("the predicate of the next lane",
            [](PlainWarpOut& out) { std::rotate(out.p.begin(), out.p.begin() + 1, out.p.end()); });
  }

  void inputs() {
    if (!guardIsData(op_)) return;
    if (op_ != Opcode::VoteUni)  // which asks whether they are equal
      before(MutantFamily::Input, "the input negated", [](Lane& x) { x.guard = !x.guard; });
    before(MutantFamily::Input, "the input always 1", [](Lane& x) { x.guard = true; });
    before(MutantFamily::Input, "the input always 0", [](Lane& x) { x.guard = false; });
    if (row_.unit != Unit::Predicate) return;
    before(MutantFamily::Input, "the second input negated", [](Lane& x) { x.second = !x.second; });
    before(MutantFamily::Input, "the second input always 1", [](Lane& x) { x.second = true; });
    before(MutantFamily::Input, "the second input always 0", [](Lane& x) { x.second = false; });
  }

  void comparisonsExchanged() {
    static constexpr std::array kNames = {"eq", "ne", "lt", "ge", "ltu", "geu", "carry", "nocarry"};
    std::vector<Compare> held = comparisons(row_);
    // Where Eq stands for "no predicate".
    if (row_.predicate != isa::PredicateUse::Compare) held.erase(held.begin());
    for (const Compare one : held)
      for (const Compare other : held)
        if (one != other)
          before(MutantFamily::Comparison,
                 std::string(kNames[static_cast<std::size_t>(one)]) + " read as " +
                     kNames[static_cast<std::size_t>(other)],
                 [one, other](Lane& x) {
                   if (x.compare == one) x.compare = other;
                 });
  }

  void otherInstructions() {
    for (int i = 0; i < kOpcodes; ++i) {
      const auto other = static_cast<Opcode>(i);
      if (other == op_ || !comparable(other)) continue;
      add(MutantFamily::Instruction, "as " + std::string(isa::row(other).name),
          [other](const PlainWarpIn& in) { return plainWarp(other, in); });
    }
  }
  bool comparable(Opcode other) const {
    const Row& row = isa::row(other);
    const bool both_overwrite =
        among(op_, {Opcode::St, Opcode::AtomExch}) && among(other, {Opcode::St, Opcode::AtomExch});
    return row.unit == row_.unit && row.result == row_.result && row.a == row_.a && !both_overwrite;
  }

  // ---- What stands beside the clause. ----

  void kind(std::string what, bool in_programs, std::function<void(PlainKind&)> change) {
    all_.push_back({op_, MutantFamily::Kind, std::move(what), {}, std::move(change), in_programs});
  }

  void kinds() {
    const PlainKind plain = plainKind(op_);
    const bool writes = plain.memory > MemoryKind::Load;
    const bool guarded = row_.guard != isa::GuardUse::Unused;
    kind(plain.result ? "no result" : "a result", plain.result,
         [](PlainKind& k) { k.result = !k.result; });
    kind(plain.guard_is_input ? "the input as guard" : "the guard as input",
         guarded && !writes && (plain.result || plain.predicate),
         [](PlainKind& k) { k.guard_is_input = !k.guard_is_input; });
    kind(plain.c_is_operand ? "a failed guard keeps c" : "a failed guard gives 0",
         guarded && plain.result, [](PlainKind& k) { k.c_is_operand = !k.c_is_operand; });
    if (plain.memory != MemoryKind::None) accesses(plain);
  }
  void accesses(const PlainKind& plain) {
    for (const auto& [name, other] : {std::pair{"load", MemoryKind::Load},
                                      {"store", MemoryKind::Store},
                                      {"turns within the block", MemoryKind::Add},
                                      {"replay", MemoryKind::Replay}}) {
      // A store gives the word whatever was there, turns or none.
      const bool same = op_ == Opcode::St && other == MemoryKind::Add;
      const MemoryKind memory = other;  // C++20's lambdas do not capture bindings
      if (memory != plain.memory)
        kind("memory as " + std::string(name), !same,
             [memory](PlainKind& k) { k.memory = memory; });
    }
    for (const int width : {1, 2, 4})
      if (width != plain.width)
        kind(std::to_string(width) + " bytes wide", true,
             [width](PlainKind& k) { k.width = width; });
  }

  Opcode op_;
  const Row& row_;
  std::vector<Mutant>& all_;
};

}  // namespace

std::string_view nameOf(MutantFamily family) {
  static constexpr std::array<std::string_view, kMutantFamilies> kNames = {
      "operand", "result", "input", "comparison", "instruction", "edge", "kind"};
  return kNames[static_cast<std::size_t>(family)];
}

Meaning Mutant::meaning() const {
  Meaning meaning;
  if (compute)
    meaning.compute = [self = op, compute = compute](Opcode other, const PlainWarpIn& in) {
      return other == self ? compute(in) : plainWarp(other, in);
    };
  if (kind)
    meaning.kind = [self = op, kind = kind](Opcode other) {
      PlainKind found = plainKind(other);
      if (other == self) kind(found);
      return found;
    };
  return meaning;
}

std::string Mutant::text() const { return std::string(isa::row(op).name) + ": " + what; }

std::vector<Mutant> clauseMutants() {
  std::vector<Mutant> all;
  for (int i = 0; i < kOpcodes; ++i) Maker(static_cast<Opcode>(i), all).make();
  return all;
}

}  // namespace qgpu::isatest
