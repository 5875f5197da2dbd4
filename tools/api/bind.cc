// Arguments and launches fitted to a kernel's parameters.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/launch/arguments.h"
#include "tools/api/integer_type.h"
#include "tools/api/joined.h"
#include "tools/api/kernel.h"

namespace qgpu {
namespace {

using launch::ElementType;
using launch::ParameterKind;
using Kind = KernelParameter::Kind;

std::string described(const KernelParameter& p) {
  return fmt::format("{}{}{}", p.type, p.type.ends_with('*') ? "" : " ", p.name);
}

// What an argument for the parameter looks like.
std::string exampleOf(const KernelParameter& p) {
  switch (p.kind) {
    case Kind::Array: return fmt::format("--arg {}=1,2,3", p.name);
    case Kind::Struct: return fmt::format("--arg {}={{1,2}}", p.name);
    default: return fmt::format("--arg {}=3", p.name);
  }
}

tl::unexpected<Failure> wrongCount(const Kernel& kernel, std::size_t given,
                                   const std::vector<const KernelParameter*>& missing) {
  std::string message = fmt::format(
      "{} takes {} parameter{}, {} {} given", kernel.signature(), kernel.parameters.size(),
      kernel.parameters.size() == 1 ? "" : "s", given, given == 1 ? "is" : "are");
  if (missing.empty()) return refuse(std::move(message), "leave out what is too many");
  std::vector<std::string> names, examples;
  for (const KernelParameter* p : missing) {
    names.push_back(described(*p));
    examples.push_back(exampleOf(*p));
  }
  return refuse(fmt::format("{}: missing {}", message, joined(names)),
                fmt::format("add {}", joined(examples, " ")));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view nameOf(std::string_view argument) {
  return trimmed(argument.substr(0, argument.find_first_of(":=")));
}

// ---- Argument texts ----------------------------------------------------------------------------

// Positions of the arguments in parameter order: by name where every one names a parameter.
std::vector<std::size_t> orderOf(const Kernel& kernel, const std::vector<std::string>& arguments) {
  std::vector<std::size_t> order;
  for (const KernelParameter& p : kernel.parameters) {
    const auto named = std::ranges::find(arguments, p.name, nameOf);
    if (named != arguments.end())
      order.push_back(static_cast<std::size_t>(named - arguments.begin()));
  }
  if (order.size() == arguments.size()) return order;
  order.clear();
  for (std::size_t i = 0; i < arguments.size(); ++i) order.push_back(i);
  return order;
}

// Where some arguments bear names of other parameters than those they would stand for, one of the
// others is misspelt.
Expected<void> checkNames(const Kernel& kernel, const std::vector<std::string>& arguments) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(kernel.parameters,
                               [&](const KernelParameter& p) { return p.name == name; });
  };
  const auto unknown = std::ranges::find_if_not(arguments, has, nameOf);
  if (unknown == arguments.end()) return {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = nameOf(arguments[i]);
    if (has(name) && name != kernel.parameters[i].name)
      return refuse(fmt::format("'{}' is no parameter of {}", nameOf(*unknown), kernel.signature()),
                    "use the kernel's names for all of them, or its order");
  }
  return {};
}

// The type of a struct's fields where they are all alike: an int2 takes {1,2}, a uchar4 {1,2,3,4}.
std::optional<ElementType> uniformFields(const KernelParameter& p, std::string_view values) {
  const auto fields = static_cast<std::size_t>(std::ranges::count(values, ',')) + 1;
  const bool negative = values.find('-') != std::string_view::npos;
  if (p.bytes == 0 || p.bytes % fields != 0) return std::nullopt;
  return integerType(negative, p.bytes / fields);
}

// ---- Structs, member by member

std::vector<std::string> valuesWithin(std::string_view braces) {
  std::vector<std::string> values(1);
  for (const char c : braces) {
    if (c == ',') values.emplace_back();
    if (c != ',' && c != '{' && c != '}' && c != ' ' && c != '\t') values.back() += c;
  }
  return values;
}

std::size_t endOf(const std::vector<launch::Field>& fields) {
  if (fields.empty()) return 0;
  return launch::layoutOf(fields).offsets.back() +
         fields.back().length * launch::sizeOf(fields.back().type);
}

// Adds a field at its place, with bytes before it where C would put it elsewhere.
void placeMember(const StructMember& m, launch::Parameter& parameter) {
  const std::size_t size = launch::sizeOf(m.type);
  const std::size_t end = endOf(parameter.fields);
  const std::size_t natural = (end + size - 1) / size * size;
  if (natural != m.offset && m.offset > end)
    parameter.fields.push_back(
        {fmt::format("padding_{}", end), ElementType::Uint8, m.offset - end});
  const bool is_packed = m.offset % size != 0;
  parameter.fields.push_back(
      {m.name, is_packed ? ElementType::Uint8 : m.type, is_packed ? size : 1});
}

// "{200,1,{-3,77}}" for a struct whose members are known: inner braces may stand or not.
Expected<launch::Parameter> parseMembers(const KernelParameter& p, std::string_view values) {
  const std::vector<std::string> given = valuesWithin(values);
  std::vector<std::string> names;
  for (const StructMember& m : p.members) names.push_back(m.name);
  const std::string form = fmt::format("write --arg '{}={{{}}}'", p.name, joined(names, ","));
  if (given.size() != p.members.size())
    return refuse(fmt::format("the struct {} has {} value{}, {} {} given", described(p),
                              p.members.size(), p.members.size() == 1 ? "" : "s", given.size(),
                              given.size() == 1 ? "is" : "are"),
                  form);
  launch::Parameter parameter;
  parameter.name = p.name;
  parameter.kind = ParameterKind::Struct;
  parameter.bytes.resize(p.bytes);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const StructMember& m = p.members[i];
    const auto value =
        launch::parseArgument(fmt::format("{}.{}:{}={}", p.name, m.name, name(m.type), given[i]));
    if (!value) return fail(value.error());
    std::ranges::copy(value->bytes,
                      parameter.bytes.begin() + static_cast<std::ptrdiff_t>(m.offset));
    placeMember(m, parameter);
  }
  const std::size_t end = endOf(parameter.fields);
  if (launch::layoutOf(parameter.fields).size < p.bytes)
    parameter.fields.push_back({fmt::format("padding_{}", end), ElementType::Uint8, p.bytes - end});
  return parameter;
}

