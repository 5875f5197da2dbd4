#include "model/text/tokenizer.h"

#include <fmt/format.h>

namespace qgpu::model {

const std::pair<const std::string, TokenId>* Tokenizer::matchAdded(std::string_view text) const {
  for (const auto* candidate : added_by_first_byte_[static_cast<unsigned char>(text.front())])
    if (text.starts_with(candidate->first)) return candidate;
  return nullptr;
}

Expected<void> Tokenizer::encodePlain(std::string_view text, std::vector<TokenId>& tokens) const {
  if (text.empty()) return {};
  const auto words = pre_tokenizer_.split(text);
  if (!words) return fail(words.error());
  for (const std::string& word : *words) merges_.encode(word, tokens);
  return {};
}

Expected<std::vector<TokenId>> Tokenizer::encode(std::span<const TextPart> parts) const {
  std::vector<TokenId> tokens;
  std::string plain;  // since the last added token
  for (const TextPart& part : parts) {
    const std::string_view text = part.text;
    if (const std::size_t at = findInvalidUtf8(text); at != std::string_view::npos)
      return refuse(fmt::format("the text is not UTF-8 at byte {}", at), "give UTF-8");
    if (part.control == Control::AsText) {
      plain += text;
      continue;
    }
    for (std::size_t i = 0; i < text.size();) {
      const auto* match = matchAdded(text.substr(i));
      if (match == nullptr) {
        plain += text[i++];
        continue;
      }
      if (auto done = encodePlain(plain, tokens); !done) return fail(done.error());
      plain.clear();
      tokens.push_back(match->second);
      i += match->first.size();
    }
  }
  if (auto done = encodePlain(plain, tokens); !done) return fail(done.error());
  return tokens;
}

Expected<std::vector<TokenId>> Tokenizer::encode(std::string_view text, Control control) const {
  const TextPart part{std::string(text), control};
  return encode({&part, 1});
}

std::string_view Tokenizer::bytes(TokenId token, bool skip_special) const {
  if (token >= tokens_.size() || (skip_special && tokens_[token].special)) return {};
  return tokens_[token].bytes;
}

std::string Tokenizer::decode(std::span<const TokenId> tokens, bool skip_special) const {
  std::string result;
  for (const TokenId token : tokens) result += bytes(token, skip_special);
  return lossyUtf8(result);
}

std::optional<TokenId> Tokenizer::addedToken(std::string_view content) const {
  const auto found = added_.find(content);
  if (found == added_.end()) return std::nullopt;
  return found->second;
}

bool Tokenizer::isAdded(TokenId token) const {
  return token < tokens_.size() && tokens_[token].added;
}

}  // namespace qgpu::model
