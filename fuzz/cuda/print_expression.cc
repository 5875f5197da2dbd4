#include "fuzz/cuda/print_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <tuple>

#include "interpreter/base/failure.h"

namespace qgpu::fuzz::cuda {
namespace {

constexpr auto kInt = ElementType::Int;
constexpr auto kUnsigned = ElementType::Unsigned;

struct Intrinsic {
  std::string_view name;
  ElementType result;
  ElementType operand;
};
// In the order of Op, from Popcount on.
constexpr std::array kIntrinsics = {
    Intrinsic{"__popc", kInt, kUnsigned},
    Intrinsic{"__clz", kInt, kInt},
    Intrinsic{"__ffs", kInt, kInt},
    Intrinsic{"__brev", kUnsigned, kUnsigned},
    Intrinsic{"__byte_perm", kUnsigned, kUnsigned},
    Intrinsic{"__funnelshift_l", kUnsigned, kUnsigned},
    Intrinsic{"__funnelshift_r", kUnsigned, kUnsigned},
    Intrinsic{"__mulhi", kInt, kInt},
    Intrinsic{"__umulhi", kUnsigned, kUnsigned},
    Intrinsic{"__usad", kUnsigned, kUnsigned},
    Intrinsic{"__hadd", kInt, kInt},
    Intrinsic{"__umul24", kUnsigned, kUnsigned},
};
const Intrinsic& intrinsicOf(Op op) {
  return kIntrinsics[static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::Popcount)];
}
bool isIntrinsic(Op op) { return op >= Op::Popcount && op < Op::Call; }

// Between operands: "+", "<".
std::string_view symbol(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Subtract: return "-";
    case Op::Multiply: return "*";
    case Op::And: return "&";
    case Op::Or: return "|";
    case Op::Xor: return "^";
    case Op::ShiftLeft: return "<<";
    case Op::ShiftRight: return ">>";
    case Op::Divide: return "/";
    case Op::Remainder: return "%";
    case Op::Less: return "<";
    case Op::LessEqual: return "<=";
    case Op::Equal: return "==";
    case Op::NotEqual: return "!=";
    case Op::LogicalAnd: return "&&";
    case Op::LogicalOr: return "||";
    default: bug("an operation with a symbol");
  }
}

bool isTruth(Op op) { return op >= Op::Less && op <= Op::LogicalNot; }
// What overflows where it is signed.
bool wraps(Op op) {
  return op == Op::Add || op == Op::Subtract || op == Op::Multiply || op == Op::ShiftLeft;
}

std::string constant(const Expression& e) {
  const auto value = static_cast<std::int32_t>(e.value);
  switch (e.type) {
    case kUnsigned: return fmt::format("{}u", e.value);
    case ElementType::Int64: return fmt::format("{}ll", value);
    case ElementType::Uint64: return fmt::format("{}ull", e.value);
    default: return e.value == 0x80000000u ? "(-2147483647 - 1)" : fmt::format("{}", value);
  }
}

// A name, a number, a call, an element, or something in parentheses already.
bool isPrimary(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    open += text[i] == '(' || text[i] == '[';
    open -= text[i] == ')' || text[i] == ']';
    const bool first_closes = open == 0 && text[0] == '(' && i + 1 < text.size();
    if (first_closes || (open == 0 && text[i] == ' ')) return false;
  }
  return text[0] != '-' && text[0] != '~' && text[0] != '!';
}

std::string parenthesised(std::string text) {
  return isPrimary(text) ? text : "(" + std::move(text) + ")";
}

std::string cast(ElementType type, std::string text) {
  return fmt::format("({}){}", cName(type), parenthesised(std::move(text)));
}

}  // namespace

std::string_view cName(ElementType type) {
  switch (type) {
    case ElementType::Int: return "int";
    case ElementType::Unsigned: return "unsigned";
    case ElementType::Int8: return "signed char";
    case ElementType::Uint8: return "unsigned char";
    case ElementType::Int16: return "short";
    case ElementType::Uint16: return "unsigned short";
    case ElementType::Int64: return "long long";
    case ElementType::Uint64: return "unsigned long long";
    case ElementType::Float: break;
  }
  bug("a random kernel computes with integers");
}

ElementType promoted(ElementType type) { return sizeOf(type) < 4 ? kInt : type; }

ElementType unsignedOf(ElementType type) {
  if (type == kInt) return kUnsigned;
  return type == ElementType::Int64 ? ElementType::Uint64 : type;
}

ElementType ExpressionPrinter::typeOf(const Expression& e) const {
  if (isTruth(e.op)) return kInt;
  if (isIntrinsic(e.op)) return intrinsicOf(e.op).result;
  return promoted(e.type);
}

std::string ExpressionPrinter::as(ElementType type, const Expression& e) const {
  if (e.op == Op::Constant && promoted(type) == type)
    return parenthesised(constant({.type = type, .value = e.value}));
  std::string text = plain(e);
  if (typeOf(e) == type) return parenthesised(std::move(text));
  return fmt::format("({})", cast(type, std::move(text)));
}

