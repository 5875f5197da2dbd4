// The syntax tree of a PTX module, as `parse` (ptx.h) hands it out: checked and resolved.
//
// Resolved means that a reader never looks up a name. Registers, labels, variables, parameters and
// functions are dense ids; nested `{ }` scopes are gone (what they shadowed has been renamed, so
// names are unique in a function); a branch names a label id and a label the instruction it stands
// before.
//
// Checked means: every instruction is one of the forms in the instruction table (form.h), its
// operands have the number, the kinds and the register types which that form demands, guards are
// predicates, branch targets lie in the same function. What is *not* decided here: whether a
// machine can run it.
//
// An example, `@!%p1 mad.lo.s32 %r3, %r1, -4, %r2;` in a kernel:
//
//   const Instruction& i = function.body[7];
//   i.opcode == Opcode::Mad, i.half == Half::Lo, i.type == Type::S32
//   i.guard.reg == 0, i.guard.negated, function.registers[0].name == "%p1"
//   std::get<Register>(i.operands[0].value).id            // %r3, the destination comes first
//   std::get<Immediate>(i.operands[2].value).bits         // 0xFFFFFFFFFFFFFFFC
//   module.locate(i)                                      // {"k.cu", 12, 5}, or the place in the
//   PTX
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ptx/modifiers.h"
#include "interpreter/base/failure.h"

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

// Where an instruction comes from in the user's source, from the `.loc` before it.
struct SourceLine {
  int file = 0;  // index into Module::files
  int line = 0;
  int column = 0;
  SourceId inlined_at = kNoSource;  // the call, when the line stands in an inlined function
  std::string function_name;        // that function's linkage name, if given
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

enum class Opcode : std::uint8_t {
  // integer arithmetic
  Add,
  Addc,
  Sub,
  Subc,
  Mul,
  Mad,
  Madc,
  Mul24,
  Mad24,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Popc,
  Clz,
  Bfind,
  Fns,
  Brev,
  Bfe,
  Bfi,
  Szext,
  Bmsk,
  Dp4a,
  Dp2a,
  // floating point only (add, sub, mul ... have float forms too)
  Testp,
  Copysign,
  Fma,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  // comparison and selection
  Set,
  Setp,
  Selp,
  Slct,
  // logic and shifts
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shf,
  Shl,
  Shr,
  // data movement and conversion
  Mov,
  Shfl,
  Prmt,
  Ld,
  Ldu,
  St,
  Prefetch,
  Prefetchu,
  Isspacep,
  Cvta,
  Cvt,
  // synchronisation and communication
  Bar,
  Barrier,
  Membar,
  Fence,
  Atom,
  Red,
  Vote,
  Match,
  Activemask,
  Redux,
  // control flow
  Bra,
  Brx,
  Call,
  Ret,
  Exit,
  Trap,
  Brkpt,
  Pmevent,
  Nanosleep,
};
// "add", "setp" ...
std::string_view spelling(Opcode);

// Predefined read-only registers. Those with a vector value (Tid, Ntid, Ctaid, Nctaid) are read one
// component at a time.
enum class Special : std::uint8_t {
  Tid,
  Ntid,
  Ctaid,
  Nctaid,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize,
  ReservedSmemOffsetBegin,
  ReservedSmemOffsetEnd,
  ReservedSmemOffsetCap,
  ReservedSmemOffset0,
  ReservedSmemOffset1,
  Clusterid,
  Nclusterid,
  ClusterCtaid,
  ClusterNctaid,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  CurrentGraphExec,
  Pm0,
  Pm1,
  Pm2,
  Pm3,
  Pm4,
  Pm5,
  Pm6,
  Pm7,
  Envreg,  // %envreg<32>: the number is SpecialRegister::index
};
enum class Component : std::uint8_t { None, X, Y, Z, W };

// ---- operands ---------------------------------------------------------------------------------

struct Register {
  RegisterId id = 0;
  bool negated = false;  // `!%p`: predicates only
  friend bool operator==(const Register&, const Register&) = default;
};

// A literal or a folded constant expression. Integers are 64-bit, as PTX computes them; `0f`
// literals keep their 32 bits in the low half, `0d` and decimal literals are 64-bit doubles.
struct Immediate {
  enum class Kind : std::uint8_t { Signed, Unsigned, Float32, Float64 };
  std::uint64_t bits = 0;
  Kind kind = Kind::Signed;
  friend bool operator==(const Immediate&, const Immediate&) = default;
};

// A named thing. `index` is into Module::variables, Function::variables, Function::parameters or
// Module::functions. Return parameters follow the parameters: see Function::parameters.
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

// A memory operand: `[%rd1+8]`, `[table]`, `[k_param_0]`, `[16]`; offset in bytes.
struct Address {
  std::variant<std::monostate, RegisterId, SymbolRef> base;
  std::int64_t offset = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

struct SpecialRegister {
  Special reg = Special::Tid;
  Component component = Component::None;
  std::uint8_t index = 0;  // of %envreg
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

// A list of branch or call targets, or a prototype: index into Function::tables.
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
// `(a, b)` of call: what it returns, and its arguments.
struct ArgumentList {
  std::vector<Operand> elements;
};

struct Operand {
  using Value = std::variant<Register, Immediate, Address, SymbolAddress, SpecialRegister,
                             RegisterPair, VectorOperand, ArgumentList, LabelRef, TableRef, Sink>;
  Value value;
  Position position;
};
// Positions are not compared.
bool operator==(const Operand& a, const Operand& b);
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
//   call             (results), callee, (arguments)[, table]      lists always there, may be empty
//   bar, barrier     [destination,] barrier[, threads][, predicate]
//   ld, atom, red    as written; a trailing cache policy is the last operand when CacheHint is set
struct Instruction {
  Opcode opcode = Opcode::Ret;
  std::uint16_t form = 0;  // row of the instruction table (form.h)

