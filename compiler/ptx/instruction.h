// PTX instructions and their operands, resolved and checked. See ast.h for the whole picture.
//
// An example, `@!%p1 mad.lo.s32 %r3, %r1, -4, %r2;` in a kernel:
//
//   i.opcode == Opcode::Mad, i.half == Half::Lo, i.type == Type::S32
//   i.guard.reg == 0, i.guard.negated, function.registers[0].name == "%p1"
//   std::get<Register>(i.operands[0].value).id        // %r3: the destination comes first
//   std::get<Immediate>(i.operands[2].value).bits     // 0xFFFFFFFFFFFFFFFC
//   module.locate(i)                                  // {"k.cu", 12, 5}, or the place in the PTX
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ptx/modifiers.h"

namespace qgpu::ptx {

// Dense ids: indices into the vectors of Function or Module named beside them.
using RegisterId = std::uint32_t;  // Function::registers
using LabelId = std::uint32_t;     // Function::labels
using SourceId = std::uint32_t;    // Module::sources
inline constexpr RegisterId kNoRegister = ~RegisterId{0};
inline constexpr SourceId kNoSource = ~SourceId{0};

// Line and column in the PTX text, counted from 1; a tab is one column.
struct Position {
  int line = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// clang-format off
enum class Opcode : std::uint8_t {
  // integer arithmetic
  Add, Addc, Sub, Subc, Mul, Mad, Madc, Mul24, Mad24, Sad, Div, Rem, Abs, Neg, Min, Max,
  Popc, Clz, Bfind, Fns, Brev, Bfe, Bfi, Szext, Bmsk, Dp4a, Dp2a,
  // floating point only (add, sub, mul ... have float forms too)
  Testp, Copysign, Fma, Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh,
  // comparison and selection
  Set, Setp, Selp, Slct,
  // logic and shifts
  And, Or, Xor, Not, Cnot, Lop3, Shf, Shl, Shr,
  // data movement and conversion
  Mov, Shfl, Prmt, Ld, Ldu, St, Prefetch, Prefetchu, Isspacep, Cvta, Cvt,
  // synchronisation and communication
  Bar, Barrier, Membar, Fence, Atom, Red, Vote, Match, Activemask, Redux,
  // control flow
  Bra, Brx, Call, Ret, Exit, Trap, Brkpt, Pmevent, Nanosleep,
};
inline constexpr int kOpcodes = static_cast<int>(Opcode::Nanosleep) + 1;
std::string_view spelling(Opcode);  // "add", "setp" ...

// Predefined read-only registers. Tid, Ntid, Ctaid, Nctaid, Clusterid, Nclusterid, ClusterCtaid and
// ClusterNctaid are vectors, read one component at a time or all four by mov.v4.
enum class Special : std::uint8_t {
  Tid, Ntid, Ctaid, Nctaid,
  Laneid, Warpid, Nwarpid, Smid, Nsmid, Gridid,
  LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt,
  Clock, ClockHi, Clock64, Globaltimer, GlobaltimerLo, GlobaltimerHi,
  DynamicSmemSize, TotalSmemSize, AggrSmemSize,
  Clusterid, Nclusterid, ClusterCtaid, ClusterNctaid, ClusterCtarank, ClusterNctarank,
  IsExplicitCluster, CurrentGraphExec,
  Pm,      // %pm<8>: the number is SpecialRegister::index
  Pm64,    // %pm<8>_64
  Envreg,  // %envreg<32>
  ReservedSmemOffset,  // index 0 begin, 1 end, 2 cap, 3 and 4 %reserved_smem_offset_<2>
};
// clang-format on
enum class Component : std::uint8_t { None, X, Y, Z, W };

// ---- operands ---------------------------------------------------------------------------------

struct Register {
  RegisterId id = 0;
  bool negated = false;  // `!%p`: predicates only
  friend bool operator==(const Register&, const Register&) = default;
};

// A literal or a folded constant expression. Integers have 64 bits, as PTX computes them: an
// instruction on a narrower type takes the low ones. `0f` literals keep their 32 bits in the low
// half, `0d` and decimal literals are 64-bit doubles (rounded by an .f32 instruction).
struct Immediate {
  enum class Kind : std::uint8_t { Signed, Unsigned, Float32, Float64 };
  std::uint64_t bits = 0;
  Kind kind = Kind::Signed;
  friend bool operator==(const Immediate&, const Immediate&) = default;
};

// A named thing. `index` is into Module::variables, Function::variables, the parameters
// (Function::parameter) or Module::functions.
struct SymbolRef {
  enum class Kind : std::uint8_t { ModuleVariable, LocalVariable, Parameter, Function };
  Kind kind = Kind::ModuleVariable;
  std::uint32_t index = 0;
  friend bool operator==(const SymbolRef&, const SymbolRef&) = default;
};

// The address of a symbol as a value: `mov.u64 %rd1, table+8`.
struct SymbolAddress {
  SymbolRef symbol;
  std::int64_t offset = 0;
  friend bool operator==(const SymbolAddress&, const SymbolAddress&) = default;
};

// A memory operand: `[%rd1+8]`, `[table]`, `[k_param_0]`, `[16]`; the offset is in bytes.
struct Address {
  std::variant<std::monostate, RegisterId, SymbolRef> base;
  std::int64_t offset = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

struct SpecialRegister {
  Special reg = Special::Tid;
  Component component = Component::None;
  std::uint8_t index = 0;
  friend bool operator==(const SpecialRegister&, const SpecialRegister&) = default;
};

// Two destinations: `p|q` of setp, `r|p` of shfl, match and lop3. Either may be kNoRegister (`_`).
struct RegisterPair {
  RegisterId first = kNoRegister;
  RegisterId second = kNoRegister;
  friend bool operator==(const RegisterPair&, const RegisterPair&) = default;
};

struct LabelRef {
  LabelId id = 0;
  friend bool operator==(const LabelRef&, const LabelRef&) = default;
};

// A list of branch or call targets, or a call prototype: index into Function::tables.
struct TableRef {
  std::uint32_t index = 0;
  friend bool operator==(const TableRef&, const TableRef&) = default;
};

struct Sink {  // `_`
  friend bool operator==(const Sink&, const Sink&) = default;
};

struct Operand;

// `{a, b}` of ld, st, mov and atom: registers, immediates or sinks.
struct VectorOperand {
  std::vector<Operand> elements;
};

// `(a, b)` of call: registers, immediates or the addresses of .param variables.
struct ArgumentList {
  std::vector<Operand> elements;
};

struct Operand {
  using Value = std::variant<Register, Immediate, Address, SymbolAddress, SpecialRegister,
                             RegisterPair, VectorOperand, ArgumentList, LabelRef, TableRef, Sink>;
  Value value;
  Position position;
};
bool operator==(const Operand& a, const Operand& b);  // positions are not compared
inline bool operator==(const VectorOperand& a, const VectorOperand& b) {
  return a.elements == b.elements;
}
inline bool operator==(const ArgumentList& a, const ArgumentList& b) {
  return a.elements == b.elements;
}

// ---- instructions -----------------------------------------------------------------------------

// `@%p` or `@!%p`.
struct Guard {
  RegisterId reg = kNoRegister;
  bool negated = false;
  bool present() const { return reg != kNoRegister; }
  friend bool operator==(const Guard&, const Guard&) = default;
};

// One instruction. Operands stand in the order in which PTX writes them, destination first:
//   call             (results), callee, (arguments)[, table]     the lists are always there
//   bar, barrier     [destination,] [barrier[, threads]][, predicate]
//   ld, st, atom     as written; a trailing cache policy is the last operand when CacheHint is set
struct Instruction {
  Opcode opcode = Opcode::Ret;
  std::uint16_t form = 0;  // row of the instruction table (form.h)

