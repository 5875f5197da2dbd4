#include "interpreter/testing/clause_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interpreter/testing/random.h"

namespace qgpu::isatest {
namespace {

using isa::Compare;
using isa::GuardUse;
using isa::LaneMask;
using isa::Opcode;
using isa::PredicateUse;
using isa::Row;
using isa::Unit;
using isa::WarpIn;
using isa::WarpOut;

constexpr std::array<std::uint32_t, 26> kEdges = {
    0,          1,          2,          3,          5,          7,          31,
    32,         33,         63,         127,        128,        255,        256,
    0x7fff,     0x8000,     0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0xaaaaaaaa, 0xfffffffe, 0xffffffff, 0x12345678};
constexpr int kRandomInputs = 5'000;

bool bit(LaneMask lanes, int l) { return (lanes >> l & 1) != 0; }

class Check {
 public:
  Check(Opcode op, const Meaning& meaning) : op_(op), row_(isa::row(op)), meaning_(meaning) {}

  std::optional<std::string> run() {
    if (row_.isShuffle()) shuffles();
    if (row_.unit == Unit::Lanes && !row_.isShuffle()) votes();
    if (row_.unit == Unit::Lanes) return difference_;
    edges();
    random();
    return difference_;
  }

 private:
  // ---- Inputs. ----

  // An edge pair in two lanes, swapped in the third, shifted in the last.
  void edges() {
    Random random(2);
    for (const std::uint32_t a : kEdges)
      for (const std::uint32_t b : kEdges)
        for (std::size_t i = 0; i < kEdges.size(); i += row_.c ? 1 : kEdges.size()) {
          if (difference_) return;
          WarpIn in;
          in.a = {a, a, b, a + 1};
          in.b = {b, b + 1, a, b - 1};
          in.c = {kEdges[i], random.word(), random.word(), random.word()};
          setBytes(in, random);
          withGuards(in);
        }
  }

  void random() {
    Random random(3);
    for (int i = 0; i < kRandomInputs && !difference_; ++i) {
      WarpIn in;
      for (int l = 0; l < kMachine.lanes; ++l) {
        in.a[l] = random.word();
        in.b[l] = random.chance(10) ? in.a[l] : random.word();
        in.c[l] = random.word();
      }
      setBytes(in, random);
      withGuards(in);
    }
  }

  void setBytes(WarpIn& in, Random& random) const {
    for (std::uint32_t& byte : in.byte)
      byte = static_cast<std::uint32_t>(random.below(4) & ~(row_.width - 1));
  }

  // Four guards where they are data, else all or none.
  void withGuards(WarpIn in) {
    const bool data = row_.guard == GuardUse::Input || row_.unit == Unit::Divider;
    for (const Compare compare : comparisons(row_))
      for (LaneMask guard = 0; guard < 16; guard += data ? 5 : 15) {
        in.compare = compare;
        in.guard = guard;
        in.second = guard * 7 & 15;
        compareOn(in);
      }
  }

  // Every amount for all lanes; then words of any size and for each lane its own amount, with bits
  // above the five that count.
  void shuffles() {
    Random random(5);
    for (std::uint32_t aux = 0; aux < 16; ++aux)
      for (std::uint32_t b = 0; b < 256 && !difference_; ++b) {
        WarpIn in{.a = {10, 11, 12, 13}, .b = {b, b, b, b}, .aux = aux};
        for (int l = 0; l < kMachine.lanes && b >= 64; ++l) {
          in.a[l] = static_cast<std::uint32_t>(random.next());
          in.b[l] = static_cast<std::uint32_t>(random.next()) & ~24u;
        }
        in.mask = static_cast<LaneMask>(random.below(16));  // plays no part
        in.guard = static_cast<LaneMask>(random.below(16));
        compareOn(in);
      }
  }

  void votes() {
    for (LaneMask guard = 0; guard < 16; ++guard)
      for (LaneMask mask = 0; mask < 16 && !difference_; ++mask)
        compareOn({.guard = guard, .mask = mask});
  }

  // ---- One input. ----