tl::unexpected<Failure> typeWanted(const KernelParameter& p) {
  const bool is_array = p.kind == Kind::Array;
  return refuse(fmt::format("the members of {}{} have no type in common",
                            is_array ? "what is behind " : "", described(p)),
                fmt::format("name one for all of its bytes, as in --arg {}:uint8={}", p.name,
                            is_array ? "1,2,3,4" : "'{1,2,3,4}'"));
}

// Of a pointer to numbers of a known width, another width is a slip, and so is a float where there
// are integers; bytes may hold anything.
Expected<void> checkWidth(const KernelParameter& p, const launch::Parameter& given) {
  if (p.kind != Kind::Array || !p.element || launch::sizeOf(*p.element) == 1) return {};
  const std::size_t wanted = launch::sizeOf(*p.element), got = launch::sizeOf(given.type);
  const bool same_kind = (*p.element == ElementType::Float) == (given.type == ElementType::Float);
  if (wanted == got && same_kind) return {};
  if (wanted == got)
    return refuse(
        fmt::format("argument '{}': {} for {}", given.name, name(given.type), described(p)),
        "leave out the type: the kernel says it");
  return refuse(fmt::format("argument '{}': {} has {} bits, an element of {} has {}", given.name,
                            name(given.type), 8 * got, described(p), 8 * wanted),
                "leave out the type: the kernel says it");
}

// The argument with what the parameter says about it: a type, the comma of an array of one.
std::string completed(const KernelParameter& p, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return argument;
  std::string head = argument.substr(0, equals);
  std::string values(trimmed(std::string_view(argument).substr(equals + 1)));
  const bool is_struct = values.starts_with('{');
  if (head.find(':') == std::string::npos) {
    const auto type = p.kind == Kind::Struct && is_struct ? uniformFields(p, values) : p.element;
    // PTX does not say what a 64-bit parameter is; an int that is too short is widened later.
    if (type) head += fmt::format(":{}", name(*type));
  }
  const bool one_value = values.find_first_of(",[{\"") == std::string::npos && !values.empty();
  if (p.kind == Kind::Array && one_value) values += ',';
  return head + '=' + values;
}

Expected<launch::Parameter> parseFor(const KernelParameter& p, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const bool is_typed = argument.substr(0, equals).find(':') != std::string::npos;
  if (equals != std::string::npos && !is_typed && p.is_mixed) return typeWanted(p);
  const std::string_view values =
      equals == std::string::npos ? "" : trimmed(std::string_view(argument).substr(equals + 1));
  if (!p.members.empty() && !is_typed && values.starts_with('{') && values.ends_with('}')) {
    auto parameter = parseMembers(p, values);
    if (parameter) parameter->name = nameOf(argument);
    return parameter;
  }
  auto parameter = launch::parseArgument(completed(p, argument));
  if (!parameter) return parameter;
  if (auto fits = checkWidth(p, *parameter); !fits) return fail(fits.error());
  return parameter;
}

// ---- Launches ----------------------------------------------------------------------------------

