#include "model/text/byte_pair.h"

#include <queue>

namespace qgpu::model {
namespace {

constexpr std::uint64_t pairKey(TokenId left, TokenId right) {
  return (static_cast<std::uint64_t>(left) << 32) | right;
}

// A token of the word, linked to its neighbours; joined ones drop out of the list.
struct Symbol {
  TokenId token = 0;
  std::size_t previous = 0;
  std::size_t next = 0;
  bool alive = true;
};
constexpr std::size_t kNone = SIZE_MAX;

// A pair that could be joined when it was seen; the tokens tell whether it still can.
struct Candidate {
  std::uint32_t rank;
  std::size_t position;
  TokenId left, right, joined;
  bool operator>(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

std::array<char32_t, 256> makeByteToCharacter() {
  // Printable Latin-1 characters stand for themselves, the other bytes for U+0100 and on, in order.
  std::array<char32_t, 256> table{};
  char32_t next = 0x100;
  for (char32_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    table[b] = printable ? b : next++;
  }
  return table;
}

}  // namespace

const std::array<char32_t, 256>& byteToCharacter() {
  static const std::array<char32_t, 256> table = makeByteToCharacter();
  return table;
}

bool BytePairMerges::add(TokenId left, TokenId right, TokenId joined) {
  const auto rank = static_cast<std::uint32_t>(merges_.size());
  return merges_.try_emplace(pairKey(left, right), Merge{rank, joined}).second;
}

const BytePairMerges::Merge* BytePairMerges::find(TokenId left, TokenId right) const {
  const auto found = merges_.find(pairKey(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairMerges::encode(std::string_view word, std::vector<TokenId>& tokens) const {
  std::vector<Symbol> symbols(word.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  for (std::size_t i = 0; i < word.size(); ++i)
    symbols[i] = {bytes_[static_cast<unsigned char>(word[i])], i == 0 ? kNone : i - 1,
                  i + 1 == word.size() ? kNone : i + 1};
  const auto consider = [&](std::size_t left) {
    if (left == kNone || symbols[left].next == kNone) return;
    const TokenId a = symbols[left].token;
    const TokenId b = symbols[symbols[left].next].token;
    if (const Merge* merge = find(a, b)) queue.push({merge->rank, left, a, b, merge->joined});
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.position];
    if (!left.alive || left.token != best.left || left.next == kNone) continue;
    Symbol& right = symbols[left.next];
    if (right.token != best.right) continue;
    left.token = best.joined;
    right.alive = false;
    left.next = right.next;
    if (left.next != kNone) symbols[left.next].previous = best.position;
    consider(left.previous);
    consider(best.position);
  }
  for (const Symbol& symbol : symbols)
    if (symbol.alive) tokens.push_back(symbol.token);
}

}  // namespace qgpu::model