  PlainWarpIn plainInput(const WarpIn& in) const {
    PlainWarpIn plain{.clamp = static_cast<int>(in.aux & 3),
                      .segment = static_cast<int>(in.aux >> 2)};
    for (int l = 0; l < kMachine.lanes; ++l) {
      plain.lanes[l] = {.a = in.a[l],
                        .b = in.b[l],
                        .c = in.c[l],
                        .byte = static_cast<int>(in.byte[l]),
                        .guard = bit(in.guard, l),
                        .second = bit(in.second, l),
                        .compare = in.compare};
      plain.running[l] = bit(in.mask, l);
    }
    return plain;
  }

  // Quotient and remainder are told the quotient by their division: its row hands it over in c.
  void handOverQuotient(WarpIn& in) const {
    if (op_ != Opcode::Quo && op_ != Opcode::Rem) return;
    for (int l = 0; l < kMachine.lanes; ++l) {
      const Opcode division = bit(in.guard, l) ? Opcode::Div : Opcode::Divu;
      in.c[l] = plainLane(division, {.a = in.a[l], .b = in.b[l]})->r;
    }
  }

  void compareOn(WarpIn in) {
    if (difference_) return;
    handOverQuotient(in);
    const PlainWarpOut plain = meaning_.compute(op_, plainInput(in));
    WarpOut out;
    row_.run(in, out);
    const bool predicate = isa::computesPredicate({.op = op_, .compare = in.compare});
    for (int l = 0; l < kMachine.lanes && !difference_; ++l) {
      if (out.r[l] != plain.r[l])
        differ(in, l, fmt::format("{:#x}, not {:#x}", out.r[l], plain.r[l]));
      else if (predicate && bit(out.p, l) != plain.p[l])
        differ(in, l, fmt::format("predicate {}, not {}", bit(out.p, l), plain.p[l]));
    }
  }

  void differ(const WarpIn& in, int lane, const std::string& answers) {
    difference_ = fmt::format(
        "{}: {} in lane {} of a {:#x} b {:#x} c {:#x} byte {} guard {:#06b} second {:#06b} mask "
        "{:#06b} compare {} aux {}",
        row_.name, answers, lane, fmt::join(in.a, ","), fmt::join(in.b, ","), fmt::join(in.c, ","),
        in.byte[lane], in.guard, in.second, in.mask, static_cast<int>(in.compare), in.aux);
  }

  const Opcode op_;
  const Row& row_;
  const Meaning& meaning_;
  std::optional<std::string> difference_;
};

MemoryKind memoryKind(isa::Memory memory) {
  switch (memory) {
    case isa::Memory::None:
    case isa::Memory::Optional: break;
    case isa::Memory::Load: return MemoryKind::Load;
    case isa::Memory::Store: return MemoryKind::Store;
    case isa::Memory::Combine: return MemoryKind::Add;
    case isa::Memory::Replay: return MemoryKind::Replay;
  }
  return MemoryKind::None;
}

}  // namespace

std::optional<std::string> clauseDisagreement(Opcode op, const Meaning& meaning) {
  return Check(op, meaning).run();
}

std::optional<std::string> kindDisagreement(Opcode op, const Meaning& meaning) {
  const Row& row = isa::row(op);
  const PlainKind kind = meaning.kind(op);
  const auto differs = [&](std::string_view what) { return fmt::format("{}: {}", row.name, what); };
  if (row.result != kind.result) return differs("a result");
  if ((row.predicate != PredicateUse::None) != kind.predicate) return differs("a predicate");
  if ((row.guard == GuardUse::Input) != kind.guard_is_input) return differs("the guard as input");
  if ((row.guard == GuardUse::Commit) != kind.c_is_operand) return differs("a failed guard");
  if (row.c != kind.c_is_operand) return differs("c as operand");
  if (row.width != kind.width) return differs("the width of an access");
  if (memoryKind(row.memory) != kind.memory) return differs("the use of memory");
  return std::nullopt;
}

std::vector<Compare> comparisons(const Row& row) {
  std::vector<Compare> found;
  for (unsigned c = 0; c < 8; ++c) {
    const auto compare = static_cast<Compare>(c);
    const bool order = compare >= Compare::Lt && compare <= Compare::Geu;
    const bool carry = compare >= Compare::Carry;
    const bool used = (row.predicate == PredicateUse::Compare && !carry) ||
                      (row.predicate == PredicateUse::Order && order) ||
                      (row.predicate == PredicateUse::Carry && carry);
    if (used || c == 0) found.push_back(compare);
  }
  return found;
}

}  // namespace qgpu::isatest
