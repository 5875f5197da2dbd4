#include "compiler/ptx/operand.h"

#include <fmt/format.h>

#include "compiler/ptx/constant.h"
#include "compiler/ptx/special.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxElements = 8;

bool isComponent(const Token& token) {
  return token.kind == TokenKind::Word && token.text.size() == 1 &&
         std::string_view("xyzwrgba").find(token.text[0]) != std::string_view::npos;
}

}  // namespace

bool OperandParser::parse(Operand& result) {
  result.position = cursor_.position();
  switch (cursor_.token().kind) {
    case TokenKind::OpenBracket: return address(result);
    case TokenKind::OpenBrace: return vector(result);
    case TokenKind::Underscore:
      cursor_.advance();
      result.value = Sink{};
      return !cursor_.at(TokenKind::Pipe) || pair(kNoRegister, result);
    case TokenKind::Bang:
      if (cursor_.ahead().kind == TokenKind::Identifier && cursor_.ahead().text != "WARP_SZ") {
        return negated(result);
      }
      return constant(result);
    case TokenKind::Identifier:
      if (cursor_.token().text != "WARP_SZ") return named(result);
      return constant(result);
    default:
      if (startsConstant(cursor_.token())) return constant(result);
      return cursor_.refuseToken("an operand");
  }
}

bool OperandParser::constant(Operand& result) {
  Immediate immediate;
  if (!parseConstant(cursor_, context_.options.warp_size, immediate)) return false;
  result.value = immediate;
  return true;
}

bool OperandParser::refuseUnknown(Position where, std::string_view name) {
  return cursor_.refuse(where, fmt::format("{} is not declared", quote(name)),
                        name.starts_with('%') ? "declare it with .reg before this line"
                                              : "declare it before this line");
}

bool OperandParser::named(Operand& result) {
  const std::string_view name = cursor_.token().text;
  const Symbol symbol = scope_.find(name);
  cursor_.advance();
  switch (symbol.kind) {
    case Symbol::Kind::Register: return registerNamed(symbol, name, result);
    case Symbol::Kind::Variable: return symbolNamed(symbol.reference, result);
    case Symbol::Kind::Ambiguous:
      return cursor_.refuse(result.position,
                            fmt::format("{} is declared twice, alone and by a range", quote(name)),
                            "rename one of them");
    case Symbol::Kind::Label:
    case Symbol::Kind::Table:
      return cursor_.refuse(result.position,
                            fmt::format("{} is a label, which has no value", quote(name)),
                            "only bra and brx.idx take labels");
    case Symbol::Kind::None: break;
  }
  if (const SymbolRef* global = context_.find(name)) return symbolNamed(*global, result);
  return specialNamed(name, result);
}

bool OperandParser::registerNamed(const Symbol& symbol, std::string_view name, Operand& result) {
  const int count = elements(scope_.vectorOf(symbol));
  if (count > 1 && !isComponent(cursor_.token())) {
    VectorOperand vector;
    for (int i = 0; i < count; ++i) {
      vector.elements.push_back(
          {Register{scope_.use(symbol, static_cast<unsigned>(i))}, result.position});
    }
    result.value = std::move(vector);
    return true;
  }
  unsigned index = 0;
  if (count > 1) {
    index = component();
    if (index >= static_cast<unsigned>(count)) {
      return cursor_.refuse(result.position,
                            fmt::format("{} has {} components", quote(name), count));
    }
  }
  const RegisterId id = scope_.use(symbol, index);
  result.value = Register{id};
  if (cursor_.at(TokenKind::Pipe)) return pair(id, result);
  if (cursor_.at(TokenKind::Plus) || cursor_.at(TokenKind::Minus)) {
    return cursor_.refuse(
        cursor_.position(), "a register plus a constant is not an operand",
        "add it with an add instruction; in an address write [register+constant]");
  }
  return true;
}

unsigned OperandParser::component() {
  const std::size_t letter = std::string_view("xyzwrgba").find(cursor_.token().text[0]);
  cursor_.advance();
  return static_cast<unsigned>(letter % 4);
}

bool OperandParser::symbolNamed(SymbolRef symbol, Operand& result) {
  SymbolAddress address{symbol, 0};
  if (cursor_.at(TokenKind::OpenBracket)) {
    return cursor_.refuse(cursor_.position(), "array indexing is not supported",
                          "write the byte offset: [symbol+8]");
  }
  if (!offset(address.offset)) return false;
  result.value = address;
  return true;
}

