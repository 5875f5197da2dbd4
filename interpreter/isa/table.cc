#include "interpreter/isa/table.h"

#include "interpreter/isa/clauses.h"

namespace qgpu::isa {
namespace {

// A truth about each lane, as a mask.
template <typename Truth>
LaneMask gather(Truth truth) {
  LaneMask lanes = 0;
  for (int l = 0; l < kMachine.lanes; ++l) lanes |= LaneMask{truth(l)} << l;
  return lanes;
}

bool bit(LaneMask lanes, int l) { return (lanes >> l & 1) != 0; }

// A clause about one lane, applied to each lane of the warp. Results and predicates are gathered
// apart, which lets the compiler make one vector of the four results.
template <typename Clause>
void eachLane(const LaneWords& a, const LaneWords& b, const LaneWords& c, const WarpIn& in,
              WarpOut& out) {
  const auto lane = [&](int l) {
    return Clause{}({a[l], b[l], c[l], in.byte[l], bit(in.guard, l), bit(in.second, l)});
  };
  LaneWords r;
  for (int l = 0; l < kMachine.lanes; ++l) r[l] = lane(l).r;
  out = {r, gather([&](int l) { return lane(l).p; })};
}

// The lanes whose sums compare as asked. Odd comparisons negate the one before them.
template <typename LaneSum>
LaneMask compareLanes(Compare compare, LaneSum sum) {
  const auto code = static_cast<unsigned>(compare);
  LaneMask lanes = 0;
  switch (static_cast<Compare>(code & ~1u)) {
    case Compare::Eq: lanes = gather([&](int l) { return sum(l).equal(); }); break;
    case Compare::Lt: lanes = gather([&](int l) { return sum(l).less(); }); break;
    case Compare::Ltu: lanes = gather([&](int l) { return !sum(l).carryOut(); }); break;
    default: lanes = gather([&](int l) { return sum(l).carryOut(); }); break;
  }
  return (code & 1) != 0 ? lanes ^ kMachine.allLanes() : lanes;
}

// A clause about what the adder adds in one lane.
template <typename Clause>
void adder(const LaneWords& a, const LaneWords& b, const LaneWords&, const WarpIn& in,
           WarpOut& out) {
  const auto sum = [&](int l) { return Clause{}(a[l], b[l], bit(in.guard, l)); };
  LaneWords r;
  for (int l = 0; l < kMachine.lanes; ++l) r[l] = sum(l).word();
  out = {r, compareLanes(in.compare, sum)};
}

// The same for its predicate alone.
template <typename Clause>
void comparison(const LaneWords& a, const LaneWords& b, const LaneWords&, const WarpIn& in,
                WarpOut& out) {
  const auto sum = [&](int l) { return Clause{}(a[l], b[l], bit(in.guard, l)); };
  out = {{}, compareLanes(in.compare, sum)};
}

// A clause about where lane `l` of a shuffle reads: a lane number, in range or not.
template <typename Clause>
void shuffle(const LaneWords& a, const LaneWords& b, const LaneWords&, const WarpIn& in,
             WarpOut& out) {
  const auto lane = [&](int l) {
    return Clause{}(l, static_cast<int>(b[l] & 31), ShuffleRange(l, in.aux));
  };
  LaneWords r;
  for (int l = 0; l < kMachine.lanes; ++l) r[l] = a[lane(l).in_range ? lane(l).lane & 3 : l];
  out = {r, gather([&](int l) { return lane(l).in_range; })};
}

// A clause about the set of running lanes and those of them whose input holds.
template <typename Clause>
void vote(const LaneWords&, const LaneWords&, const LaneWords&, const WarpIn& in, WarpOut& out) {
  out.r.fill(0);
  out.p = Clause{}(in.guard & in.mask, in.mask) ? kMachine.allLanes() : 0;
}

void ballot(const LaneWords&, const LaneWords&, const LaneWords&, const WarpIn& in, WarpOut& out) {
  out.r.fill(in.guard & in.mask);
  out.p = 0;
}

struct Source {
  int lane;
  bool in_range;
};

// ---- Shapes: which operands a family of instructions reads and what it writes. ----

constexpr Row shape(Unit unit, std::string_view operands) {
  Row r;
  r.unit = unit;
  for (const char o : operands) (o == 'a' ? r.a : o == 'b' ? r.b : r.c) = true;
  r.result = true;
  if (r.c) r.guard = GuardUse::Commit;
  return r;
}
constexpr Row withMemory(Row r, Memory memory, int width = 4) {
  r.memory = memory;
  r.width = width;
  return r;
}
constexpr Row withPredicate(Row r, PredicateUse predicate) {
  r.predicate = predicate;
  return r;
}
constexpr Row withInput(Row r) {
  r.guard = GuardUse::Input;
  return r;
}
constexpr Row withoutResult(Row r) {
  r.result = false;
  return r;
}

constexpr Row withoutGuard(Row r) {
  r.guard = GuardUse::Unused;
  return r;
}

constexpr Row kNothing = withoutGuard(withoutResult(shape(Unit::Move, "")));
constexpr Row kMove = withMemory(shape(Unit::Move, "b"), Memory::Optional);
constexpr Row kCarry = withPredicate(shape(Unit::Adder, "ab"), PredicateUse::Carry);
constexpr Row kCompare = withPredicate(shape(Unit::Adder, "ab"), PredicateUse::Compare);
constexpr Row kOrder = withPredicate(shape(Unit::Adder, "ab"), PredicateUse::Order);
constexpr Row kLogic = withMemory(shape(Unit::Logic, "ab"), Memory::Optional);
constexpr Row kShift = shape(Unit::Shifter, "ab");
constexpr Row kSelect = withMemory(shape(Unit::Select, "ab"), Memory::Optional);
constexpr Row kUnary = shape(Unit::Bits, "a");
constexpr Row kPredicate =
    withoutResult(withInput(withPredicate(shape(Unit::Predicate, ""), PredicateUse::Flag)));
constexpr Row kShuffle = withPredicate(shape(Unit::Lanes, "ab"), PredicateUse::Flag);
constexpr Row kVote =
    withoutResult(withInput(withPredicate(shape(Unit::Lanes, ""), PredicateUse::Flag)));
constexpr Row kByteLoad = withMemory(shape(Unit::Load, "b"), Memory::Load, 1);
constexpr Row kHalfLoad = withMemory(shape(Unit::Load, "b"), Memory::Load, 2);
constexpr Row kReplay = withMemory(shape(Unit::Store, "bc"), Memory::Replay);
constexpr Row kNarrowStore = withoutResult(kReplay);
constexpr Row kDivide = withoutGuard(withoutResult(shape(Unit::Divider, "ab")));
constexpr Row kTake = withoutGuard(shape(Unit::Divider, ""));

// ---- Rows. ----

constexpr Row define(std::string_view name, Row base, std::string_view ptx, std::string_view clause,
                     std::string_view note, decltype(Row::lanes) lanes) {
  base.name = name;
  base.ptx = ptx;
  base.clause = clause;
  base.note = note;
  base.lanes = lanes;
  return base;
}
template <typename Clause>
constexpr Row op(std::string_view name, Row base, std::string_view ptx, std::string_view clause,
                 std::string_view note, Clause) {
  return define(name, base, ptx, clause, note, &eachLane<Clause>);
}
template <typename Clause>
constexpr Row adderOp(std::string_view name, Row base, std::string_view ptx,
                      std::string_view clause, std::string_view note, Clause) {
  return define(name, base, ptx, clause, note, base.result ? &adder<Clause> : &comparison<Clause>);
}
template <typename Clause>
constexpr Row shuffleOp(std::string_view name, std::string_view clause, Clause) {
  return define(name, kShuffle, "", clause,
                "A lane out of range keeps its own a; the predicate says whether it was in range. "
                "A lane that does not run still lends its a.",
                &shuffle<Clause>);
}
constexpr std::string_view kVoteNote = "The guard field is the vote, not a guard.";
template <typename Clause>
constexpr Row voteOp(std::string_view name, std::string_view clause, Clause) {
  return define(name, kVote, "", clause, kVoteNote, &vote<Clause>);
}

using In = const LaneIn&;
using Word = std::uint32_t;
constexpr std::string_view kReplayNote =
    "Stands alone among memory writes in a replay block: of lanes with one address the first runs, "
    "the others run the block again.";

constexpr std::array<Row, kOpcodes> kRows = {
    op("nop", kNothing, "", "nothing", "Word 0.", [](In) { return LaneOut{}; }),
    op("mov", kMove, "mov.u32 mov.s32 mov.b32", "rd = b",
       "With a memory operand, the load. Guarded, the select: rd = guard ? b : c.",
       [](In x) { return LaneOut{x.b}; }),

    adderOp("add", withMemory(kCarry, Memory::Optional), "add.s32 add.u32",
            "rd = a + b; pd = carry out", "",
            [](Word a, Word b, bool) { return Sum{a, b, false}; }),
    adderOp("addc", withInput(kCarry), "", "rd = a + b + guard; pd = carry out",
            "The guard field is the carry in.",
            [](Word a, Word b, bool guard) { return Sum{a, b, guard}; }),
    adderOp("sub", kCompare, "sub.s32 sub.u32", "rd = a - b; pd = a compared with b",
            "geu is \"no borrow\", the carry for subc.",
            [](Word a, Word b, bool) { return Sum{a, ~b, true}; }),
    adderOp("subc", withInput(kOrder), "", "rd = a - b - !guard; pd = a compared with b + !guard",
            "The guard field is \"no borrow\". The order compares the wide numbers.",
            [](Word a, Word b, bool guard) { return Sum{a, ~b, guard}; }),
    adderOp("setp", withoutResult(kCompare), "", "pd = a compared with b", "",
            [](Word a, Word b, bool) { return Sum{a, ~b, true}; }),

    op("mad", withMemory(shape(Unit::Multiplier, "abc"), Memory::Optional), "mad.lo.s32 mad.lo.u32",
       "rd = a * b + c", "Modulo 2^32.", [](In x) { return LaneOut{x.a * x.b + x.c}; }),
    op("madh", shape(Unit::Multiplier, "abc"), "mad.hi.s32", "rd = high word of a * b, signed, + c",
       "", [](In x) { return LaneOut{highSigned(x.a, x.b) + x.c}; }),
    op("madhu", shape(Unit::Multiplier, "abc"), "mad.hi.u32",
       "rd = high word of a * b, unsigned, + c", "",
       [](In x) { return LaneOut{highUnsigned(x.a, x.b) + x.c}; }),

    op("and", kLogic, "and.b32", "rd = a & b", "", [](In x) { return LaneOut{x.a & x.b}; }),
    op("or", kLogic, "or.b32", "rd = a | b", "", [](In x) { return LaneOut{x.a | x.b}; }),
    op("xor", kLogic, "xor.b32", "rd = a ^ b", "With -1, the complement.",
       [](In x) { return LaneOut{x.a ^ x.b}; }),
    op("andn", kLogic, "", "rd = a & ~b", "", [](In x) { return LaneOut{x.a & ~x.b}; }),

    op("shl", kShift, "shl.b32", "rd = a << b", "Amounts of 32 and more give 0.",
       [](In x) { return LaneOut{shiftLeft(x.a, x.b)}; }),
    op("shr", kShift, "shr.u32 shr.b32", "rd = a >> b, zeros in", "Amounts of 32 and more give 0.",
       [](In x) { return LaneOut{shiftRight(x.a, x.b)}; }),
    op("sar", kShift, "shr.s32", "rd = a >> b, the sign in",
       "Amounts of 32 and more give the sign.",
       [](In x) { return LaneOut{shiftRightSigned(x.a, x.b)}; }),
    op("rotl", kShift, "", "rd = a rotated left by b modulo 32", "",
       [](In x) { return LaneOut{std::rotl(x.a, static_cast<int>(x.b & 31))}; }),

    op("min", kSelect, "min.s32", "rd = the smaller of a and b, signed", "",
       [](In x) { return LaneOut{asWord(std::min(asSigned(x.a), asSigned(x.b)))}; }),
    op("max", kSelect, "max.s32", "rd = the larger of a and b, signed", "",
       [](In x) { return LaneOut{asWord(std::max(asSigned(x.a), asSigned(x.b)))}; }),
    op("minu", kSelect, "min.u32", "rd = the smaller of a and b, unsigned", "",
       [](In x) { return LaneOut{std::min(x.a, x.b)}; }),
    op("maxu", kSelect, "max.u32", "rd = the larger of a and b, unsigned", "",
       [](In x) { return LaneOut{std::max(x.a, x.b)}; }),

    op("pand", kPredicate, "", "pd = guard & second",
       "The inputs are predicates, each may be negated.",
       [](In x) { return LaneOut{0, x.guard && x.second}; }),
    op("por", kPredicate, "", "pd = guard | second",
       "The inputs are predicates, each may be negated.",
       [](In x) { return LaneOut{0, x.guard || x.second}; }),
    op("pxor", kPredicate, "", "pd = guard ^ second",
       "The inputs are predicates, each may be negated.",
       [](In x) { return LaneOut{0, x.guard != x.second}; }),

    op("popc", kUnary, "popc.b32", "rd = number of ones in a", "",
       [](In x) { return LaneOut{asWord(std::popcount(x.a))}; }),
    op("clz", kUnary, "clz.b32", "rd = number of zeros above the highest one of a", "32 for 0.",
       [](In x) { return LaneOut{asWord(std::countl_zero(x.a))}; }),
    op("brev", kUnary, "brev.b32", "rd = the bits of a in reverse order", "",
       [](In x) { return LaneOut{reverseBits(x.a)}; }),
    op("prmt", shape(Unit::Bits, "abc"), "prmt.b32",
       "byte i of rd = byte (nibble i of c) & 7 of b:a, its sign where bit 3 of the nibble is set",
       "Widens, narrows and swaps bytes.",
       [](In x) { return LaneOut{permuteBytes(x.a, x.b, x.c)}; }),

    shuffleOp("shfl.idx", "rd = a of lane first | b & ~segment",
              [](int, int b, ShuffleRange r) {
                const int lane = r.first | (b & ~r.segment & 3);
                return Source{lane, lane <= r.last};
              }),
    shuffleOp("shfl.up", "rd = a of lane - b",
              [](int l, int b, ShuffleRange r) { return Source{l - b, l - b >= r.last}; }),
    shuffleOp("shfl.down", "rd = a of lane + b",
              [](int l, int b, ShuffleRange r) { return Source{l + b, l + b <= r.last}; }),
    shuffleOp("shfl.xor", "rd = a of lane ^ b",
              [](int l, int b, ShuffleRange r) { return Source{l ^ b, (l ^ b) <= r.last}; }),
    voteOp("vote.any", "pd = some running lane's guard holds",
           [](LaneMask holding, LaneMask) { return holding != 0; }),
    voteOp("vote.all", "pd = every running lane's guard holds",
           [](LaneMask holding, LaneMask mask) { return holding == mask; }),
    voteOp("vote.uni", "pd = the guards of the running lanes are equal",
           [](LaneMask holding, LaneMask mask) { return holding == mask || holding == 0; }),
    define("ballot", withInput(shape(Unit::Lanes, "")), "",
           "rd = the running lanes whose guard holds, lane 0 in bit 0", kVoteNote, &ballot),

    op("ldb", kByteLoad, "", "rd = the addressed byte, zeros above", "",
       [](In x) { return LaneOut{extract(x.b, x.byte, 8)}; }),
    op("ldbs", kByteLoad, "", "rd = the addressed byte, its sign above", "",
       [](In x) { return LaneOut{extractSigned(x.b, x.byte, 8)}; }),
    op("ldh", kHalfLoad, "", "rd = the addressed half word, zeros above", "",
       [](In x) { return LaneOut{extract(x.b, halfAt(x.byte), 16)}; }),
    op("ldhs", kHalfLoad, "", "rd = the addressed half word, its sign above", "",
       [](In x) { return LaneOut{extractSigned(x.b, halfAt(x.byte), 16)}; }),

    op("st", withoutResult(withMemory(shape(Unit::Store, "bc"), Memory::Store)), "", "[b] = c",
       "Of lanes with one address the last one's word stays.", [](In x) { return LaneOut{x.c}; }),
    op("atom.add", withMemory(shape(Unit::Store, "bc"), Memory::Combine), "",
       "rd = [b]; [b] = rd + c",
       "Lanes with one address take turns within the block, in lane order.",
       [](In x) { return LaneOut{x.b + x.c}; }),
    op("atom.min", kReplay, "", "rd = [b]; [b] = smaller of rd and c, signed", kReplayNote,
       [](In x) { return LaneOut{asWord(std::min(asSigned(x.b), asSigned(x.c)))}; }),
    op("atom.max", kReplay, "", "rd = [b]; [b] = larger of rd and c, signed", kReplayNote,
       [](In x) { return LaneOut{asWord(std::max(asSigned(x.b), asSigned(x.c)))}; }),
    op("atom.minu", kReplay, "", "rd = [b]; [b] = smaller of rd and c, unsigned", kReplayNote,
       [](In x) { return LaneOut{std::min(x.b, x.c)}; }),
    op("atom.maxu", kReplay, "", "rd = [b]; [b] = larger of rd and c, unsigned", kReplayNote,
       [](In x) { return LaneOut{std::max(x.b, x.c)}; }),
    op("atom.and", kReplay, "", "rd = [b]; [b] = rd & c", kReplayNote,
       [](In x) { return LaneOut{x.b & x.c}; }),
    op("atom.or", kReplay, "", "rd = [b]; [b] = rd | c", kReplayNote,
       [](In x) { return LaneOut{x.b | x.c}; }),
    op("atom.xor", kReplay, "", "rd = [b]; [b] = rd ^ c", kReplayNote,
       [](In x) { return LaneOut{x.b ^ x.c}; }),
    op("atom.exch", kReplay, "", "rd = [b]; [b] = c", kReplayNote,
       [](In x) { return LaneOut{x.c}; }),
    op("atom.cas", withMemory(shape(Unit::Store, "abc"), Memory::Replay), "",
       "rd = [b]; [b] = rd == a ? c : rd", kReplayNote,
       [](In x) { return LaneOut{x.b == x.a ? x.c : x.b}; }),
    op("stb", withMemory(kNarrowStore, Memory::Replay, 1), "", "addressed byte = low byte of c",
       kReplayNote, [](In x) { return LaneOut{insert(x.b, x.byte, 8, x.c)}; }),
    op("sth", withMemory(kNarrowStore, Memory::Replay, 2), "",
       "addressed half word = low half of c", kReplayNote,
       [](In x) { return LaneOut{insert(x.b, halfAt(x.byte), 16, x.c)}; }),

    op("div", kDivide, "", "a divided by b, signed",
       "In slot 1 of a division block; quo in slot 3 and rem in slot 4 take the results.",
       [](In x) { return LaneOut{quotientSigned(x.a, x.b)}; }),
    op("divu", kDivide, "", "a divided by b, unsigned",
       "In slot 1 of a division block; quo in slot 3 and rem in slot 4 take the results.",
       [](In x) { return LaneOut{quotientUnsigned(x.a, x.b)}; }),
    op("quo", kTake, "", "rd = the quotient, towards zero", "All ones where the divisor is 0.",
       [](In x) { return LaneOut{x.c}; }),
    op("rem", kTake, "", "rd = the remainder, with the sign of the dividend",
       "All ones where the divisor is 0.",
       [](In x) { return LaneOut{remainderOf(x.a, x.b, x.c)}; }),
};

// Whether the space-separated `list` holds `word`.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

template <typename Match>
std::optional<Opcode> find(Match match) {
  for (int i = 0; i < kOpcodes; ++i)
    if (match(kRows[i])) return static_cast<Opcode>(i);
  return std::nullopt;
}

}  // namespace

std::span<const Row, kOpcodes> rows() { return kRows; }

const Row& row(Opcode op) { return kRows[static_cast<std::size_t>(op)]; }

bool computesPredicate(const Slot& slot) {
  const PredicateUse use = row(slot.op).predicate;
  if (use == PredicateUse::Carry || use == PredicateUse::Order) return slot.compare != Compare::Eq;
  return use != PredicateUse::None;
}

std::optional<Opcode> opcodeNamed(std::string_view name) {
  return find([&](const Row& r) { return r.name == name; });
}

std::optional<Opcode> opcodeForPtx(std::string_view ptx_opcode) {
  return find([&](const Row& r) { return lists(r.ptx, ptx_opcode); });
}

}  // namespace qgpu::isa