  Type type = Type::None;         // the type; of the result, where an instruction has two
  Type source_type = Type::None;  // cvt, set, slct (of c), dp4a, dp2a (of b)
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
  Eviction eviction = Eviction::None;
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
// Everything but positions and `source`.
bool operator==(const Instruction& a, const Instruction& b);

// ---- functions and modules --------------------------------------------------------------------

struct RegisterInfo {
  std::string name;  // unique in the function; as written unless a scope shadowed it
  Type type = Type::B32;
  Position position;  // of the declaration
  friend bool operator==(const RegisterInfo& a, const RegisterInfo& b) {
    return a.name == b.name && a.type == b.type;
  }
};

struct LabelInfo {
  std::string name;               // unique in the function
  std::uint32_t instruction = 0;  // index into Function::body; body.size() at the very end
  Position position;
  friend bool operator==(const LabelInfo& a, const LabelInfo& b) {
    return a.name == b.name && a.instruction == b.instruction;
  }
};

// `.branchtargets`, `.calltargets` or `.callprototype`.
struct Table {
  enum class Kind : std::uint8_t { Branch, Call, Prototype };
  Kind kind = Kind::Branch;
  std::string name;
  std::vector<LabelId> labels;           // Branch
  std::vector<std::uint32_t> functions;  // Call: indices into Module::functions
  std::uint32_t prototype = 0;           // Prototype: index into Module::functions, name ""
  friend bool operator==(const Table&, const Table&) = default;
};

// The address of a symbol inside an initialiser: `.u64 p[] = {table+4, generic(x)}`.
struct Relocation {
  std::uint64_t offset = 0;  // into Variable::initial
  int size = 8;              // bytes written
  SymbolRef symbol;
  std::int64_t addend = 0;
  bool generic = false;
  int shift = 0;  // mask operators 0xFF(x), 0xFF00(x) ...: which byte, in bits
  friend bool operator==(const Relocation&, const Relocation&) = default;
};

enum class Linkage : std::uint8_t { None, Extern, Visible, Weak, Common };

// `.ptr` attributes of a kernel parameter: what the pointer points at.
struct PointerAttributes {
  Space space = Space::None;  // None: generic
  int alignment = 4;
  friend bool operator==(const PointerAttributes&, const PointerAttributes&) = default;
};

// A variable outside the registers: .global, .const, .shared, .local or .param.
struct Variable {
  std::string name;  // unique in its function or module
  Linkage linkage = Linkage::None;
  Space space = Space::Global;
  Type type = Type::B8;          // of one element
  Vector vector = Vector::None;  // `.v4 .f32 x`
  int alignment = 1;             // bytes; natural unless `.align` says more
  // Array dimensions, outermost first; empty for a scalar. 0 only for `[]` of an extern or a
  // parameter (size left open).
  std::vector<std::uint64_t> dimensions;
  std::uint64_t size = 0;  // bytes; 0 when left open (dynamic shared memory)
  // Little-endian; shorter than `size` when the rest is zero; empty when nothing was written.
  std::vector<std::uint8_t> initial;
  std::vector<Relocation> relocations;
  bool managed = false;       // .attribute(.managed)
  bool is_pointer = false;    // a `.ptr` parameter
  PointerAttributes pointer;  // when is_pointer
  Position position;
};
bool operator==(const Variable& a, const Variable& b);  // all but the position

// `.maxntid 32, 1, 1`: {Name, {32, 1, 1}}.
struct Directive {
  enum class Kind : std::uint8_t {
    Maxntid,
    Reqntid,
    Minnctapersm,
    Maxnctapersm,
    Maxnreg,
    Maxclusterrank,
    Reqnctapercluster,
    ExplicitCluster,
    NoReturn,
    Pragma,
    AbiPreserve,
    AbiPreserveControl,
    BlocksAreClusters,
  };
  Kind kind = Kind::Maxntid;
  std::vector<int> values;
  std::string text;               // of .pragma
  std::uint32_t instruction = 0;  // a .pragma inside the body: the instruction it stands before
  bool in_body = false;
  friend bool operator==(const Directive&, const Directive&) = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;  // false: a prototype, `.extern` or forward
  Linkage linkage = Linkage::None;
  // .param space for entries; .param or .reg for device functions. `results` first then arguments
  // is the order of the text, but they are kept apart; a SymbolRef of kind Parameter counts through
  // parameters and then results.
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<Directive> directives;
  std::vector<RegisterInfo> registers;  // used ones only: `%r<100>` costs what is used of it
  std::vector<Variable>
      variables;                  // .shared, .local, .param (call sequences), also .global, .const
  std::vector<LabelInfo> labels;  // in the order of the text
  std::vector<Table> tables;
  std::vector<Instruction> body;
  Position position;