bool OperandParser::specialNamed(std::string_view name, Operand& result) {
  auto special = findSpecial(name);
  if (!special) return refuseUnknown(result.position, name);
  if (isVector(special->reg) && isComponent(cursor_.token())) {
    special->component = static_cast<Component>(component() + 1);
  } else if (cursor_.at(TokenKind::Word)) {
    return cursor_.refuse(cursor_.position(), fmt::format("{} has no such component", quote(name)));
  }
  result.value = *special;
  return true;
}

bool OperandParser::pair(RegisterId first, Operand& result) {
  cursor_.advance();
  RegisterPair both{first, kNoRegister};
  if (first != kNoRegister && cursor_.accept(TokenKind::Underscore)) {
    result.value = both;
    return true;
  }
  if (!parseRegister(both.second)) return false;
  result.value = both;
  return true;
}

bool OperandParser::parseRegister(RegisterId& id) {
  const Position where = cursor_.position();
  std::string_view name;
  if (!cursor_.expectName("a register", name)) return false;
  const Symbol symbol = scope_.find(name);
  if (symbol.kind == Symbol::Kind::None && context_.find(name) == nullptr) {
    return refuseUnknown(where, name);
  }
  if (symbol.kind != Symbol::Kind::Register || scope_.vectorOf(symbol) != Vector::None) {
    return cursor_.refuse(where, fmt::format("{} is not a register of one value", quote(name)));
  }
  id = scope_.use(symbol);
  return true;
}

bool OperandParser::negated(Operand& result) {
  cursor_.advance();
  Register reg;
  if (!parseRegister(reg.id)) return false;
  reg.negated = true;
  result.value = reg;
  return true;
}

bool OperandParser::vector(Operand& result) {
  if (depth_ > 0) return cursor_.refuse(cursor_.position(), "a vector inside a vector");
  ++depth_;
  cursor_.advance();
  VectorOperand both;
  do {
    if (both.elements.size() == kMaxElements) {
      return cursor_.refuse(cursor_.position(), "a vector has at most 8 elements");
    }
    both.elements.emplace_back();
    if (!parse(both.elements.back())) return false;
  } while (cursor_.accept(TokenKind::Comma));
  --depth_;
  if (!cursor_.expect(TokenKind::CloseBrace, "at the end of a vector")) return false;
  if (both.elements.size() == 1) {  // `{a}` is a
    Operand only = std::move(both.elements[0]);
    result.value = std::move(only.value);
  } else {
    result.value = std::move(both);
  }
  return true;
}

// `+ constant`, or nothing.
bool OperandParser::offset(std::int64_t& result) {
  result = 0;
  if (cursor_.at(TokenKind::Minus)) {
    return cursor_.refuse(cursor_.position(), "PTX writes a negative offset as +-N",
                          "write +-4 for -4");
  }
  if (!cursor_.accept(TokenKind::Plus)) return true;
  const Position where = cursor_.position();
  Immediate constant;
  if (!parseConstant(cursor_, context_.options.warp_size, constant)) return false;
  if (!isIntegral(constant.kind)) return cursor_.refuse(where, "an offset is an integer");
  result = static_cast<std::int64_t>(constant.bits);
  return true;
}

bool OperandParser::address(Operand& result) {
  cursor_.advance();
  Address address;
  if (cursor_.at(TokenKind::Identifier) && cursor_.token().text != "WARP_SZ") {
    if (!addressBase(address) || !offset(address.offset)) return false;
  } else {
    const Position where = cursor_.position();
    Immediate constant;
    if (!parseConstant(cursor_, context_.options.warp_size, constant)) return false;
    if (!isIntegral(constant.kind)) return cursor_.refuse(where, "an address is an integer");
    address.offset = static_cast<std::int64_t>(constant.bits);
  }
  result.value = address;
  return cursor_.expect(TokenKind::CloseBracket, "at the end of an address");
}

bool OperandParser::addressBase(Address& result) {
  const Position where = cursor_.position();
  const std::string_view name = cursor_.token().text;
  const Symbol symbol = scope_.find(name);
  if (symbol.kind == Symbol::Kind::Variable) {
    result.base = symbol.reference;
  } else if (symbol.kind == Symbol::Kind::None && context_.find(name) != nullptr) {
    result.base = *context_.find(name);
  } else if (symbol.kind == Symbol::Kind::None && findSpecial(name)) {
    return cursor_.refuse(where, "a special register cannot be an address",
                          "copy it with mov first");
  } else {
    RegisterId id = kNoRegister;
    if (!parseRegister(id)) return false;
    result.base = id;
    return true;
  }
  cursor_.advance();
  return true;
}

}  // namespace qgpu::ptx
