// Initial values of variables: `= {1, 2, {3}, 0f3F800000, table+4, generic(x), 0xFF(y)}`.
#include <bit>

#include <fmt/format.h>

#include "compiler/ptx/constant.h"
#include "compiler/ptx/declaration.h"

namespace qgpu::ptx {
namespace {

class Initialiser {
 public:
  Initialiser(Context& context, FunctionScope* scope, Variable& variable)
      : context_(context), cursor_(context.cursor), scope_(scope), variable_(variable) {}

  bool parse() {
    const Position where = cursor_.position();
    cursor_.advance();  // `=`
    if (variable_.space != Space::Global && variable_.space != Space::Const) {
      return cursor_.refuse(
          where, fmt::format(".{} variables have no initial value", spelling(variable_.space)),
          "store it when the kernel starts");
    }
    shape_ = variable_.dimensions;
    if (variable_.vector != Vector::None) {
      shape_.push_back(static_cast<std::uint64_t>(elements(variable_.vector)));
    }
    std::uint64_t count = 0;
    if (!level(0, 0, count)) return false;
    closeOpenDimension(count);
    return true;
  }

 private:
  // Bytes of one item at a depth of braces.
  std::uint64_t itemBytes(std::size_t depth) const {
    std::uint64_t bytes = static_cast<std::uint64_t>(bitWidth(variable_.type) / 8);
    for (std::size_t i = depth; i < shape_.size(); ++i) bytes *= shape_[i];
    return bytes;
  }

  bool level(std::size_t depth, std::uint64_t offset, std::uint64_t& count) {
    if (depth == shape_.size()) return value(offset);
    const std::uint64_t stride = itemBytes(depth + 1);
    if (!cursor_.expect(TokenKind::OpenBrace, "at the start of an array's values")) return false;
    const bool open = depth == 0 && shape_[0] == 0;
    for (count = 0; !cursor_.at(TokenKind::CloseBrace); ++count) {
      if (count > 0 && !cursor_.expect(TokenKind::Comma, "between two values")) return false;
      if (!open && count >= shape_[depth]) {
        return cursor_.refuse(
            cursor_.position(),
            fmt::format("more values than {} has room for", quote(variable_.name)),
            "make the array larger");
      }
      std::uint64_t inner = 0;
      if (!level(depth + 1, offset + count * stride, inner)) return false;
    }
    cursor_.advance();
    return true;
  }

  bool value(std::uint64_t offset) {
    if (cursor_.at(TokenKind::Identifier) && cursor_.token().text != "WARP_SZ") {
      return address({.offset = offset});
    }
    if (cursor_.at(TokenKind::Integer) && cursor_.ahead().kind == TokenKind::OpenParen) {
      return maskedAddress(offset);
    }
    const Position where = cursor_.position();
    Immediate constant;
    if (!parseConstant(cursor_, context_.options.warp_size, constant)) return false;
    std::uint64_t bits = 0;
    return convert(where, constant, bits) && write(where, offset, bits);
  }

