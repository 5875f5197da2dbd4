// The instruction table: one row for each form of each PTX instruction, with its legal modifiers
// and operands. The parser, the checker and the printer work from these rows alone.
//
// A row has two short texts. Modifiers, in canonical order; they are taken in any order, as ptxas
// does, except that those marked ^ come before the others and types keep their order among
// themselves:
//
//   T:int          the instruction's type, one of a group (below) or of a|b|c
//   S:.. U:..      the second and third type
//   half:lo|hi     a modifier of that field, required;  cache?:ca|cg  optional
//   sat  nc!       a flag, optional; with ! required
//
// Operands, in order:
//
//   d:T  d:T_  d:T~  d:T*    destination register of type T; _ it may be `_`; ~ it may be wider;
//                            * a vector of them when .v2, .v4 or .v8 is written
//   d|p:T  d|p!:T            destination, with a second, predicate one after `|`; ! required
//   a:T                      source: a register of type T or a literal, with ~ and * as above
//   a:T$  a:T&               source that may also be a special register; & or a symbol's address
//   a:T#  a:T<0..15>         a literal only; a literal, if it is one, in that range
//   {d}:T  {a}:T             destination and source split into equal parts (mov)
//   c:pred                   a predicate, or its negation, or a literal
//   [a]                      a memory address
//   @label  @table           a branch target; a list of them
//   tail                     c:pred, exactly when a Boolean such as .and is written
//   policy                   a cache policy, exactly when .L2::cache_hint is written
//   ...?                     an operand that may be left out
//
// Types of operands: T, S, U as written in the instruction, TT twice as wide as T, `any` an address
// (32 or 64 bits), or a type by name.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx/instruction.h"

namespace qgpu::ptx {

// The kinds of modifier that have a value, each with a member of Instruction.
// clang-format off
enum class Field : std::uint8_t {
  Type, SourceType, ThirdType, Compare, Boolean, Half, Direction, Bound, Rounding, Precision, Space,
  Order, Scope, CacheOperator, CacheLevel, L1Eviction, L2Eviction, Prefetch, Vector, Operation,
  Shuffle, Vote, Permute, Barrier, FloatClass,
};
// clang-format on
inline constexpr int kFields = static_cast<int>(Field::FloatClass) + 1;

// The modifiers of one instruction, before and after they live in an Instruction.
struct ModifierSet {
  std::array<std::uint8_t, kFields> values{};
  Flags flags;

  std::uint8_t& operator[](Field field) { return values[static_cast<std::size_t>(field)]; }
  std::uint8_t operator[](Field field) const { return values[static_cast<std::size_t>(field)]; }
};
ModifierSet modifiersOf(const Instruction& instruction);
void setModifiers(Instruction& instruction, const ModifierSet& modifiers);
std::string_view spelling(Field field, std::uint8_t value);
int valuesOf(Field field);  // including None

// One word that can follow an opcode, `.and` say: a Boolean of setp, an Operation of atom.
struct Modifier {
  struct Meaning {
    bool is_flag = false;
    Field field = Field::Type;  // when not a flag
    std::uint8_t value = 0;     // of the field, or the Flag
  };
  std::string_view text;
  std::array<Meaning, 3> meanings{};
  int count = 0;
  bool is_type = false;
};
// nullptr when no instruction of this table has such a modifier. `text` has no dot.
const Modifier* findModifier(std::string_view text);

enum class OperandKind : std::uint8_t {
  Destination,
  DestinationPair,
  Source,
  SplitDestination,
  SplitSource,
  Predicate,
  Tail,  // a predicate, when a Boolean is written
  Address,
  Label,
  Table,
  Policy,  // a cache policy, when the flag CacheHint is there
};
// What an operand's type is measured by.
enum class TypeOf : std::uint8_t { Fixed, First, Second, Third, Doubled, Pointer };

struct OperandRule {
  OperandKind kind = OperandKind::Source;
  TypeOf type_of = TypeOf::First;
  Type fixed = Type::None;       // for TypeOf::Fixed
  bool optional = false;         // may be left out
  bool second_required = false;  // DestinationPair: `|p` must be written
  bool sink = false;             // `_` allowed
  bool wider = false;            // the register may be wider than the type
  bool vector = false;           // as many as `.v` says
  bool literal = false;          // a literal only
  bool special = false;          // a special register too
  bool symbol = false;           // a symbol's address too
  bool ranged = false;           // literals are checked against low and high
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// A modifier in the canonical order of a form.
struct ModifierRule {
  bool is_flag = false;
  Flag flag = Flag::Uni;
  Field field = Field::Type;
  bool required = false;
  bool first = false;         // before those that are not
  std::uint64_t allowed = 0;  // bit v: value v of the field
};

struct Form {
  Opcode opcode = Opcode::Ret;
  std::string_view modifier_text;
  std::string_view operand_text;
  std::vector<ModifierRule> modifiers{};
  std::array<std::uint64_t, kFields> allowed{};  // the same, by field; 0: no such field
  std::uint32_t flags = 0;                       // allowed ones
  std::uint32_t required_fields = 0;             // bit f: Field f
  std::uint32_t required_flags = 0;
  std::uint32_t first_fields = 0;  // those marked ^
  std::uint32_t first_flags = 0;
  std::vector<OperandRule> operands{};
};

// All forms; those of one opcode stand together. Instruction::form is an index into it.
std::span<const Form> forms();
std::span<const Form> formsOf(Opcode opcode);
// A form as a person would write it: "mul24.{lo,hi}.{u32,s32} d, a, b".
std::string describe(const Form& form);
std::string describeModifiers(const Form& form);  // without the operands

// ---- opcodes ----------------------------------------------------------------------------------

struct OpcodeName {
  enum class Kind : std::uint8_t { Known, Family, Unknown };
  Kind kind = Kind::Unknown;
  Opcode opcode = Opcode::Ret;  // Known
  std::string_view family;      // Family: what an instruction such as tex or wmma belongs to
};
OpcodeName findOpcode(std::string_view text);
std::span<const std::string_view> opcodeNames();  // in the order of Opcode

// Instructions refused as a group, "textures" say; the opcodes are separated by blanks.
struct InstructionFamily {
  std::string_view name;
  std::string_view opcodes;
};
std::span<const InstructionFamily> instructionFamilies();

}  // namespace qgpu::ptx
