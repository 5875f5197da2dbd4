// Appends operations to a block, each simplified first: what comes back may be an older value.
//
//   Builder b(f);
//   b.setBlock(entry);
//   b.add(x, b.constant(0));                 // x, and nothing is appended
//   b.compare(isa::Compare::Ge, x, y);       // !{setp.lt x, y}: odd comparisons are negated ones
//
// Operations on constants are evaluated by the rows of the instruction table itself.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

// Both results of an operation; meaningless where it has none.
struct Value {
  Id word = kNone;
  Predicate flag;
};

// Where in memory: see MemoryOperand.
struct Place {
  Id index = kNone;
  bool scaled = false;
  std::int32_t offset = 0;
  int object = kNoObject;
  bool is_volatile = false;
  bool is_generic = false;
};

class Builder {
 public:
  explicit Builder(Function& f) : f_(f) {}

  Function& function() { return f_; }
  int block() const { return block_; }
  void setBlock(int block) { block_ = block; }
  void setOrigin(std::uint32_t origin) { origin_ = origin; }
  std::uint32_t origin() const { return origin_; }

  // Simplifies, and appends what is left.
  Value emit(Instruction i);
  // Appends as it is.
  Value append(Instruction i);

  Id constant(std::uint32_t value, int object = kNoObject) { return f_.constant(value, object); }
  Id zero() { return constant(0); }

  Id operation(isa::Opcode op, Id a, Id b, Id c = kNone);
  Id add(Id a, Id b) { return operation(isa::Opcode::Add, a, b); }
  Id sub(Id a, Id b) { return operation(isa::Opcode::Sub, a, b); }
  Id negate(Id a) { return sub(zero(), a); }
  Id mul(Id a, Id b) { return mad(a, b, zero()); }
  Id mad(Id a, Id b, Id c) { return operation(isa::Opcode::Mad, a, b, c); }
  Id mulHighSigned(Id a, Id b) { return operation(isa::Opcode::Madh, a, b, zero()); }
  Id mulHighUnsigned(Id a, Id b) { return operation(isa::Opcode::Madhu, a, b, zero()); }
  Id bitAnd(Id a, Id b) { return operation(isa::Opcode::And, a, b); }
  Id mask(Id a, std::uint32_t bits) { return bitAnd(a, constant(bits)); }
  Id bitOr(Id a, Id b) { return operation(isa::Opcode::Or, a, b); }
  Id bitXor(Id a, Id b) { return operation(isa::Opcode::Xor, a, b); }
  Id complement(Id a) { return bitXor(a, constant(~0u)); }
  Id andNot(Id a, Id b) { return operation(isa::Opcode::Andn, a, b); }
  Id shiftLeft(Id a, Id n) { return operation(isa::Opcode::Shl, a, n); }
  Id shiftLeftBy(Id a, std::uint32_t n) { return shiftLeft(a, constant(n)); }
  Id shiftRight(Id a, Id n) { return operation(isa::Opcode::Shr, a, n); }
  Id shiftRightBy(Id a, std::uint32_t n) { return shiftRight(a, constant(n)); }
  Id shiftRightSigned(Id a, Id n) { return operation(isa::Opcode::Sar, a, n); }
  Id shiftRightSignedBy(Id a, std::uint32_t n) { return shiftRightSigned(a, constant(n)); }
  Id rotateLeft(Id a, Id n) { return operation(isa::Opcode::Rotl, a, n); }
  Id unary(isa::Opcode op, Id a) { return operation(op, a, kNone); }
  Id permute(Id a, Id b, std::uint32_t selector) {
    return operation(isa::Opcode::Prmt, a, b, constant(selector));
  }
  // The low `bits` (8 or 16, or any number below 32) extended to a word.
  Id extendUnsigned(Id a, int bits);
  Id extendSigned(Id a, int bits);

  Id select(Predicate p, Id if_true, Id if_false);
  Id fromPredicate(Predicate p) { return select(p, constant(1), zero()); }
  Predicate isNonZero(Id a) { return compare(isa::Compare::Ne, a, zero()); }

  Predicate compare(isa::Compare relation, Id a, Id b);
  Predicate logic(isa::Opcode op, Predicate a, Predicate b);
  Predicate both(Predicate a, Predicate b) { return logic(isa::Opcode::Pand, a, b); }
  Predicate either(Predicate a, Predicate b) { return logic(isa::Opcode::Por, a, b); }
  Predicate differ(Predicate a, Predicate b) { return logic(isa::Opcode::Pxor, a, b); }
  Predicate select(Predicate p, Predicate if_true, Predicate if_false);

  // a + b + carry with its carry out, and a - b - !no_borrow with its "no borrow".
  Value addWithCarry(Id a, Id b, Predicate carry);
  Value subWithBorrow(Id a, Id b, Predicate no_borrow);
  // a - b - !no_borrow compared as wide numbers: Lt or Ltu.
  Predicate compareWithBorrow(isa::Compare relation, Id a, Id b, Predicate no_borrow);

  Id quotient(bool is_signed, Id a, Id b);
  Id remainder(bool is_signed, Id a, Id b);

  // A load is Mov, Ldb, Ldbs, Ldh or Ldhs; a failed guard leaves the result undefined.
  Id load(isa::Space space, Place place, Predicate guard = {}, isa::Opcode op = isa::Opcode::Mov);
  void store(isa::Space space, Place place, Id value, Predicate guard = {},
             isa::Opcode op = isa::Opcode::St);
  // The old word; `compare_with` for AtomCas alone.
  Id atomic(isa::Opcode op, isa::Space space, Place place, Id value, Predicate guard = {},
            Id compare_with = kNone);

  Id unsupported(std::string message, std::string hint, bool effect = false);

  // What is appended from here to the end of the cluster runs in one block, as one step.
  void openCluster() { cluster_ = ++f_.clusters; }
  void closeCluster() { cluster_ = 0; }

 private:
  Function& f_;
  int block_ = 0;
  std::uint32_t origin_ = 0;
  std::uint32_t cluster_ = 0;
};

}  // namespace qgpu::lower
