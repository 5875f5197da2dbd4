// The tokenizer of a Qwen3.5 checkpoint: byte-level BPE, read from its tokenizer.json.
//
//   auto tokenizer = Tokenizer::open("Qwen3.5-2B/tokenizer.json");      // Expected<Tokenizer>
//   auto tokens = tokenizer->encode("3 times 4 is");                    //
//   Expected<vector<TokenId>> std::string text = tokenizer->decode(*tokens);
//
// Text is cut at the added tokens it spells ("<|im_start|>", "<think>" ...; at each place the
// longest one), what lies between them is brought to normalisation form C, split by the fixed
// expression of pre_tokenizer.h and encoded by byte_pair.h. Added tokens must not be found in text
// that others wrote: give such text as a part with Control::AsText, and it stays text.
//
// A tokenizer.json that asks for anything else than this (another normaliser, expression, model or
// post-processor, padding, unknown tokens ...) is refused, and so is a damaged one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/text/byte_pair.h"
#include "model/text/pre_tokenizer.h"
#include "model/text/token_id.h"
#include "model/text/utf8.h"

namespace qgpu::model {

// Whether added tokens are looked for in a text.
enum class Control : unsigned char { Match, AsText };

struct TextPart {
  std::string text;
  Control control = Control::Match;
  friend bool operator==(const TextPart&, const TextPart&) = default;
};

class Tokenizer {
 public:
  static constexpr std::size_t kFileLimit = 64u << 20;  // bytes

  static Expected<Tokenizer> open(const std::filesystem::path& path);
  // Parses the text of a tokenizer.json; `file` names it in messages.
  static Expected<Tokenizer> parse(std::string_view json, std::string_view file);

  // Refused: text that is not UTF-8.
  Expected<std::vector<TokenId>> encode(std::string_view text,
                                        Control control = Control::Match) const;
  // One text made of several parts: words may reach from one part into the next.
  Expected<std::vector<TokenId>> encode(std::span<const TextPart> parts) const;

  // The text of tokens; bytes that are not UTF-8 become U+FFFD, ids without a token nothing.
  std::string decode(std::span<const TokenId> tokens, bool skip_special = false) const;
  // The bytes of one token; with `skip_special` none for those that are marked special.
  std::string_view bytes(TokenId token, bool skip_special = false) const;

  // The id of an added token by its content.
  std::optional<TokenId> addedToken(std::string_view content) const;
  bool isAdded(TokenId token) const;
  // One more than the largest id.
  std::size_t size() const { return tokens_.size(); }

 private:
  friend class TokenizerLoader;
  struct Entry {
    std::string bytes;
    bool added = false;
    bool special = false;
  };

  // The longest added token at the start of `text`, or nothing.
  const std::pair<const std::string, TokenId>* matchAdded(std::string_view text) const;
  Expected<void> encodePlain(std::string_view text, std::vector<TokenId>& tokens) const;

  std::vector<Entry> tokens_;
  std::map<std::string, TokenId, std::less<>> added_;
  std::array<std::vector<const std::pair<const std::string, TokenId>*>, 256>
      added_by_first_byte_;  // longest first
  BytePairMerges merges_;
  PreTokenizer pre_tokenizer_;
};

// Decodes tokens as they come, never half a character.
class TokenStream {
 public:
  explicit TokenStream(const Tokenizer& tokenizer, bool skip_special = true)
      : tokenizer_(tokenizer), skip_special_(skip_special) {}
  std::string add(TokenId token) { return utf8_.add(tokenizer_.bytes(token, skip_special_)); }
  std::string finish() { return utf8_.finish(); }

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_;
  Utf8Stream utf8_;
};

}  // namespace qgpu::model
