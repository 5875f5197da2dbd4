#include "compiler/lower/ir/facts.h"

#include <algorithm>

#include "interpreter/isa/clauses.h"

namespace qgpu::lower {
namespace {

using isa::Opcode;

constexpr int kDepth = 6;

// Bits above the highest that `most` has.
std::uint32_t above(std::uint64_t most) {
  const auto width = static_cast<int>(std::bit_width(most));
  return width >= 32 ? 0 : ~0u << width;
}
std::uint32_t lowMask(int bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

// The sign bits that the zeros imply, if they are more.
Facts settled(Facts known) {
  known.sign_bits = std::max(known.sign_bits, std::countl_one(known.zeros));
  return known;
}

class Reader {
 public:
  explicit Reader(const Function& f) : f_(f) {}

  Facts read(Id word, int depth) {
    const Instruction& i = f_[word];
    switch (i.kind) {
      case Kind::Constant: return constant(i.immediate);
      case Kind::Special: return settled({above(f_.special_limit[i.immediate]), 1});
      case Kind::Operation: break;
      default: return {};
    }
    if (depth == 0) return {};
    Facts known = settled(operation(i, depth - 1));
    if (keepsOld(i)) {
      const Facts old = read(i.c, depth - 1);
      known = {known.zeros & old.zeros, std::min(known.sign_bits, old.sign_bits)};
    }
    return known;
  }

 private:
  static Facts constant(std::uint32_t value) {
    return {~value, std::max(std::countl_zero(value), std::countl_one(value))};
  }

  // The word operand b, which is a memory word where the operation has one.
  Facts b(const Instruction& i, int depth) { return i.hasMemory() ? Facts{} : read(i.b, depth); }

  Facts operation(const Instruction& i, int depth) {
    switch (i.op) {
      case Opcode::Mov: return b(i, depth);
      case Opcode::Add: return sum(read(i.a, depth), b(i, depth));
      case Opcode::Mad: return product(i, depth);
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Andn: return logic(i, depth);
      case Opcode::Shl:
      case Opcode::Shr:
      case Opcode::Sar: return shift(i, depth);
      case Opcode::Min:
      case Opcode::Max:
      case Opcode::Minu:
      case Opcode::Maxu: return choice(i, depth);
      case Opcode::Prmt: return permutation(i, depth);
      case Opcode::Popc:
      case Opcode::Clz: return {~63u, 1};
      case Opcode::Ldb: return {~255u, 1};
      case Opcode::Ldh: return {~65535u, 1};
      case Opcode::Ldbs: return {0, 25};
      case Opcode::Ldhs: return {0, 17};
      case Opcode::Ballot: return {~kMachine.allLanes(), 1};
      default: return {};
    }
  }

  static Facts sum(Facts x, Facts y) {
    const std::uint64_t most = std::uint64_t{x.most()} + y.most();
    const int low = std::min(x.trailingZeros(), y.trailingZeros());
    return {above(most) | lowMask(low), std::max(1, std::min(x.sign_bits, y.sign_bits) - 1)};
  }

  Facts product(const Instruction& i, int depth) {
    const Facts x = read(i.a, depth), y = b(i, depth);
    const auto most = static_cast<unsigned __int128>(x.most()) * y.most();
    const int low = std::min(32, x.trailingZeros() + y.trailingZeros());
    Facts known = {lowMask(low), 1};
    if (most >> 32 == 0) known.zeros |= above(static_cast<std::uint64_t>(most));
    const int bits = (33 - x.sign_bits) + (33 - y.sign_bits);
    known.sign_bits = std::max(1, 33 - bits);
    return f_.isConstant(i.c, 0) ? known : sum(settled(known), read(i.c, depth));
  }

  Facts logic(const Instruction& i, int depth) {
    const Facts x = read(i.a, depth), y = b(i, depth);
    const int sign_bits = std::min(x.sign_bits, y.sign_bits);
    if (i.op == Opcode::And) return {x.zeros | y.zeros, sign_bits};
    if (i.op == Opcode::Andn) return {x.zeros, sign_bits};
    return {x.zeros & y.zeros, sign_bits};
  }

  Facts shift(const Instruction& i, int depth) {
    const Facts x = read(i.a, depth);
    if (!f_.isConstant(i.b)) {
      if (i.op == Opcode::Sar) return {above(x.most()), x.sign_bits};
      return i.op == Opcode::Shr ? Facts{above(x.most()), 1} : Facts{lowMask(x.trailingZeros()), 1};
    }
    const int n = static_cast<int>(std::min(f_[i.b].immediate, 32u));
    if (n == 32 && i.op != Opcode::Sar) return constant(0);
    switch (i.op) {
      case Opcode::Shl: return {(x.zeros << n) | lowMask(n), std::max(1, x.sign_bits - n)};
      case Opcode::Shr: return {n == 0 ? x.zeros : (x.zeros >> n) | ~(~0u >> n), 1};
      default: {
        const int m = std::min(n, 31);
        return {isa::asWord(isa::asSigned(x.zeros) >> m), std::min(32, x.sign_bits + m)};
      }
    }
  }

  Facts choice(const Instruction& i, int depth) {
    const Facts x = read(i.a, depth), y = b(i, depth);
    Facts known = {x.zeros & y.zeros, std::min(x.sign_bits, y.sign_bits)};
    if (i.op == Opcode::Minu) known.zeros |= above(std::min(x.most(), y.most()));
    if (i.op == Opcode::Min && x.isNonNegative() && y.isNonNegative())
      known.zeros |= above(std::min(x.most(), y.most()));
    return known;
  }

  // Bytes picked from b:a by a constant selector.
  Facts permutation(const Instruction& i, int depth) {
    if (!f_.isConstant(i.c)) return {};
    const Facts x = read(i.a, depth), y = read(i.b, depth);
    const std::uint32_t selector = f_[i.c].immediate;
    Facts known = {isa::permuteBytes(x.zeros, y.zeros, selector), 1};
    // The upper bytes repeat the sign of the byte below them.
    int spread = 0;
    for (int byte = 3; byte > 0; --byte) {
      const std::uint32_t nibble = selector >> (4 * byte) & 15, below = selector >> (4 * byte - 4);
      if ((nibble & 8) == 0 || (nibble & 7) != (below & 7)) break;
      ++spread;
    }
    known.sign_bits = 1 + 8 * spread;
    return known;
  }

  const Function& f_;
};

}  // namespace

Facts facts(const Function& f, Id word) { return Reader(f).read(word, kDepth); }

}  // namespace qgpu::lower
