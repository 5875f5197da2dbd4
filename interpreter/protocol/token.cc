#include "interpreter/protocol/token.h"

#include <fmt/format.h>

#include <charconv>

#include "interpreter/isa/encoding.h"

namespace qgpu::protocol {
namespace {

using Style = Field::Style;

struct Spec {
  std::string_view name, meaning;
  std::array<Field, 4> fields{};
};

constexpr Field kMask{"mask", 1, (1 << kMachine.lanes) - 1, Style::Mask};
constexpr Field kExtPayload{"bits", 0, 1 << kExtBits};
constexpr Field lowField(int bits) { return {"low", 0, 1 << bits, Style::Signed}; }

constexpr std::array<Spec, kTokenKinds> kSpecs = {
    Spec{"EXEC",
         "run a block for the lanes of a warp",
         {{{"block", 0, kMachine.blocks}, {"warp", 0, kMachine.warps}, kMask}}},
    Spec{"VAL",
         "a result: for one lane, or for all of the mask (U)",
         {{{"register", 1, kMachine.registers - 1},
           {"lane", 0, kMachine.lanes + 1, Style::Lane},
           lowField(kValBits)}}},
    Spec{"PRED",
         "a predicate of the warp, a bit for each lane",
         {{{"predicate", 0, kMachine.predicates}, {"bits", 0, 1 << kMachine.lanes, Style::Mask}}}},
    Spec{"MEM",
         "a word of memory: global from 0, shared from 128",
         {{{"address", 0, kAddresses}, lowField(kMemBits)}}},
    Spec{"EXT1", "the next bits of a word", {{kExtPayload}}},
    Spec{"EXT2", "the last bits of a word", {{kExtPayload}}},
    Spec{"CTA",
         "start a thread block",
         {{{"ctaid", 0, kMachine.thread_blocks}, {"ntid", 1, kMachine.blockThreads()}}}},
    Spec{"GRID", "thread blocks in the launch", {{{"nctaid", 1, kMachine.thread_blocks}}}},
    Spec{"CODE",
         "a half of slot `row` of a block, or its header (row 4, half 0)",
         {{{"block", 0, kMachine.blocks},
           {"row", 0, kMachine.slots + 1},
           {"half", 0, isa::kHalves},
           {"low", 0, 1 << kCodeBits}}}},
    Spec{"PARAM", "a parameter word", {{{"index", 0, kMachine.parameters}, lowField(kMemBits)}}},
    Spec{"HALT", "the launch is over"},
    Spec{"TRAP", "the kernel is at fault: the launch is over"},
};

constexpr std::size_t fieldCount(const Spec& spec) {
  std::size_t n = 0;
  while (n < spec.fields.size() && !spec.fields[n].name.empty()) ++n;
  return n;
}
constexpr int count(const Spec& spec) {
  int product = 1;
  for (std::size_t i = 0; i < fieldCount(spec); ++i) product *= spec.fields[i].count;
  return product;
}
constexpr auto kFirstIds = [] {
  std::array<int, kTokenKinds + 1> first{};
  for (int k = 0; k < kTokenKinds; ++k) first[k + 1] = first[k] + count(kSpecs[k]);
  return first;
}();

const Spec& spec(TokenKind kind) { return kSpecs[static_cast<std::size_t>(kind)]; }

Token make(TokenKind kind, std::array<std::uint32_t, 4> values) {
  Token t{kind, {}};
  const auto known = fields(kind);
  for (std::size_t i = 0; i < known.size(); ++i) {
    check(known[i].holds(values[i]), "a token's field is in its range");
    t.field[i] = static_cast<std::uint16_t>(values[i]);
  }
  return t;
}

constexpr std::uint32_t unsignedOf(int x) { return static_cast<std::uint32_t>(x); }

std::string print(const Field& field, int value) {
  switch (field.style) {
    case Style::Mask: return fmt::format("{:0{}b}", value, kMachine.lanes);
    case Style::Lane: return value == kAllLanes ? "U" : fmt::format("{}", value);
    case Style::Signed:
      return fmt::format("{}", value >= field.count / 2 ? value - field.count : value);
    case Style::Number: break;
  }
  return fmt::format("{}", value);
}

// A value has one spelling, so a trace has one text.
std::optional<int> read(const Field& field, std::string_view word) {
  int value = 0;
  const int base = field.style == Style::Mask ? 2 : 10;
  const char* end = word.data() + word.size();
  if (field.style == Style::Lane && word == "U")
    value = kAllLanes;
  else if (const auto [at, error] = std::from_chars(word.data(), end, value, base);
           error != std::errc{} || at != end)
    return std::nullopt;
  if (field.style == Style::Signed && value < 0) value += field.count;
  if (!field.holds(value) || print(field, value) != word) return std::nullopt;
  return value;
}

// "0 to 31"
std::string range(const Field& field) {
  const int first = field.style == Style::Signed ? field.count / 2 : field.low;
  const int last = field.style == Style::Signed ? first - 1 : field.low + field.count - 1;
  return fmt::format("{} to {}", print(field, first), print(field, last));
}

std::string_view takeWord(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r"), text.size());
  text.remove_prefix(start);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

Token Token::exec(int block, int warp, std::uint32_t mask) {
  return make(TokenKind::Exec, {unsignedOf(block), unsignedOf(warp), mask});
}
Token Token::val(int reg, int lane, std::uint32_t low) {
  return make(TokenKind::Val, {unsignedOf(reg), unsignedOf(lane), low});
}
Token Token::pred(int predicate, std::uint32_t bits) {
  return make(TokenKind::Pred, {unsignedOf(predicate), bits});
}
Token Token::mem(int address, std::uint32_t low) {
  return make(TokenKind::Mem, {unsignedOf(address), low});
}
Token Token::ext(int part, std::uint32_t bits) {
  check(part == 1 || part == 2, "a word has two further parts");
  return make(part == 1 ? TokenKind::Ext1 : TokenKind::Ext2, {bits});
}
Token Token::cta(int ctaid, int ntid) {
  return make(TokenKind::Cta, {unsignedOf(ctaid), unsignedOf(ntid)});
}
Token Token::grid(int nctaid) { return make(TokenKind::Grid, {unsignedOf(nctaid)}); }
Token Token::code(int block, int row, int half, std::uint32_t low) {
  return make(TokenKind::Code, {unsignedOf(block), unsignedOf(row), unsignedOf(half), low});
}
Token Token::param(int index, std::uint32_t low) {
  return make(TokenKind::Param, {unsignedOf(index), low});
}

bool Token::valid() const {
  const auto known = fields(kind);
  for (std::size_t i = 0; i < field.size(); ++i)
    if (i < known.size() ? !known[i].holds(field[i]) : field[i] != 0) return false;
  return true;
}

std::uint32_t Token::payload() const {
  const std::size_t n = fields(kind).size();
  return n == 0 ? 0 : field[n - 1];
}

int Token::id() const {
  int id = 0;
  const auto known = fields(kind);
  for (std::size_t i = 0; i < known.size(); ++i)
    id = id * known[i].count + (field[i] - known[i].low);
  return firstId(kind) + id;
}

std::optional<Token> Token::fromId(int id) {
  if (id < 0 || id >= vocabulary()) return std::nullopt;
  int k = 0;
  while (id >= kFirstIds[k + 1]) ++k;
  Token t{static_cast<TokenKind>(k), {}};
  int rest = id - kFirstIds[k];
  const auto known = fields(t.kind);
  for (std::size_t i = known.size(); i-- > 0; rest /= known[i].count)
    t.field[i] = static_cast<std::uint16_t>(known[i].low + rest % known[i].count);
  return t;
}

std::string Token::text() const {
  std::string out(name(kind));
  const auto known = fields(kind);
  for (std::size_t i = 0; i < known.size(); ++i) out += ' ' + print(known[i], field[i]);
  return out;
}

Expected<Token> Token::parse(std::string_view text, const Location& where) {
  const std::string_view kind_name = takeWord(text);
  for (int k = 0; k < kTokenKinds; ++k) {
    if (kSpecs[k].name != kind_name) continue;
    Token t{static_cast<TokenKind>(k), {}};
    const auto known = fields(t.kind);
    for (std::size_t i = 0; i < known.size(); ++i) {
      const auto value = read(known[i], takeWord(text));
      if (!value)
        return refuseAt(
            where, fmt::format("{} needs a {} from {}", kind_name, known[i].name, range(known[i])));
      t.field[i] = static_cast<std::uint16_t>(*value);
    }
    if (!takeWord(text).empty()) return refuseAt(where, "text after the token");
    return t;
  }
  return refuseAt(where, fmt::format("there is no token kind \"{}\"", kind_name.substr(0, 20)));
}

std::span<const Field> fields(TokenKind kind) {
  return std::span(spec(kind).fields).first(fieldCount(spec(kind)));
}
int tokenCount(TokenKind kind) { return count(spec(kind)); }
int firstId(TokenKind kind) { return kFirstIds[static_cast<std::size_t>(kind)]; }
int vocabulary() { return kFirstIds.back(); }
std::string_view name(TokenKind kind) { return spec(kind).name; }
std::string_view meaning(TokenKind kind) { return spec(kind).meaning; }

}  // namespace qgpu::protocol
