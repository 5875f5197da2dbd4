// The syntax tree of a PTX module, as `parse` (ptx.h) hands it out: resolved and checked.
//
// Resolved: a reader never looks up a name. Registers, labels, variables, parameters and functions
// are dense ids; nested `{ }` scopes are gone (what they shadowed has been renamed, so that names
// are unique in a function); a branch names a label id, a label the instruction it stands before.
//
// Checked: every instruction is one of the forms of the instruction table (form.h), its operands
// have the number, kinds and register types which that form demands, guards are predicates, branch
// targets lie in the same function. Not decided here: whether a machine can run it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ptx/instruction.h"
#include "interpreter/base/failure.h"

namespace qgpu::ptx {

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

// The address of a symbol inside an initialiser: `.u64 p[2] = {table+4, generic(x)}`.
struct Relocation {
  std::uint64_t offset = 0;  // into the variable, in bytes
  int size = 8;              // bytes written; 1 only for mask operators
  SymbolRef symbol{};
  std::int64_t addend = 0;
  bool generic = false;
  int shift = 0;  // mask operators 0xFF(x), 0xFF00(x) ...: how far the address is shifted right
  friend bool operator==(const Relocation&, const Relocation&) = default;
};

enum class Linkage : std::uint8_t { None, Extern, Visible, Weak, Common };

// `.ptr .global .align 16` of a kernel parameter: what the pointer points at.
struct PointerAttributes {
  Space space = Space::None;  // None: generic
  int alignment = 4;
  friend bool operator==(const PointerAttributes&, const PointerAttributes&) = default;
};

// A variable: .global, .const, .shared, .local or .param; .reg for parameters of device functions.
struct Variable {
  std::string name;  // unique in its function or module
  Linkage linkage = Linkage::None;
  Space space = Space::Global;
  Type type = Type::B8;          // of one element
  Vector vector = Vector::None;  // `.v4 .f32 x`: an element is four of `type`
  int alignment = 1;             // bytes; the element's size unless `.align` was written
  // Array dimensions, outermost first; empty for a scalar. The first is 0 in `x[]` left open, as in
  // dynamic shared memory.
  std::vector<std::uint64_t> dimensions;
  std::uint64_t size = 0;  // bytes; 0 when left open
  // Little-endian; shorter than `size` when the rest is zero, empty without an initialiser.
  std::vector<std::uint8_t> initial;
  std::vector<Relocation> relocations;
  bool managed = false;          // .attribute(.managed)
  bool is_pointer = false;       // a `.ptr` parameter
  PointerAttributes pointer;     // when is_pointer
  RegisterId reg = kNoRegister;  // of a .reg parameter
  Position position;
};
bool operator==(const Variable& a, const Variable& b);  // all but the position

// `.branchtargets`, `.calltargets` or `.callprototype`.
struct Table {
  enum class Kind : std::uint8_t { Branch, Call, Prototype };
  Kind kind = Kind::Branch;
  std::string name;
  std::vector<LabelId> labels;           // Branch
  std::vector<std::uint32_t> functions;  // Call: indices into Module::functions
  std::vector<Variable> results;         // Prototype
  std::vector<Variable> parameters;      // Prototype
  friend bool operator==(const Table&, const Table&) = default;
};

// `.maxntid 32, 1, 1`: {Maxntid, {32, 1, 1}}.
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
    BlocksAreClusters,
    NoReturn,
    Pragma,
  };
  Kind kind = Kind::Maxntid;
  std::vector<std::uint32_t> values;
  std::string text;  // of .pragma
  friend bool operator==(const Directive&, const Directive&) = default;
};

// `.pragma "nounroll";` inside a body, before instruction number `instruction`.
struct BodyPragma {
  std::uint32_t instruction = 0;
  std::string text;
  friend bool operator==(const BodyPragma&, const BodyPragma&) = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;  // false: a prototype, `.extern` or forward
  Linkage linkage = Linkage::None;
  std::vector<Variable> parameters;
  std::vector<Variable> results;  // of device functions
  std::vector<Directive> directives;
  std::vector<RegisterInfo> registers;  // only those used: `%r<100>` costs what is used of it
  std::vector<Variable> variables;      // declared in the body: .shared, .local, .param, ...
  std::vector<LabelInfo> labels;        // in the order of the text
  std::vector<Table> tables;
  std::vector<BodyPragma> pragmas;
  std::vector<Instruction> body;
  Position position;

  // What SymbolRef::Kind::Parameter counts through: the parameters, then the results.
  const Variable& parameter(std::uint32_t index) const {
    return index < parameters.size() ? parameters[index] : results[index - parameters.size()];
  }
};
bool operator==(const Function& a, const Function& b);  // all but positions and source lines

// Where an instruction comes from in the user's source, from the `.loc` before it.
struct SourceLine {
  int file = 0;  // File::number
  int line = 0;
  int column = 0;
  SourceId inlined_at = kNoSource;  // the call, when the line stands in an inlined function
  std::string function_name;        // that function's linkage name, if given
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

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

  // Place of an instruction for a message: in the user's source when `.loc` names one (for inlined
  // code the outermost call, which stands in the kernel's own text), else in the PTX.
  Location locate(const Instruction& instruction) const;
  Location locate(Position position) const { return {file_name, position.line, position.column}; }
  // The variable behind a symbol that is not a function; `function` is where the operand stands.
  const Variable& variable(const SymbolRef& symbol, const Function& function) const;
};
bool operator==(const Module& a, const Module& b);  // all but positions, sources and file names

}  // namespace qgpu::ptx