std::string ExpressionPrinter::condition(const Expression& e) const {
  return isTruth(e.op) ? plain(e) : as(typeOf(e), e) + " != 0";
}

std::string ExpressionPrinter::below(int count, const Expression& e) const {
  const bool mask = std::has_single_bit(static_cast<unsigned>(count));
  return fmt::format("{} {} {}u", as(kUnsigned, e), mask ? "&" : "%", mask ? count - 1 : count);
}

std::string ExpressionPrinter::leaf(const Expression& e) const {
  switch (e.op) {
    case Op::Constant: return constant(e);
    case Op::Variable: return fmt::format("v{}", e.index);
    case Op::Scalar: return fmt::format("n{}", e.index);
    case Op::Thread: return "t";
    case Op::Global: return "g";
    case Op::BlockIndex: return "(int)blockIdx.x";
    case Op::LoopCounter: return e.index < loops ? fmt::format("i{}", e.index) : "0";
    case Op::Own: return "out[g]";
    default: bug("a leaf of an expression");
  }
}

// Divisors are constants or made so that they are never 0, nor -1 where that overflows.
std::string ExpressionPrinter::quotient(const Expression& e) const {
  const Expression& by = e.operands[1];
  const auto text = as(e.type, e.operands[0]);
  const auto sign = symbol(e.op);
  if (!isSigned(e.type)) return fmt::format("{} {} ({} | 1u)", text, sign, as(e.type, by));
  const std::string_view mask = e.type == kInt ? "32767" : "0xffffffffffffll";
  if (e.value % 2 == 0) return fmt::format("{} {} ({} & {} | 1)", text, sign, as(e.type, by), mask);
  return fmt::format("{} {} (-2 - ({} & 255))", text, sign, as(e.type, by));
}

std::string ExpressionPrinter::binary(const Expression& e) const {
  const auto& [a, b] = std::tie(e.operands[0], e.operands[1]);
  if (e.op == Op::LogicalAnd || e.op == Op::LogicalOr)
    return fmt::format("({}) {} ({})", condition(a), symbol(e.op), condition(b));
  if (e.op == Op::Divide || e.op == Op::Remainder) return quotient(e);
  const ElementType type = wraps(e.op) ? unsignedOf(e.type) : e.type;
  const bool shifts = e.op == Op::ShiftLeft || e.op == Op::ShiftRight;
  const std::string right =
      shifts ? fmt::format("({})", below(8 * static_cast<int>(sizeOf(type)), b)) : as(type, b);
  std::string text = fmt::format("{} {} {}", as(type, a), symbol(e.op), right);
  return type == e.type ? text : cast(e.type, std::move(text));
}

std::string ExpressionPrinter::function(const Expression& e) const {
  const auto listed = [&](auto typeOfOperand) {
    std::string list;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      list += (i == 0 ? "" : ", ") + as(typeOfOperand(i), e.operands[i]);
    return list;
  };
  if (e.op == Op::Call) {
    const auto& types = tree.functions[static_cast<std::size_t>(e.index)].parameters;
    return fmt::format("f{}_{}({})", tree.number, e.index,
                       listed([&](std::size_t i) { return promoted(types[i]); }));
  }
  const Intrinsic& intrinsic = intrinsicOf(e.op);
  return fmt::format("{}({})", intrinsic.name,
                     listed([&](std::size_t) { return intrinsic.operand; }));
}

std::string ExpressionPrinter::plain(const Expression& e) const {
  if (isIntrinsic(e.op) || e.op == Op::Call) return function(e);
  const auto operand = [&](std::size_t i) -> const Expression& { return e.operands[i]; };
  switch (e.op) {
    case Op::Input: {
      const auto& input = tree.inputs[static_cast<std::size_t>(e.index)];
      return fmt::format("{}[{}]", input.name, below(static_cast<int>(input.length), operand(0)));
    }
    case Op::Local: return fmt::format("l[{}]", below(tree.local_words, operand(0)));
    case Op::Negate: {
      const ElementType type = unsignedOf(e.type);
      return cast(e.type, "0u - " + as(type, operand(0)));
    }
    case Op::Complement: return "~" + as(e.type, operand(0));
    case Op::Minimum:
    case Op::Maximum:
      return fmt::format("{}({}, {})", e.op == Op::Minimum ? "min" : "max", as(e.type, operand(0)),
                         as(e.type, operand(1)));
    case Op::Select:
      return fmt::format("({}) ? {} : {}", condition(operand(0)), as(e.type, operand(1)),
                         as(e.type, operand(2)));
    case Op::Convert: return cast(e.type, as(typeOf(operand(0)), operand(0)));
    case Op::LogicalNot: return fmt::format("!({})", condition(operand(0)));
    default: return e.operands.empty() ? leaf(e) : binary(e);
  }
}

}  // namespace qgpu::fuzz::cuda