bool kindFits(const KernelParameter& p, ParameterKind given) {
  switch (p.kind) {
    case Kind::Array: return given == ParameterKind::Array;
    case Kind::Scalar: return given == ParameterKind::Scalar;
    case Kind::Struct: return given == ParameterKind::Struct;
    case Kind::Unknown: return given != ParameterKind::Struct;
  }
  return false;
}

tl::unexpected<Failure> wrongKind(const KernelParameter& p, const launch::Parameter& given) {
  return refuse(fmt::format("the launch gives {} '{}' to the parameter {}",
                            given.kind == ParameterKind::Array    ? "an array"
                            : given.kind == ParameterKind::Scalar ? "a scalar"
                                                                  : "a struct",
                            given.name, described(p)),
                fmt::format("write {}", exampleOf(p)));
}

launch::Integer valueOf(const launch::Parameter& scalar) {
  const std::uint64_t bits = launch::elementBits(scalar.bytes, scalar.type, 0);
  const int unused = 64 - 8 * static_cast<int>(scalar.bytes.size());
  const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
  if (!launch::isSigned(scalar.type) || value >= 0) return {.negative = false, .magnitude = bits};
  return {.negative = true, .magnitude = std::uint64_t{0} - static_cast<std::uint64_t>(value)};
}

// A scalar in the width the kernel declares, as a call in C would convert it, but never losing a
// bit.
Expected<void> convertScalar(const KernelParameter& p, launch::Parameter& given) {
  if (given.bytes.size() == p.bytes) return {};
  if (given.type == ElementType::Float)
    return refuse(fmt::format("the float '{}' goes to the parameter {}", given.name, described(p)),
                  "give an integer");
  const launch::Integer value = valueOf(given);
  for (const bool is_signed : {true, false}) {
    const auto type = integerType(is_signed, p.bytes);
    const auto bits = type ? launch::encode(*type, value) : std::nullopt;
    if (!bits) continue;
    given.type = *type;
    given.bytes.clear();
    launch::appendElement(given.bytes, *type, *bits);
    return {};
  }
  return refuse(fmt::format("{} does not fit the parameter {} of {} byte{}", value.text(),
                            described(p), p.bytes, p.bytes == 1 ? "" : "s"));
}

}  // namespace

Expected<std::vector<launch::Parameter>> bindArguments(const Kernel& kernel,
                                                       const std::vector<std::string>& arguments) {
  std::set<std::string_view> names;
  for (const std::string& argument : arguments)
    if (!names.insert(nameOf(argument)).second)
      return refuse(fmt::format("--arg gives '{}' twice", nameOf(argument)), "leave one out");
  std::vector<const KernelParameter*> missing;
  for (const KernelParameter& parameter : kernel.parameters)
    if (!names.contains(parameter.name)) missing.push_back(&parameter);
  if (arguments.size() != kernel.parameters.size()) {
    // Where the names given are not the kernel's, what is missing are the last ones.
    if (missing.size() + arguments.size() != kernel.parameters.size()) {
      missing.clear();
      for (std::size_t i = arguments.size(); i < kernel.parameters.size(); ++i)
        missing.push_back(&kernel.parameters[i]);
    }
    return wrongCount(kernel, arguments.size(), missing);
  }
  if (auto named = checkNames(kernel, arguments); !named) return fail(named.error());
  std::vector<launch::Parameter> parameters;
  const auto order = orderOf(kernel, arguments);
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto parameter = parseFor(kernel.parameters[i], arguments[order[i]]);
    if (!parameter) return fail(std::move(parameter.error()));
    parameters.push_back(std::move(*parameter));
  }
  return parameters;
}

Expected<launch::Launch> bindLaunch(const Kernel& kernel, launch::Launch launch) {
  if (launch.entry.empty()) launch.entry = kernel.name;
  if (auto sound = validate(launch); !sound) return fail(std::move(sound.error()));
  if (launch.parameters.size() != kernel.parameters.size()) {
    std::vector<const KernelParameter*> missing;
    for (std::size_t i = launch.parameters.size(); i < kernel.parameters.size(); ++i)
      missing.push_back(&kernel.parameters[i]);
    return wrongCount(kernel, launch.parameters.size(), missing);
  }
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const KernelParameter& p = kernel.parameters[i];
    launch::Parameter& given = launch.parameters[i];
    if (!kindFits(p, given.kind)) return wrongKind(p, given);
    if (given.kind == ParameterKind::Scalar) {
      if (auto ok = convertScalar(p, given); !ok) return fail(std::move(ok.error()));
    } else if (given.kind == ParameterKind::Struct && given.bytes.size() != p.bytes) {
      return refuse(fmt::format("the struct '{}' has {} bytes, the parameter {} has {}", given.name,
                                given.bytes.size(), described(p), p.bytes));
    }
  }
  return launch;
}

}  // namespace qgpu