  const Variable& parameter(std::uint32_t index) const {
    return index < parameters.size() ? parameters[index] : results[index - parameters.size()];
  }
};
bool operator==(const Function& a, const Function& b);  // all but positions and source lines

struct File {
  int number = 0;  // as `.file` and `.loc` have it
  std::string name;
  friend bool operator==(const File&, const File&) = default;
};

struct Module {
  std::string file_name;  // as given to parse
  int version_major = 0;
  int version_minor = 0;
  std::vector<std::string> targets;  // "sm_75", "debug" ...
  int address_size = 32;             // bits: 32 or 64
  std::vector<File> files;
  std::vector<Variable> variables;  // at file scope
  std::vector<Function> functions;
  std::vector<SourceLine> sources;

  // Place of an instruction for a message: in the user's source when `.loc` names one (where the
  // outermost inlined call stands), else in the PTX text.
  Location locate(const Instruction& instruction) const;
  Location locate(Position position) const { return {file_name, position.line, position.column}; }
  // The variable behind a symbol that is not a function; `function` is where the operand stands.
  const Variable& variable(const SymbolRef& symbol, const Function& function) const;
};
// Everything but positions, source lines and file names: what print and parse preserve.
bool operator==(const Module& a, const Module& b);

}  // namespace qgpu::ptx
