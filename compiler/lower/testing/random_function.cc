#include "compiler/lower/testing/random_function.h"

#include <array>

#include "compiler/lower/build/variables.h"
#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/flow.h"
#include "interpreter/testing/random.h"

namespace qgpu::lower::testing {
namespace {

using isa::Compare;
using isa::Opcode;

constexpr int kWords = 5, kFlags = 4;  // variables
constexpr int kFuel = kWords - 1;      // the word that lets loops end
constexpr int kArguments = 3;

constexpr std::array<std::uint32_t, 21> kConstants = {
    0,  0,  1,   1,   2,      3,      4,   7,           8,       15,         16,
    24, 31, 255, 256, 0xffff, 0x3210, ~0u, 0x80000000u, 0x8880u, 0x7fffffffu};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed), b_(f_), variables_(f_, types()) {}

  Function make() {
    f_.spaces_are_known = true;
    const int count = random_.between(2, 9);
    for (int b = 0; b < count; ++b) f_.newBlock();
    for (int b = 0; b < count; ++b) chooseEnd(b, count);
    f_.connect();
    removeUnreachable(f_);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) fill(static_cast<int>(b));
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) variables_.seal(static_cast<int>(b));
    return std::move(f_);
  }

 private:
  static std::vector<Type> types() {
    std::vector<Type> all(kWords, Type::Word);
    all.insert(all.end(), kFlags, Type::Flag);
    return all;
  }

  // ---- Control flow. ----

  void chooseEnd(int b, int count) {
    BasicBlock& block = f_.blocks[b];
    const int kind = random_.below(100);
    if (b == count - 1 || kind < 8) return;  // an exit
    if (kind < 10) {
      block.terminator = Terminator::Trap;
      return;
    }
    block.target = random_.between(b + 1, count - 1);
    block.terminator = kind < 14   ? Terminator::Barrier
                       : kind < 16 ? Terminator::Gather
                       : kind < 18 ? Terminator::Fence
                                   : Terminator::Jump;
    if (kind < 40) return;
    block.other = random_.between(1, count - 1);
    if (block.other == block.target) return;
    block.terminator = Terminator::Branch;
    if (random_.chance(50)) std::swap(block.target, block.other);
  }

  // ---- Operands. ----

  Id constant() {
    return b_.constant(random_.chance(80) ? random_.pick(kConstants) : random_.word());
  }
  Id word() {
    switch (random_.below(10)) {
      case 0:
      case 1: return constant();
      case 2: return f_.argument({random_.below(kArguments), 0});
      case 3: return random_.chance(30) ? f_.special(isa::Special::Tid) : readWord();
      default: return readWord();
    }
  }
  Id readWord() { return variables_.read(random_.below(kWords), b_.block()).id; }
  Predicate flag() {
    const Predicate p = variables_.read(kWords + random_.below(kFlags), b_.block());
    return random_.chance(40) ? !p : p;
  }
  void setWord(Id value) { variables_.write(random_.below(kFuel), b_.block(), {value}); }
  void setFlag(Predicate value) {
    if (random_.chance(25)) value = !value;
    if (random_.chance(5)) value = random_.chance(50) ? Predicate::always() : Predicate::never();
    variables_.write(kWords + random_.below(kFlags), b_.block(), value);
  }

  // ---- Blocks. ----

  void fill(int b) {
    b_.setBlock(b);
    if (b == 0) begin();
    const int count = random_.below(random_.chance(20) ? 14 : 6);
    for (int n = 0; n < count; ++n) statement();
    BasicBlock& block = f_.blocks[b];
    if (!block.conditional()) {
      if (!block.hasTarget()) leave();
      return;
    }
    if (block.target <= b || block.other <= b) return burn(b);
    const Predicate condition =
        random_.chance(70) ? flag() : b_.compare(relation(), word(), word());
    f_.blocks[b].condition = condition;
  }

  void begin() {
    for (int n = 0; n < kFuel; ++n)
      variables_.write(n, 0, {n < kArguments ? f_.argument({n, 0}) : constant()});
    variables_.write(kFuel, 0, {b_.constant(static_cast<std::uint32_t>(random_.between(1, 5)))});
    for (int n = 0; n < kFlags; ++n)
      variables_.write(kWords + n, 0,
                       random_.chance(80)   ? b_.compare(relation(), word(), word())
                       : random_.chance(50) ? Predicate::always()
                                            : Predicate::never());
  }

  // Leaves some variables in memory.
  void leave() {
    for (int n = 0; n < kWords; ++n)
      if (random_.chance(60))
        b_.store(isa::Space::Global, {.offset = 4 * (1 + n)}, variables_.read(n, b_.block()).id);
    if (random_.chance(50)) b_.store(isa::Space::Global, {.offset = 24}, b_.fromPredicate(flag()));
  }

  // A way back is taken as long as there is fuel.
  void burn(int b) {
    const Id fuel = variables_.read(kFuel, b).id;
    const Id less = b_.sub(fuel, b_.constant(1));
    variables_.write(kFuel, b, {less});
    Predicate goes_on = b_.compare(Compare::Lt, b_.zero(), random_.chance(50) ? fuel : less);
    if (random_.chance(30)) goes_on = b_.both(goes_on, flag());
    f_.blocks[b].condition = f_.blocks[b].target <= b ? goes_on : !goes_on;
  }

  Compare relation() { return static_cast<Compare>(random_.below(6)); }

  // ---- Statements. ----

  void statement() {
    switch (random_.below(12)) {
      case 0: return setWord(constant());
      case 1: return setFlag(b_.compare(relation(), word(), constant()));
      case 2: return setFlag(b_.compare(relation(), word(), word()));
      case 3: return logic();
      case 4: return setWord(b_.select(flag(), word(), word()));
      case 5: return carries();
      case 6: return access();
      case 7: return rare();
      default: return arithmetic();
    }
  }

  void logic() {
    if (random_.chance(20)) return setFlag(b_.select(flag(), flag(), flag()));
    setFlag(b_.logic(random_.pick({Opcode::Pand, Opcode::Por, Opcode::Pxor}), flag(), flag()));
  }

  void arithmetic() {
    const Opcode op =
        random_.pick({Opcode::Add,  Opcode::Add,  Opcode::Sub,  Opcode::Sub,  Opcode::Mad,
                      Opcode::Mad,  Opcode::Madh, Opcode::And,  Opcode::Or,   Opcode::Xor,
                      Opcode::Andn, Opcode::Shl,  Opcode::Shr,  Opcode::Sar,  Opcode::Rotl,
                      Opcode::Min,  Opcode::Max,  Opcode::Minu, Opcode::Maxu, Opcode::Prmt});
    Instruction i{.op = op, .a = word(), .b = random_.chance(40) ? constant() : word()};
    if (i.row().c) i.c = random_.chance(40) ? b_.zero() : word();
    if (op == Opcode::Prmt && random_.chance(70))
      i.c = b_.constant(random_.chance(50) ? 0x8880 : 0x9910);
    setWord(random_.chance(75) ? b_.emit(i).word : b_.append(i).word);
  }

  void carries() {
    const bool up = random_.chance(50);
    const Value low =
        up ? b_.addWithCarry(word(), word(), random_.chance(70) ? Predicate::never() : flag())
           : b_.subWithBorrow(word(), word(), random_.chance(70) ? Predicate::always() : flag());
    setWord(low.word);
    setFlag(low.flag);
    if (random_.chance(40))
      setFlag(b_.compareWithBorrow(random_.pick({Compare::Lt, Compare::Ltu}), word(), word(),
                                   low.flag));
  }

  // A place among the words that the run is judged by, or in shared memory.
  Place place(int width) {
    Place p{.offset = 4 * (1 + random_.below(kRandomWords - 8))};
    if (random_.chance(50)) {
      p.index = b_.mask(word(), 7);
      p.scaled = width == 4 || (width == 2 && random_.chance(50));
      if (!p.scaled && width == 2) p.index = b_.mask(p.index, 6);
    }
    p.is_volatile = random_.chance(10);
    return p;
  }
  isa::Space space() { return random_.chance(80) ? isa::Space::Global : isa::Space::Shared; }

  void access() {
    const int kind = random_.below(10);
    if (kind < 3) return setWord(b_.load(space(), place(4)));
    if (kind < 4) return guardedLoad();
    if (kind < 7)
      return b_.store(space(), place(4), word(), random_.chance(70) ? Predicate::always() : flag());
    if (kind < 8)
      return setWord(b_.load(space(), place(1), {}, random_.pick({Opcode::Ldb, Opcode::Ldbs})));
    if (kind < 9) return b_.store(space(), place(2), word(), {}, Opcode::Sth);
    setWord(
        b_.atomic(random_.pick({Opcode::AtomAdd, Opcode::AtomExch}), space(), place(4), word()));
  }
  // Under a guard, and chosen by the same one.
  void guardedLoad() {
    const Predicate p = flag();
    const Id loaded = b_.load(space(), place(4), p);
    setWord(b_.select(p, loaded, word()));
  }

  void rare() {
    switch (random_.below(6)) {
      case 0: return setWord(b_.quotient(random_.chance(50), word(), word()));
      case 1: return setWord(b_.remainder(random_.chance(50), word(), word()));
      case 2:
        return setWord(b_.unary(random_.pick({Opcode::Popc, Opcode::Clz, Opcode::Brev}), word()));
      case 3: return setWord(b_.complement(word()));
      case 4: return setFlag(b_.emit({.op = Opcode::VoteAny, .guard = flag()}).flag);
      default: return setWord(b_.negate(word()));
    }
  }

  isatest::Random random_;
  Function f_;
  Builder b_;
  Variables variables_;
};

}  // namespace

Function randomFunction(std::uint64_t seed) { return Maker(seed).make(); }

FunctionInput randomInput(std::uint64_t seed) {
  isatest::Random random(~seed);
  FunctionInput input;
  for (int n = 0; n < kArguments; ++n) input.arguments.push_back(random.word());
  for (int n = 0; n < kRandomWords; ++n) input.global.push_back(random.word());
  return input;
}

}  // namespace qgpu::lower::testing
