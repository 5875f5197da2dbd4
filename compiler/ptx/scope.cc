#include "compiler/ptx/scope.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxNesting = 64;

// "%r007" is register 7 of the range "%r": all trailing digits count.
bool splitNumber(std::string_view name, std::string_view& prefix, std::uint64_t& number) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits == 0) return false;
  prefix = name.substr(0, digits);
  const auto result = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return result.ec == std::errc{};
}

std::uint64_t idKey(std::uint32_t family, std::uint32_t number, unsigned component) {
  return std::uint64_t{family} << 34 | std::uint64_t{number} << 2 | component;
}

}  // namespace

bool FunctionScope::open() {
  if (marks_.size() >= kMaxNesting) return false;
  marks_.push_back(entries_.size());
  parents_.push_back(scope_);
  scope_ = static_cast<std::uint32_t>(parents_.size() - 1);
  return true;
}

void FunctionScope::close() {
  while (entries_.size() > marks_.back()) {
    const Entry& entry = entries_.back();
    Names& names = entry.is_range ? ranges_ : exact_;
    if (entry.hidden == 0) {
      names.erase(entry.name);
    } else {
      names[entry.name] = entry.hidden;
    }
    entries_.pop_back();
  }
  marks_.pop_back();
  scope_ = parents_[scope_];
}

bool FunctionScope::declare(Names& names, std::string_view name, const Symbol& symbol) {
  std::uint32_t& top = names[name];
  if (top != 0 && entries_[top - 1].scope == scope_) return false;
  entries_.push_back({symbol, name, scope_, top, &names == &ranges_});
  top = static_cast<std::uint32_t>(entries_.size());
  return true;
}

bool FunctionScope::declareRegister(std::string_view name, Type type, Vector vector,
                                    Position position) {
  families_.push_back({name, 0, type, vector, position});
  return declare(
      exact_, name,
      {.kind = Symbol::Kind::Register, .family = static_cast<std::uint32_t>(families_.size() - 1)});
}

bool FunctionScope::declareRange(std::string_view prefix, std::uint64_t count, Type type,
                                 Vector vector, Position position) {
  families_.push_back({prefix, count, type, vector, position});
  return declare(
      ranges_, prefix,
      {.kind = Symbol::Kind::Register, .family = static_cast<std::uint32_t>(families_.size() - 1)});
}

bool FunctionScope::declareSymbol(std::string_view name, SymbolRef reference) {
  return declare(exact_, name, {.kind = Symbol::Kind::Variable, .reference = reference});
}

bool FunctionScope::declareTable(std::string_view name, std::uint32_t index) {
  return declare(exact_, name, {.kind = Symbol::Kind::Table, .number = index});
}

bool FunctionScope::declareLabel(std::string_view name, Position position) {
  if (!declare(exact_, name, {.kind = Symbol::Kind::Label})) return false;
  labels_[{name, scope_}] = static_cast<LabelId>(function_.labels.size());
  function_.labels.push_back(
      {uniqueName(name), static_cast<std::uint32_t>(function_.body.size()), position});
  return true;
}

const FunctionScope::Entry* FunctionScope::lookUp(const Names& names, std::string_view name) const {
  const auto found = names.find(name);
  return found == names.end() ? nullptr : &entries_[found->second - 1];
}

Symbol FunctionScope::find(std::string_view name) const {
  const Entry* exact = lookUp(exact_, name);
  std::string_view prefix;
  std::uint64_t number = 0;
  const Entry* range = nullptr;
  if (!ranges_.empty() && splitNumber(name, prefix, number)) {
    range = lookUp(ranges_, prefix);
    // An inner range that is too short does not hide an outer one.
    while (range != nullptr && number >= families_[range->symbol.family].count) {
      range = range->hidden == 0 ? nullptr : &entries_[range->hidden - 1];
    }
  }
  if (range == nullptr) return exact == nullptr ? Symbol{} : exact->symbol;
  if (exact != nullptr && exact->scope == range->scope) {
    return exact->symbol.kind == Symbol::Kind::Register ? Symbol{.kind = Symbol::Kind::Ambiguous}
                                                        : exact->symbol;
  }
  if (exact != nullptr && exact > range) return exact->symbol;
  Symbol symbol = range->symbol;
  symbol.number = static_cast<std::uint32_t>(number);
  return symbol;
}

std::string FunctionScope::registerName(const Family& family, std::uint32_t number,
                                        unsigned component) const {
  constexpr std::array<std::string_view, 4> kComponents = {"_x", "_y", "_z", "_w"};
  std::string name(family.name);
  if (family.count != 0) name += fmt::format("{}", number);
  if (family.vector != Vector::None) name += kComponents[component];
  return name;
}

RegisterId FunctionScope::use(const Symbol& symbol, unsigned component) {
  const auto next = static_cast<RegisterId>(function_.registers.size());
  const auto [found, is_new] =
      ids_.try_emplace(idKey(symbol.family, symbol.number, component), next);
  if (is_new) {
    const Family& family = families_[symbol.family];
    function_.registers.push_back(
        {uniqueName(registerName(family, symbol.number, component)), family.type, family.position});
  }
  return found->second;
}

std::string FunctionScope::uniqueName(std::string_view name) {
  std::string candidate(name);
  if (!taken_(module_names_, candidate) && names_.insert(candidate).second) return candidate;
  std::uint32_t& suffix = suffixes_[std::string(name)];
  do candidate = fmt::format("{}_{}", name, ++suffix);
  while (taken_(module_names_, candidate) || !names_.insert(candidate).second);
  return candidate;
}

void FunctionScope::refer(LabelUse use) {
  use.scope = scope_;
  uses_.push_back(use);
}

const LabelUse* FunctionScope::resolveLabels() {
  for (const LabelUse& use : uses_) {
    std::uint32_t scope = use.scope;
    auto found = labels_.find({use.name, scope});
    while (found == labels_.end() && scope != 0) {
      scope = parents_[scope];
      found = labels_.find({use.name, scope});
    }
    if (found == labels_.end()) return &use;
    if (use.in_table) {
      function_.tables[use.owner].labels[use.entry] = found->second;
    } else {
      function_.body[use.owner].operands[0].value = LabelRef{found->second};
    }
  }
  return nullptr;
}

}  // namespace qgpu::ptx
