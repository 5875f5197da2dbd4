// Names inside one function: registers, variables, parameters and labels, in nested `{ }` scopes.
//
// A name belongs to the innermost scope that declares it, from its declaration on; labels also
// before it, which is why references to them are kept and resolved at the function's end. `.reg
// .b32 %r<100>` declares the names %r0 to %r99 (also spelt %r007); a register gets its id when it
// is first used.
//
// Names that reach the syntax tree are unique in their function and differ from the module's, so
// that they can be written without scopes: the second `t` becomes `t_1`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ptx/ast.h"

namespace qgpu::ptx {

struct Symbol {
  enum class Kind : std::uint8_t {
    None,       // not declared
    Ambiguous,  // a register that both a range and a declaration of its own name
    Register,   // family, number
    Variable,   // reference
    Label,
    Table,  // number: index into Function::tables
  };
  Kind kind = Kind::None;
  std::uint32_t family = 0;
  std::uint32_t number = 0;
  SymbolRef reference{};
};

// A use of a label: operand 0 of an instruction, or an entry of a table.
struct LabelUse {
  std::string_view name;
  Position position;
  bool in_table = false;
  std::uint32_t owner = 0;  // index of the instruction or table
  std::uint32_t entry = 0;
  std::uint32_t scope = 0;
};

class FunctionScope {
 public:
  // `taken` tells whether a name belongs to the module.
  using Taken = bool (*)(const void* module_names, std::string_view name);
  FunctionScope(Function& function, const void* module_names, Taken taken)
      : function_(function), module_names_(module_names), taken_(taken) {}

  // At most 64 scopes deep; false beyond.
  bool open();
  void close();
  bool atTop() const { return marks_.empty(); }

  // False: the name is declared in this scope already.
  bool declareRegister(std::string_view name, Type type, Vector vector, Position position);
  bool declareRange(std::string_view prefix, std::uint64_t count, Type type, Vector vector,
                    Position position);
  bool declareSymbol(std::string_view name, SymbolRef reference);
  bool declareTable(std::string_view name, std::uint32_t index);
  bool declareLabel(std::string_view name, Position position);

  Symbol find(std::string_view name) const;
  Vector vectorOf(const Symbol& symbol) const { return families_[symbol.family].vector; }
  // The register's id, made at the first use. Component 0 to 3 of a vector register.
  RegisterId use(const Symbol& symbol, unsigned component = 0);

  // Keeps a name as it is, for parameters: they come first and may hide the module's names.
  void reserve(std::string_view name) { names_.emplace(name); }
  // A name like `name` that nothing in the function or module has yet.
  std::string uniqueName(std::string_view name);

  void refer(LabelUse use);
  // Puts ids into instructions and tables; the first label that is nowhere, or nullptr.
  const LabelUse* resolveLabels();

 private:
  struct Family {
    std::string_view name;    // whole, or the prefix of a range
    std::uint64_t count = 0;  // 0: not a range
    Type type = Type::B32;
    Vector vector = Vector::None;
    Position position;
  };
  struct Entry {
    Symbol symbol;
    std::string_view name;
    std::uint32_t scope = 0;
    std::uint32_t hidden = 0;  // index + 1 of the entry it hides
    bool is_range = false;
  };
  using Names = std::unordered_map<std::string_view, std::uint32_t>;  // to index + 1

  bool declare(Names& names, std::string_view name, const Symbol& symbol);
  const Entry* lookUp(const Names& names, std::string_view name) const;
  std::string registerName(const Family& family, std::uint32_t number, unsigned component) const;

  Function& function_;
  const void* module_names_;
  Taken taken_;
  std::vector<Family> families_;
  std::vector<Entry> entries_;
  Names exact_;
  Names ranges_;
  std::unordered_map<std::uint64_t, RegisterId> ids_;  // by family and number
  std::vector<std::size_t> marks_;                     // entries_ when each open scope began
  std::vector<std::uint32_t> parents_ = {0};           // of every scope so far
  std::uint32_t scope_ = 0;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> suffixes_;
  struct LabelKey {
    std::string_view name;
    std::uint32_t scope = 0;
    friend bool operator==(const LabelKey&, const LabelKey&) = default;
  };
  struct LabelHash {
    std::size_t operator()(const LabelKey& key) const {
      return std::hash<std::string_view>()(key.name) ^
             (key.scope * std::size_t{0x9E3779B97F4A7C15});
    }
  };
  std::unordered_map<LabelKey, LabelId, LabelHash> labels_;
  std::vector<LabelUse> uses_;
};

}  // namespace qgpu::ptx
