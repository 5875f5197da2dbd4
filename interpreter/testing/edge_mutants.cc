#include "interpreter/testing/edge_mutants.h"

#include <bit>
#include <limits>

namespace qgpu::isatest {
namespace {

using isa::Compare;
using isa::Opcode;
using Lane = PlainIn;

std::int32_t number(std::uint32_t x) { return std::bit_cast<std::int32_t>(x); }
std::uint32_t word(std::int64_t x) { return static_cast<std::uint32_t>(x); }

// Another clause of one lane.
template <typename Clause>
EdgeMutant lanes(std::string what, Clause clause) {
  return {std::move(what), [clause](const PlainWarpIn& in) {
            PlainWarpOut out;
            for (std::size_t l = 0; l < 4; ++l) {
              const PlainOut one = clause(in.lanes[l]);
              out.r[l] = one.r;
              out.p[l] = one.p;
            }
            return out;
          }};
}
// The right clause, but where `when` holds.
template <typename When, typename Result>
EdgeMutant where(Opcode op, std::string what, When when, Result result) {
  return lanes(std::move(what), [op, when, result](const Lane& x) {
    PlainOut out = *plainLane(op, x);
    if (when(x)) out.r = result(x);
    return out;
  });
}
// The right instruction of another warp.
template <typename WarpChange>
EdgeMutant warp(Opcode op, std::string what, WarpChange change) {
  return {std::move(what), [op, change](PlainWarpIn in) {
            change(in);
            return plainWarp(op, in);
          }};
}

bool negated(Compare c) {
  return c == Compare::Ne || c == Compare::Ge || c == Compare::Geu || c == Compare::NoCarry;
}
bool isSigned(Compare c) { return c == Compare::Lt || c == Compare::Ge; }
bool isUnsigned(Compare c) { return c == Compare::Ltu || c == Compare::Geu; }

// ---- Adder. ----

// Lower and upper halves added apart.
std::uint32_t halves(std::uint32_t a, std::uint32_t b, std::uint32_t carry) {
  return ((a + b + carry) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
}

std::vector<EdgeMutant> additions(Opcode op) {
  const auto carry = [op](const Lane& x) { return op == Opcode::Addc && x.guard ? 1u : 0u; };
  return {where(
              op, "no carry from the lower half to the upper", [](const Lane&) { return true; },
              [carry](const Lane& x) { return halves(x.a, x.b, carry(x)); }),
          lanes("signed overflow for the carry", [op](const Lane& x) {
            PlainOut out = *plainLane(op, x);
            const bool overflow = ((x.a ^ out.r) & (x.b ^ out.r)) >> 31 != 0;
            if (x.compare >= Compare::Carry) out.p = overflow != negated(x.compare);
            return out;
          })};
}

std::vector<EdgeMutant> subtractions(Opcode op) {
  std::vector<EdgeMutant> all = {lanes("the sign of the difference for lt", [op](const Lane& x) {
    PlainOut out = *plainLane(op, x);
    const std::uint32_t difference = x.a - x.b - (op == Opcode::Subc && !x.guard ? 1 : 0);
    if (isSigned(x.compare)) out.p = (number(difference) < 0) != negated(x.compare);
    return out;
  })};
  if (op != Opcode::Setp)
    all.push_back(where(
        op, "no borrow from the upper half by the lower", [](const Lane&) { return true; },
        [op](const Lane& x) { return halves(x.a, ~x.b, op == Opcode::Subc && !x.guard ? 0 : 1); }));
  return all;
}

// The predicate without the carry, or with a carry that wraps around.
std::vector<EdgeMutant> carriesIn(Opcode op) {
  std::vector<EdgeMutant> all = {lanes("the predicate without the carry in", [op](const Lane& x) {
    Lane without = x;
    without.guard = op == Opcode::Subc;
    return PlainOut{plainLane(op, x)->r, plainLane(op, without)->p};
  })};
  if (op == Opcode::Subc)
    all.push_back(lanes("b + borrow wrapped for the comparison", [](const Lane& x) {
      PlainOut out = *plainLane(Opcode::Subc, x);
      const std::uint32_t b = x.b + (x.guard ? 0 : 1);
      if (isSigned(x.compare)) out.p = (number(x.a) < number(b)) != negated(x.compare);
      if (isUnsigned(x.compare)) out.p = (x.a < b) != negated(x.compare);
      return out;
    }));
  return all;
}

// ---- Multiplier. ----

std::vector<EdgeMutant> products(Opcode op) {
  const auto always = [](const Lane&) { return true; };
  std::vector<EdgeMutant> all = {where(op, "without c", always, [op](Lane x) {
    x.c = 0;
    return plainLane(op, x)->r;
  })};
  all.push_back(where(op, "c subtracted", always, [op](Lane x) {
    x.c = 0 - x.c;
    return plainLane(op, x)->r;
  }));
  if (op == Opcode::Madh)
    all.push_back(where(op, "rounded towards zero", always, [](const Lane& x) {
      return word(std::int64_t{number(x.a)} * number(x.b) / (std::int64_t{1} << 32)) + x.c;
    }));
  if (op != Opcode::Mad)
    all.push_back(where(op, "c added to the double word", always, [op](Lane x) {
      const std::int64_t product = op == Opcode::Madh
                                       ? std::int64_t{number(x.a)} * number(x.b)
                                       : static_cast<std::int64_t>(std::uint64_t{x.a} * x.b);
      return word(static_cast<std::int64_t>((static_cast<std::uint64_t>(product) + x.c) >> 32));
    }));
  return all;
}

// ---- Shifter. ----

std::vector<EdgeMutant> shifts(Opcode op) {
  const auto far = [](const Lane& x) { return x.b > 31; };
  const auto with = [op](std::uint32_t (*amount)(std::uint32_t)) {
    return [op, amount](Lane x) {
      x.b = amount(x.b);
      return plainLane(op, x)->r;
    };
  };
  std::vector<EdgeMutant> all = {
      where(op, "amounts modulo 32", far, with([](std::uint32_t n) { return n % 32; }))};
  if (op == Opcode::Sar)
    all.push_back(where(op, "0 for amounts of 32 and more", far, [](const Lane&) { return 0u; }));
  else
    all.push_back(
        where(op, "amounts of 32 and more as 31", far, with([](std::uint32_t) { return 31u; })));
  all.push_back(where(
      op, "an amount of 31 as 30", [](const Lane& x) { return x.b == 31; },
      with([](std::uint32_t) { return 30u; })));
  return all;
}

std::vector<EdgeMutant> rotations() {
  return {lanes("to the right",
                [](const Lane& x) { return PlainOut{std::rotr(x.a, static_cast<int>(x.b % 32))}; }),
          lanes("amounts of 32 and more as 31", [](const Lane& x) {
            return PlainOut{std::rotl(x.a, x.b > 31 ? 31 : static_cast<int>(x.b))};
          })};
}

// ---- Bits and bytes. ----

std::vector<EdgeMutant> counts(Opcode op) {
  if (op == Opcode::Popc)
    return {where(
        op, "modulo 32", [](const Lane& x) { return x.a == ~0u; }, [](const Lane&) { return 0u; })};
  return {
      where(
          op, "31 for 0", [](const Lane& x) { return x.a == 0; }, [](const Lane&) { return 31u; }),
      lanes("zeros below the lowest one", [](const Lane& x) {
        return PlainOut{static_cast<std::uint32_t>(std::countr_zero(x.a))};
      })};
}

std::vector<EdgeMutant> reversals() {
  return {lanes("bytes for bits", [](const Lane& x) {
    return PlainOut{x.a >> 24 | (x.a >> 8 & 0xff00) | (x.a << 8 & 0xff0000) | x.a << 24};
  })};
}

std::vector<EdgeMutant> permutes() {
  const auto selected = [](std::uint32_t (*change)(std::uint32_t)) {
    return [change](Lane x) {
      x.c = change(x.c);
      return *plainLane(Opcode::Prmt, x);
    };
  };
  return {lanes("bit 3 of a nibble not looked at",
                selected([](std::uint32_t c) { return c & 0x7777; })),
          lanes("bit 2 of a nibble not looked at",
                selected([](std::uint32_t c) { return c & 0xbbbb; })),
          lanes("nibbles from above", selected([](std::uint32_t c) {
                  return (c >> 12 & 15) | (c >> 4 & 0xf0) | (c << 4 & 0xf00) | (c << 12 & 0xf000);
                })),
          lanes("nibble 0 for all", selected([](std::uint32_t c) { return (c & 15) * 0x1111; }))};
}

// ---- Between lanes. ----

std::vector<EdgeMutant> shuffles(Opcode op) {
  std::vector<EdgeMutant> all = {
      warp(op, "one segment", [](PlainWarpIn& in) { in.segment = 0; }),
      warp(op, "a segment for each lane", [](PlainWarpIn& in) { in.segment = 3; }),
      warp(op, "clamp 3", [](PlainWarpIn& in) { in.clamp = 3; }),
      warp(op, "clamp 0", [](PlainWarpIn& in) { in.clamp = 0; }),
      warp(op, "the amount of lane 0 for all",
           [](PlainWarpIn& in) {
             for (Lane& lane : in.lanes) lane.b = in.lanes[0].b;
           }),
      warp(op, "0 from lanes that do not run",
           [](PlainWarpIn& in) {
             for (std::size_t l = 0; l < 4; ++l)
               if (!in.running[l]) in.lanes[l].a = 0;
           }),
      {"0 out of range", [op](const PlainWarpIn& in) {
         PlainWarpOut out = plainWarp(op, in);
         for (std::size_t l = 0; l < 4; ++l)
           if (!out.p[l]) out.r[l] = 0;
         return out;
       }}};
  if (op != Opcode::ShflIdx)  // whose lane numbers have two bits
    all.push_back(warp(op, "amounts modulo 4", [](PlainWarpIn& in) {
      for (Lane& lane : in.lanes) lane.b %= 4;
    }));
  return all;
}

std::vector<EdgeMutant> votes(Opcode op) {
  std::vector<EdgeMutant> all = {
      warp(op, "lanes that do not run vote too", [](PlainWarpIn& in) { in.running.fill(true); }),
      warp(op, "without lane 3", [](PlainWarpIn& in) { in.running[3] = false; })};
  if (op == Opcode::Ballot)
    all.push_back(warp(op, "lane 0 in bit 3", [](PlainWarpIn& in) {
      std::swap(in.lanes[0], in.lanes[3]);
      std::swap(in.lanes[1], in.lanes[2]);
      std::swap(in.running[0], in.running[3]);
      std::swap(in.running[1], in.running[2]);
    }));
  if (op == Opcode::VoteAll)
    all.push_back({"not where no lane runs", [op](const PlainWarpIn& in) {
                     PlainWarpOut out = plainWarp(op, in);
                     if (in.running == PlainBits{}) out.p.fill(false);
                     return out;
                   }});
  return all;
}

// ---- Memory. ----

std::vector<EdgeMutant> narrowStores(Opcode op) {
  return {lanes("the whole word", [](const Lane& x) { return PlainOut{x.c}; }),
          lanes("zeros beside it",
                [op](Lane x) {
                  x.b = 0;
                  return *plainLane(op, x);
                }),
          lanes("from the same place of c", [op](Lane x) {
            x.c >>= 8 * (op == Opcode::Sth ? x.byte & 2 : x.byte);
            return *plainLane(op, x);
          })};
}

std::vector<EdgeMutant> exchanges() {
  return {
      lanes("where they differ", [](const Lane& x) { return PlainOut{x.b != x.a ? x.c : x.b}; }),
      lanes("always", [](const Lane& x) { return PlainOut{x.c}; }),
      lanes("compared in the lower half",
            [](const Lane& x) { return PlainOut{(x.b & 0xffff) == (x.a & 0xffff) ? x.c : x.b}; })};
}

// ---- Division. ----

constexpr auto byZero = [](const Lane& x) { return x.b == 0; };

std::int64_t value(const Lane& x, std::uint32_t w) {
  return x.guard ? std::int64_t{number(w)} : std::int64_t{w};
}
bool signsDiffer(const Lane& x) {
  return x.b != 0 && value(x, x.a) % value(x, x.b) != 0 &&
         (value(x, x.a) < 0) != (value(x, x.b) < 0);
}

// Division, quotient and remainder. `x.guard` says "signed" for the last two.
std::vector<EdgeMutant> divisions(Opcode op) {
  std::vector<EdgeMutant> all = {where(op, "0 by zero", byZero, [](const Lane&) { return 0u; }),
                                 where(op, "a by zero", byZero, [](const Lane& x) { return x.a; })};
  if (op == Opcode::Divu) return all;
  const auto rounds = [op](const Lane& x) {
    Lane as_signed = x;
    if (op == Opcode::Div) as_signed.guard = true;
    return signsDiffer(as_signed);
  };
  all.push_back(where(op, op == Opcode::Rem ? "the sign of the divisor" : "rounded down", rounds,
                      [op](const Lane& x) {
                        const std::uint32_t right = plainLane(op, x)->r;
                        return op == Opcode::Rem ? right + x.b : right - 1;
                      }));
  if (op != Opcode::Rem)
    all.push_back(where(
        op, "the largest number for -2^31 / -1",
        [op](const Lane& x) {
          return x.a == 0x80000000 && x.b == ~0u && (op == Opcode::Div || x.guard);
        },
        [](const Lane&) { return word(std::numeric_limits<std::int32_t>::max()); }));
  return all;
}

std::vector<EdgeMutant> joined(std::vector<EdgeMutant> one, std::vector<EdgeMutant> other) {
  for (EdgeMutant& m : other) one.push_back(std::move(m));
  return one;
}

}  // namespace

std::vector<EdgeMutant> edgeMutants(Opcode op) {
  switch (op) {
    case Opcode::Add: return additions(op);
    case Opcode::Addc: return joined(additions(op), carriesIn(op));
    case Opcode::Sub:
    case Opcode::Setp: return subtractions(op);
    case Opcode::Subc: return joined(subtractions(op), carriesIn(op));
    case Opcode::Mad:
    case Opcode::Madh:
    case Opcode::Madhu: return products(op);
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Sar: return shifts(op);
    case Opcode::Rotl: return rotations();
    case Opcode::Popc:
    case Opcode::Clz: return counts(op);
    case Opcode::Brev: return reversals();
    case Opcode::Prmt: return permutes();
    case Opcode::ShflIdx:
    case Opcode::ShflUp:
    case Opcode::ShflDown:
    case Opcode::ShflXor: return shuffles(op);
    case Opcode::VoteAny:
    case Opcode::VoteAll:
    case Opcode::VoteUni:
    case Opcode::Ballot: return votes(op);
    case Opcode::Stb:
    case Opcode::Sth: return narrowStores(op);
    case Opcode::AtomCas: return exchanges();
    case Opcode::Div:
    case Opcode::Divu:
    case Opcode::Quo:
    case Opcode::Rem: return divisions(op);
    default: return {};
  }
}

}  // namespace qgpu::isatest
