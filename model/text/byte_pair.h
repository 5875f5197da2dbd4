// Byte-pair encoding (Sennrich et al., 2016; on bytes as in GPT-2, Radford et al., 2019): a word
// starts as its bytes; of all neighbouring pairs that have a merge the one with the lowest rank,
// and of those the leftmost, is joined, until no pair has one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/text/token_id.h"

namespace qgpu::model {

class BytePairMerges {
 public:
  // The token of each single byte.
  void setByte(unsigned char byte, TokenId token) { bytes_[byte] = token; }
  void reserve(std::size_t merges) { merges_.reserve(merges); }
  // The next merge in order of rank; false if the pair has one already.
  bool add(TokenId left, TokenId right, TokenId joined);

  // Appends the tokens of a word. Takes time n log n in its length.
  void encode(std::string_view word, std::vector<TokenId>& tokens) const;

 private:
  struct Merge {
    std::uint32_t rank = 0;
    TokenId joined = 0;
  };
  const Merge* find(TokenId left, TokenId right) const;

  std::array<TokenId, 256> bytes_{};
  std::unordered_map<std::uint64_t, Merge> merges_;
};

// GPT-2's printable spelling of bytes in tokenizer.json: byte b is the character
// byteToCharacter()[b].
const std::array<char32_t, 256>& byteToCharacter();

}  // namespace qgpu::model
