// The tokens of a launch. The host writes the program, the parameters, the arrays and the shape of
// the launch; the model writes the rest, each token saying what the next is.
//
//   EXEC block warp mask        run a block for the lanes of a warp
//   VAL  register lane low      a result: low bits of the word for one lane, or for all (U)
//   PRED predicate bits         a predicate of the warp, a bit for each lane
//   MEM  address low            a word of memory (0-127 global, 128-191 shared)
//   EXT1 bits / EXT2 bits       the next 13 bits of the word that VAL, MEM, CODE or PARAM began
//   CTA  ctaid ntid             start a thread block
//   GRID nctaid                 thread blocks in the launch
//   CODE block row half low     a half of slot `row`, or the header (row 4, half 0)
//   PARAM index low             a parameter word
//   HALT / TRAP                 the launch is over / the kernel is at fault
//
// Every token is a number of the vocabulary, dense from 0; a model adds the base model's vocabulary
// size to it.
//
//   Token t = Token::exec(3, 0, 0b1111);
//   t.text();                  // "EXEC 3 0 1111"
//   Token::fromId(t.id());     // t
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/base/failure.h"
#include "interpreter/isa/machine_parameters.h"

namespace qgpu::protocol {

enum class TokenKind : std::uint8_t {
  Exec,
  Val,
  Pred,
  Mem,
  Ext1,
  Ext2,
  Cta,
  Grid,
  Code,
  Param,
  Halt,
  Trap,
};
inline constexpr int kTokenKinds = 12;

// A VAL for all lanes of the mask.
inline constexpr int kAllLanes = kMachine.lanes;

inline constexpr int kAddresses = kMachine.global_rows + kMachine.shared_words;
inline constexpr int kSharedBase = kMachine.global_rows;

// Low bits that each base token carries of its word, and what an EXT adds.
inline constexpr int kValBits = 10, kMemBits = 9, kCodeBits = 6, kExtBits = 13;

// A token is its kind and up to four fields, in the order of the table above. Fields that a kind
// does not have are 0.
struct Token {
  TokenKind kind = TokenKind::Halt;
  std::array<std::uint16_t, 4> field{};

  static Token exec(int block, int warp, std::uint32_t mask);
  static Token val(int reg, int lane, std::uint32_t low);
  static Token pred(int predicate, std::uint32_t bits);
  static Token mem(int address, std::uint32_t low);
  static Token ext(int part, std::uint32_t bits);  // part 1 or 2
  static Token cta(int ctaid, int ntid);
  static Token grid(int nctaid);
  static Token code(int block, int row, int half, std::uint32_t low);
  static Token param(int index, std::uint32_t low);
  static Token halt() { return {}; }
  static Token trap() { return {TokenKind::Trap, {}}; }

  // Whether every field is in its range: true of all tokens that the functions above and below
  // make.
  bool valid() const;

  // The last field: the bits of the word that VAL, MEM, EXT, CODE and PARAM carry.
  std::uint32_t payload() const;

  // The token's number, 0 .. vocabulary() - 1.
  int id() const;
  static std::optional<Token> fromId(int id);

  // One line of a trace, and back. Each token has one text. Refusals carry `where`.
  std::string text() const;
  static Expected<Token> parse(std::string_view text, const Location& where);

  friend bool operator==(const Token&, const Token&) = default;
};

// A field's range, and how a trace prints it.
struct Field {
  enum class Style : std::uint8_t { Number, Mask, Lane, Signed };
  std::string_view name;
  int low = 0;
  int count = 1;
  Style style = Style::Number;

  constexpr bool holds(std::int64_t value) const { return value >= low && value < low + count; }
};
std::span<const Field> fields(TokenKind kind);

// How many tokens each kind has, and the first id of each.
int tokenCount(TokenKind kind);
int firstId(TokenKind kind);
int vocabulary();

std::string_view name(TokenKind kind);     // "EXEC"
std::string_view meaning(TokenKind kind);  // "run a block for the lanes of a warp"

// Whether the kind begins a word that EXT tokens may go on with, and with how many low bits.
constexpr int lowBits(TokenKind kind) {
  switch (kind) {
    case TokenKind::Val: return kValBits;
    case TokenKind::Mem:
    case TokenKind::Param: return kMemBits;
    case TokenKind::Code: return kCodeBits;
    default: return 0;
  }
}

// ---- Words in parts: a base token with `low` bits, then EXT1 and EXT2 with 13 each. ----

// How many tokens the word needs: 1, 2 or 3. A prefix stands for its sign extension.
constexpr int partsNeeded(std::uint32_t word, int low) {
  const auto fits = [&](int bits) {
    const auto value = static_cast<std::int32_t>(word);
    return bits >= 32 || (value >> (bits - 1)) == (value >> 31);
  };
  return fits(low) ? 1 : fits(low + kExtBits) ? 2 : 3;
}
// The bits that part 0, 1 or 2 carries.
constexpr std::uint32_t partOf(std::uint32_t word, int low, int part) {
  if (part == 0) return word & ((1u << low) - 1);
  const int first = low + kExtBits * (part - 1);
  return word >> first & ((1u << kExtBits) - 1);
}
// How many of the bits of part 1 or 2 belong to the word; the rest are 0.
constexpr int partBits(int low, int part) {
  return std::min(kExtBits, 32 - low - kExtBits * (part - 1));
}
// The word that parts 0 .. part stand for: `prefix` holds what came before.
constexpr std::uint32_t extend(std::uint32_t prefix, std::uint32_t bits, int low, int part) {
  const int first = part == 0 ? 0 : low + kExtBits * (part - 1);
  const int width = part == 0 ? low : kExtBits;
  const std::uint32_t below = first == 0 ? 0 : prefix & ((1u << first) - 1);
  const std::uint32_t joined = below | bits << first;
  const int unused = 32 - first - width;
  if (unused <= 0) return joined;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(joined << unused) >> unused);
}

}  // namespace qgpu::protocol
