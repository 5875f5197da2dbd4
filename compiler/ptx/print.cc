// A module as canonical PTX text.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compiler/ptx/declaration.h"
#include "compiler/ptx/form.h"
#include "compiler/ptx/print_operand.h"
#include "compiler/ptx/ptx.h"

namespace qgpu::ptx {
namespace {

constexpr std::string_view kLinkages[] = {"", ".extern ", ".visible ", ".weak ", ".common "};

std::string_view linkageText(Linkage linkage) {
  return kLinkages[static_cast<std::size_t>(linkage)];
}

// In the order of Directive::Kind.
constexpr std::string_view kDirectives[] = {
    "maxntid",        "reqntid",           "minnctapersm",    "maxnctapersm",      "maxnreg",
    "maxclusterrank", "reqnctapercluster", "explicitcluster", "blocksareclusters", "noreturn",
    "pragma"};

// "a, b, c"
template <typename Items>
std::string joined(const Items& items) {
  std::string text;
  for (const auto& item : items) text += fmt::format("{}{}", text.empty() ? "" : ", ", item);
  return text;
}

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) {}

  std::string print() {
    line(".version {}.{}", module_.version_major, module_.version_minor);
    line(".target {}", joined(module_.targets));
    const bool old =
        module_.version_major < 2 || (module_.version_major == 2 && module_.version_minor < 3);
    if (!old || module_.address_size != 32) line(".address_size {}", module_.address_size);
    // A body or an initialiser may name any function of the module.
    if (module_.functions.size() > 1) {
      for (const Function& function : module_.functions) line("{};", signature(function));
    }
    for (const Variable& variable : module_.variables) {
      line("{};", declaration(variable) + initialiser(variable, nullptr));
    }
    for (const Function& function : module_.functions) printFunction(function);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  static std::string declaration(const Variable& v) {
    std::string text(linkageText(v.linkage));
    text += fmt::format(".{}", spelling(v.space));
    if (v.managed) text += " .attribute(.managed)";
    if (v.space != Space::Reg) text += fmt::format(" .align {}", v.alignment);
    if (v.vector != Vector::None) text += fmt::format(" .{}", spelling(v.vector));
    text += fmt::format(" .{}", spelling(v.type));
    if (v.is_pointer) text += pointer(v.pointer);
    text += fmt::format(" {}", v.name.empty() ? "_" : v.name);
    for (const std::uint64_t dimension : v.dimensions) {
      text += dimension == 0 ? "[]" : fmt::format("[{}]", dimension);
    }
    return text;
  }

  static std::string pointer(const PointerAttributes& pointer) {
    std::string text = " .ptr";
    if (pointer.space != Space::None) text += fmt::format(" .{}", spelling(pointer.space));
    return text + fmt::format(" .align {}", pointer.alignment);
  }

  static std::string parameters(const std::vector<Variable>& list) {
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (const Variable& v : list) texts.push_back(declaration(v));
    return fmt::format("({})", joined(texts));
  }

  static std::string directive(const Directive& directive) {
    std::string text = fmt::format(" .{}", kDirectives[static_cast<std::size_t>(directive.kind)]);
    if (directive.kind == Directive::Kind::Pragma)
      return text + fmt::format(" \"{}\";", directive.text);
    if (!directive.values.empty()) text += fmt::format(" {}", joined(directive.values));
    return text;
  }

  static std::string signature(const Function& f) {
    std::string text(linkageText(f.linkage));
    text += f.is_entry ? ".entry " : ".func ";
    if (!f.results.empty()) text += parameters(f.results) + " ";
    text += f.name + parameters(f.parameters);
    for (const Directive& d : f.directives) text += directive(d);
    return text;
  }

  // ` = {1, 2}`, or nothing.
  std::string initialiser(const Variable& v, const Function* function) const {
    if (v.initial.empty()) return "";
    std::vector<std::uint64_t> shape = v.dimensions;
    if (v.vector != Vector::None) shape.push_back(static_cast<std::uint64_t>(elements(v.vector)));
    std::size_t next = 0;
    return " = " + items(v, function, shape, 0, 0, next);
  }

  std::string items(const Variable& v, const Function* function,
                    const std::vector<std::uint64_t>& shape, std::size_t depth,
                    std::uint64_t offset, std::size_t& next) const {
    if (depth == shape.size()) return item(v, function, offset, next);
    std::uint64_t stride = static_cast<std::uint64_t>(bitWidth(v.type) / 8);
    for (std::size_t i = depth + 1; i < shape.size(); ++i) stride *= shape[i];
    std::string text = "{";
    for (std::uint64_t i = 0; i < shape[depth] && offset + i * stride < v.initial.size(); ++i) {
      if (i > 0) text += ", ";
      text += items(v, function, shape, depth + 1, offset + i * stride, next);
    }
    return text + "}";
  }

  std::string item(const Variable& v, const Function* function, std::uint64_t offset,
                   std::size_t& next) const {
    if (next < v.relocations.size() && v.relocations[next].offset == offset) {
      return relocation(v.relocations[next++], function);
    }
    const auto bytes = std::min<std::size_t>(8, static_cast<std::size_t>(bitWidth(v.type) / 8));
    std::uint64_t bits = 0;
    for (std::size_t i = bytes; i > 0; --i) bits = bits << 8 | v.initial[offset + i - 1];
    if (v.type == Type::F32) return fmt::format("0f{:08X}", bits);
    if (v.type == Type::F64) return fmt::format("0d{:016X}", bits);
    return fmt::format("{}", bits);
  }

  std::string relocation(const Relocation& r, const Function* function) const {
    std::string text = OperandPrinter(module_, function).symbol(r.symbol, r.addend);
    if (r.generic) text = fmt::format("generic({})", text);
    // A byte-sized place can only hold a masked address.
    if (r.size == 1) text = fmt::format("{:#X}({})", std::uint64_t{0xFF} << r.shift, text);
    return text;
  }

  void printFunction(const Function& f) {
    if (!f.has_body) {
      if (module_.functions.size() == 1) line("{};", signature(f));
      return;
    }
    line("{}", signature(f));
    line("{{");
    registers(f);
    for (const Variable& v : f.variables) line("\t{};", declaration(v) + initialiser(v, &f));
    for (const Table& t : f.tables) line("\t{}: {};", t.name, table(t, f));
    body(f);
    line("}}");
  }

  // Registers named alike and numbered become a range, others are listed.
  void registers(const Function& f) {
    std::size_t in_signature = 0;
    for (const auto* list : {&f.parameters, &f.results}) {
      for (const Variable& v : *list) in_signature += v.reg != kNoRegister ? elementsOf(v) : 0;
    }
    std::map<std::string, Range> ranges;
    for (std::size_t i = in_signature; i < f.registers.size(); ++i)
      addToRange(ranges, f.registers[i]);
    for (std::size_t i = 0; i < in_signature; ++i) {
      const auto found = ranges.find(splitName(f.registers[i].name).first);
      if (found != ranges.end()) found->second.uniform = false;
    }
    for (const auto& [prefix, range] : ranges) {
      if (range.uniform) line("\t.reg .{} {}<{}>;", spelling(range.type), prefix, range.count);
    }
    for (std::size_t i = in_signature; i < f.registers.size(); ++i) {
      const RegisterInfo& reg = f.registers[i];
      const auto found = ranges.find(splitName(reg.name).first);
      if (found == ranges.end() || !found->second.uniform) {
        line("\t.reg .{} {};", spelling(reg.type), reg.name);
      }
    }
  }

  struct Range {
    Type type = Type::None;
    std::uint64_t count = 0;
    bool uniform = true;
  };

  static std::size_t elementsOf(const Variable& v) {
    return v.vector == Vector::None ? 1 : static_cast<std::size_t>(elements(v.vector));
  }

  // "%r12" to "%r" and 13, the size of the range that has it; ("", 0) for names not so numbered.
  static std::pair<std::string, std::uint64_t> splitName(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string number = name.substr(digits);
    const bool canonical = !number.empty() && number.size() <= 8 && digits > 0 &&
                           (number.size() == 1 || number[0] != '0');
    if (!canonical) return {"", 0};
    return {name.substr(0, digits), std::stoull(number) + 1};
  }

  static void addToRange(std::map<std::string, Range>& ranges, const RegisterInfo& reg) {
    const auto [prefix, count] = splitName(reg.name);
    if (count == 0) return;
    Range& range = ranges[prefix];
    if (range.type != Type::None && range.type != reg.type) range.uniform = false;
    range.type = reg.type;
    range.count = std::max(range.count, count);
  }

  std::string table(const Table& t, const Function& f) const {
    std::vector<std::string_view> names;
    if (t.kind == Table::Kind::Branch) {
      for (const LabelId id : t.labels) names.emplace_back(f.labels[id].name);
      return fmt::format(".branchtargets {}", joined(names));
    }
    if (t.kind == Table::Kind::Call) {
      for (const std::uint32_t index : t.functions)
        names.emplace_back(module_.functions[index].name);
      return fmt::format(".calltargets {}", joined(names));
    }
    return fmt::format(".callprototype {} _ {}", parameters(t.results), parameters(t.parameters));
  }

  void body(const Function& f) {
    auto label = f.labels.begin();
    auto pragma = f.pragmas.begin();
    for (std::size_t i = 0; i <= f.body.size(); ++i) {
      for (; label != f.labels.end() && label->instruction == i; ++label) line("{}:", label->name);
      for (; pragma != f.pragmas.end() && pragma->instruction == i; ++pragma) {
        line("\t.pragma \"{}\";", pragma->text);
      }
      if (i < f.body.size()) line("\t{}", OperandPrinter(module_, &f).instruction(f.body[i]));
    }
  }

  const Module& module_;
  std::string text_;
};

}  // namespace

std::string print(const Module& module) { return Printer(module).print(); }

std::string print(const Instruction& instruction, const Function& function, const Module& module) {
  return OperandPrinter(module, &function).instruction(instruction);
}

}  // namespace qgpu::ptx