  bool convert(Position where, const Immediate& constant, std::uint64_t& bits) {
    const Type type = variable_.type;
    const int width = bitWidth(type);
    const bool integral = isIntegral(constant.kind);
    bits = constant.bits;
    if (isInteger(type) || width < 32 || width > 64) {
      return (integral && !isFloat(type)) ||
             cursor_.refuse(where, fmt::format("a .{} takes integers only", spelling(type)));
    }
    if (integral) {
      return isBits(type) ||
             cursor_.refuse(where, fmt::format("a .{} takes floats only", spelling(type)),
                            "write 1.0, or its bits as 0f3F800000");
    }
    if (constant.kind == Immediate::Kind::Float32 && width == 64) {
      bits = std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits))));
    } else if (constant.kind == Immediate::Kind::Float64 && width == 32) {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)));
    }
    return true;
  }

  bool write(Position where, std::uint64_t offset, std::uint64_t bits) {
    const auto bytes = static_cast<std::size_t>(bitWidth(variable_.type) / 8);
    const std::size_t before = variable_.initial.size();
    if (offset > kMaxInitialBytes ||
        context_.initial_bytes + (offset + bytes - before) > kMaxInitialBytes) {
      return cursor_.refuse(where, "the initial values of this file are over 16 MiB");
    }
    context_.initial_bytes += offset + bytes - before;
    variable_.initial.resize(offset + bytes);
    for (std::size_t i = 0; i < bytes && i < sizeof bits; ++i) {
      variable_.initial[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
    return true;
  }

  // 0xFF00(symbol): one byte of an address.
  bool maskedAddress(std::uint64_t offset) {
    const Position where = cursor_.position();
    const std::uint64_t mask = cursor_.token().bits;
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xFF) {
      return cursor_.refuse(where, "a mask operator selects one byte",
                            "write 0xFF(x), 0xFF00(x) ...");
    }
    if (bitWidth(variable_.type) != 8) {
      return cursor_.refuse(where, "a mask operator fills one byte",
                            "declare the variable as .u8 or .b8");
    }
    cursor_.advance();
    cursor_.advance();
    return address({.offset = offset, .shift = shift}, true) &&
           cursor_.expect(TokenKind::CloseParen, "after a symbol");
  }

  // symbol, symbol+8, generic(symbol), generic(symbol+8)
  bool address(Relocation relocation, bool masked = false) {
    if (!relocation.generic && cursor_.token().text == "generic" &&
        cursor_.ahead().kind == TokenKind::OpenParen) {
      cursor_.advance();
      cursor_.advance();
      relocation.generic = true;
      return address(relocation, masked) && cursor_.expect(TokenKind::CloseParen, "after a symbol");
    }
    const Position where = cursor_.position();
    const int width = bitWidth(variable_.type);
    relocation.size = width / 8;
    std::string_view name;
    if (!cursor_.expectName("a symbol", name) || !lookUp(where, name, relocation.symbol)) {
      return false;
    }
    if (cursor_.accept(TokenKind::Plus)) {
      Immediate addend;
      if (!parseConstant(cursor_, context_.options.warp_size, addend)) return false;
      if (!isIntegral(addend.kind)) return cursor_.refuse(where, "an offset is an integer");
      relocation.addend = static_cast<std::int64_t>(addend.bits);
    }
    if (isFloat(variable_.type) || (!masked && width == 8)) {
      return cursor_.refuse(where,
                            fmt::format("a .{} cannot hold an address", spelling(variable_.type)),
                            "declare the variable as .u64");
    }
    variable_.relocations.push_back(relocation);
    return write(where, relocation.offset, 0);
  }

  bool lookUp(Position where, std::string_view name, SymbolRef& symbol) {
    const Symbol local = scope_ == nullptr ? Symbol{} : scope_->find(name);
    if (local.kind == Symbol::Kind::Variable) {
      symbol = local.reference;
      return true;
    }
    const SymbolRef* global = context_.find(name);
    if (local.kind != Symbol::Kind::None || global == nullptr) {
      return cursor_.refuse(where, fmt::format("{} is not a variable or function", quote(name)),
                            "declare it before this line");
    }
    symbol = *global;
    return true;
  }

  void closeOpenDimension(std::uint64_t count) {
    if (variable_.dimensions.empty() || variable_.dimensions[0] != 0) return;
    variable_.dimensions[0] = count;
    variable_.size = elementBytes(variable_);
    for (const std::uint64_t dimension : variable_.dimensions) variable_.size *= dimension;
  }

  Context& context_;
  Cursor& cursor_;
  FunctionScope* scope_;
  Variable& variable_;
  std::vector<std::uint64_t> shape_;
};

}  // namespace

bool parseInitialiser(Context& context, FunctionScope* scope, Variable& variable) {
  return Initialiser(context, scope, variable).parse();
}

}  // namespace qgpu::ptx
