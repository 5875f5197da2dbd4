// What the parts of the parser share while one module is read.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ptx/ast.h"
#include "compiler/ptx/cursor.h"
#include "compiler/ptx/ptx.h"
#include "compiler/ptx/scope.h"

namespace qgpu::ptx {

// Limits that keep a hostile text from costing more than its size.
inline constexpr std::size_t kMaxText = 4u << 20;           // bytes
inline constexpr std::size_t kMaxInstructions = 1u << 20;   // of a module
inline constexpr std::size_t kMaxVariables = 1u << 16;      // of a module
inline constexpr std::size_t kMaxFunctions = 1u << 12;      // of a module
inline constexpr std::size_t kMaxInitialBytes = 16u << 20;  // of all initialisers together
inline constexpr std::size_t kMaxFunctionName = 256;  // longer ones of inlined calls are dropped
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxRange = std::uint64_t{1} << 30;  // registers of `%r<N>`

struct Context {
  Context(std::string_view text, const Options& parse_options)
      : cursor(text), options(parse_options) {}

  Cursor cursor;
  const Options options;
  Module module;
  std::unordered_map<std::string_view, SymbolRef> names;  // at file scope
  std::size_t instructions = 0;
  std::size_t variables = 0;
  std::size_t initial_bytes = 0;

  // The line of source in force, and lines by place, for inlined_at.
  SourceId source = kNoSource;
  struct PlaceHash {
    std::size_t operator()(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u; }
  };
  std::unordered_map<std::uint64_t, SourceId, PlaceHash> places;
  // Names of inlined functions stand in .debug_str, usually at the end of the file.
  struct NamedSource {
    SourceId source = kNoSource;
    std::string_view label;
    std::uint64_t offset = 0;
  };
  std::vector<NamedSource> named_sources;
  std::unordered_set<int> file_numbers;
  std::string debug_strings;
  std::unordered_map<std::string_view, std::size_t> debug_labels;  // into debug_strings

  const SymbolRef* find(std::string_view name) const {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  }
};

// Each returns false once something was refused. They stand at the token named.
bool parseModule(Context& context);                                          // the first token
bool parseFunction(Context& context, Linkage linkage);                       // .entry or .func
bool parseBody(Context& context, FunctionScope& scope, Function& function);  // after `{`
bool parseInstruction(Context& context, FunctionScope& scope, Function& function);  // opcode or @
bool parseLoc(Context& context);                                                    // after .loc
bool parseFile(Context& context);                                                   // after .file
bool parseSection(Context& context);  // after .section
// Fills in the names of inlined functions, once the whole module was read.
void nameSources(Context& context);

}  // namespace qgpu::ptx