  Type type = Type::None;         // the type; of the result, where an instruction has several
  Type source_type = Type::None;  // cvt, set: of a; slct: of c; dp4a, dp2a: of b
  Type third_type = Type::None;   // cvt.pack: of c
  Compare compare = Compare::None;
  Boolean boolean = Boolean::None;
  Half half = Half::None;
  Direction direction = Direction::None;
  Bound bound = Bound::None;
  Rounding rounding = Rounding::None;
  Precision precision = Precision::None;
  Space space = Space::None;
  Order order = Order::None;
  Scope scope = Scope::None;
  CacheOperator cache = CacheOperator::None;
  CacheLevel level = CacheLevel::None;
  L1Eviction l1_eviction = L1Eviction::None;
  L2Eviction l2_eviction = L2Eviction::None;
  Prefetch prefetch = Prefetch::None;
  Vector vector = Vector::None;
  Operation operation = Operation::None;
  Shuffle shuffle = Shuffle::None;
  Vote vote = Vote::None;
  Permute permute = Permute::None;
  Barrier barrier = Barrier::None;
  FloatClass float_class = FloatClass::None;
  Flags flags;

  Guard guard;
  std::vector<Operand> operands;

  Position position;            // in the PTX text
  SourceId source = kNoSource;  // in the user's source

  bool has(Flag flag) const { return flags.has(flag); }
};
bool operator==(const Instruction& a, const Instruction& b);  // all but positions and source

}  // namespace qgpu::ptx
