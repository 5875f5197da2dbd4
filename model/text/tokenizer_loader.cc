// Reads and checks a tokenizer.json (the file format of Hugging Face's tokenizers library).
#include <fmt/format.h>

#include <algorithm>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {
namespace {

using nlohmann::json;

constexpr std::size_t kIdLimit = 1u << 22;
constexpr std::size_t kAddedLimit = 4096;

// A JSON member that may be left out, null or an empty string, and nothing else.
bool isUnset(const json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() || *found == json("");
}

bool hasType(const json& value, std::string_view type) {
  return value.is_object() && value.contains("type") && value["type"] == type;
}

// characterToByte()[c] is the byte that character c spells, or -1.
constexpr std::size_t kSpellingCharacters = 0x144;
const std::array<std::int16_t, kSpellingCharacters>& characterToByte() {
  static const auto kTable = [] {
    std::array<std::int16_t, kSpellingCharacters> table{};
    table.fill(-1);
    for (std::int16_t b = 0; b < 256; ++b)
      table[byteToCharacter()[static_cast<std::size_t>(b)]] = b;
    return table;
  }();
  return kTable;
}

// The bytes that a byte-level string of the file spells, or nothing. Every character of the table
// has one or two bytes of UTF-8.
std::optional<std::string> spelledBytes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t character = static_cast<unsigned char>(text[i]);
    if (character >= 0xe0) return std::nullopt;
    if (character >= 0x80) {
      if (++i == text.size()) return std::nullopt;
      character = ((character & 0x1fu) << 6) | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    if (character >= kSpellingCharacters || characterToByte()[character] < 0) return std::nullopt;
    result += static_cast<char>(characterToByte()[character]);
  }
  return result;
}

}  // namespace

class TokenizerLoader {
 public:
  TokenizerLoader(const json& document, std::string_view file)
      : document_(document), fields_(document, file) {}

  Expected<Tokenizer> load() {
    checkPipeline();
    const json& model = fields_.object("model");
    if (!fields_.failure()) checkModel(model);
    if (!fields_.failure()) loadAdded();
    if (!fields_.failure()) loadVocabulary(model["vocab"]);
    if (!fields_.failure()) loadMerges(model["merges"]);
    if (fields_.failure()) return fail(*fields_.failure());
    return std::move(tokenizer_);
  }

 private:
  // Everything around the model must be what the encoder does.
  void checkPipeline() {
    constexpr std::string_view kOther = "is not what this tokenizer does";
    for (const char* unused : {"truncation", "padding"})
      if (!isUnset(document_, unused)) fields_.refuse(unused, kOther, "only null is supported");
    if (fields_.failure()) return;
    const json& normalizer = document_.value("normalizer", json());
    if (!hasType(normalizer, "NFC")) fields_.refuse("normalizer", kOther, "only NFC is supported");
    if (!isQwenSplit(document_.value("pre_tokenizer", json())))
      fields_.refuse("pre_tokenizer", kOther, "only Qwen3.5's is supported");
    const json& post = document_.value("post_processor", json());
    if (!post.is_null() && !hasType(post, "ByteLevel"))
      fields_.refuse("post_processor", kOther, "only ByteLevel is supported");
    if (!hasType(document_.value("decoder", json()), "ByteLevel"))
      fields_.refuse("decoder", kOther, "only ByteLevel is supported");
  }

  static bool isQwenSplit(const json& pre) {
    if (!hasType(pre, "Sequence") || !pre.contains("pretokenizers")) return false;
    const json& steps = pre["pretokenizers"];
    if (!steps.is_array() || steps.size() != 2 || !hasType(steps[0], "Split") ||
        !hasType(steps[1], "ByteLevel"))
      return false;
    const json pattern = {{"Regex", kQwenSplitPattern}};
    return steps[0].value("pattern", json()) == pattern &&
           steps[0].value("behavior", json()) == "Isolated" &&
           steps[0].value("invert", json()) == false &&
           steps[1].value("add_prefix_space", json()) == false &&
           steps[1].value("use_regex", json()) == false;
  }

  void checkModel(const json& model) {
    JsonFields fields = fields_.fieldsOf("model");
    if (fields.string("type") != "BPE") fields.refuse("type", "is not BPE");
    for (const char* unused :
         {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"})
      if (!isUnset(model, unused)) fields.refuse(unused, "is not supported", "it must be null");
    for (const char* flag : {"fuse_unk", "byte_fallback", "ignore_merges"})
      if (model.contains(flag) && model[flag] != false)
        fields.refuse(flag, "is not supported", "it must be false");
    fields.object("vocab");
    fields.array("merges");
    fields_.absorb(fields);
  }

  bool place(TokenId id, std::string bytes, bool added, bool special) {
    if (id >= tokenizer_.tokens_.size()) tokenizer_.tokens_.resize(id + 1);
    if (id >= used_.size()) used_.resize(id + 1);
    if (used_[id]) return false;
    used_[id] = true;
    tokenizer_.tokens_[id] = {std::move(bytes), added, special};
    return true;
  }

  void loadAdded() {
    const json& list = fields_.array("added_tokens");
    if (list.size() > kAddedLimit) return fields_.refuse("added_tokens", "has too many entries");
    for (const json& token : list) {
      JsonFields fields(token, fields_.file(), "added_tokens[]");
      const std::size_t id = fields.size("id", 0, kIdLimit - 1);
      const std::string content = fields.string("content");
      const bool special = fields.boolean("special");
      for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"})
        if (fields.boolean(flag)) fields.refuse(flag, "is not supported", "it must be false");
      if (!fields.failure() && content.empty()) fields.refuse("content", "is empty");
      // Decoded as the library does: by the byte table where that spells every character.
      const std::string bytes = spelledBytes(content).value_or(content);
      if (!fields.failure() && (!place(static_cast<TokenId>(id), bytes, true, special) ||
                                !tokenizer_.added_.try_emplace(content, id).second))
        fields.refuse("content", "or its id is given twice: " + content);
      fields_.absorb(fields);
      if (fields_.failure()) return;
    }
    for (const auto& entry : tokenizer_.added_)
      tokenizer_.added_by_first_byte_[static_cast<unsigned char>(entry.first[0])].push_back(&entry);
    for (auto& candidates : tokenizer_.added_by_first_byte_)
      std::sort(candidates.begin(), candidates.end(), [](const auto* a, const auto* b) {
        return a->first.size() > b->first.size();  // those of one length cannot both match
      });
  }

  void loadVocabulary(const json& vocab) {
    std::size_t single_bytes = 0;
    ids_.reserve(vocab.size());
    for (const auto& [spelling, value] : vocab.items()) {
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= kIdLimit)
        return fields_.refuse("model.vocab", fmt::format("gives \"{}\" a bad id", spelling));
      const auto id = value.get<TokenId>();
      if (tokenizer_.addedToken(spelling) == id) continue;  // listed in both places
      auto bytes = spelledBytes(spelling);
      if (!bytes || bytes->empty())
        return fields_.refuse("model.vocab",
                              fmt::format("has an entry that is not byte-level: \"{}\"", spelling));
      if (bytes->size() == 1) {
        tokenizer_.merges_.setByte(static_cast<unsigned char>(bytes->front()), id);
        ++single_bytes;
      }
      ids_.emplace(spelling, id);
      if (!place(id, std::move(*bytes), false, false))
        return fields_.refuse("model.vocab", fmt::format("gives two tokens the id {}", id));
    }
    if (single_bytes != 256) fields_.refuse("model.vocab", "does not have all 256 bytes");
  }

  // A merge is "left right" or ["left", "right"], in order of rank.
  void loadMerges(const json& merges) {
    tokenizer_.merges_.reserve(merges.size());
    std::string joined;
    for (const json& merge : merges) {
      std::string_view left;
      std::string_view right;
      if (merge.is_string()) {
        const std::string_view text = merge.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        left = text.substr(0, space);
        right = space == std::string::npos ? "" : text.substr(space + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                 merge[1].is_string()) {
        left = merge[0].get_ref<const std::string&>();
        right = merge[1].get_ref<const std::string&>();
      }
      const auto a = idOf(left);
      const auto b = idOf(right);
      const auto c = idOf(joined.assign(left).append(right));
      if (!a || !b || !c)
        return fields_.refuse("model.merges",
                              "joins tokens that the vocabulary does not have: " + merge.dump());
      if (!tokenizer_.merges_.add(*a, *b, *c))
        return fields_.refuse("model.merges", "has a pair twice: " + merge.dump());
    }
  }

  std::optional<TokenId> idOf(std::string_view spelling) const {
    const auto found = ids_.find(spelling);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  const json& document_;
  JsonFields fields_;
  Tokenizer tokenizer_;
  std::vector<bool> used_;
  std::unordered_map<std::string_view, TokenId> ids_;  // by spelling, which the document holds
};

Expected<Tokenizer> Tokenizer::parse(std::string_view text, std::string_view file) {
  const auto document = parseJson(text, file);
  if (!document) return fail(document.error());
  if (!document->is_object())
    return refuseAt({std::string(file), 0, 0}, "is not a JSON object", "give a tokenizer.json");
  return TokenizerLoader(*document, file).load();
}

Expected<Tokenizer> Tokenizer::open(const std::filesystem::path& path) {
  const auto text = readFile(path, kFileLimit);
  if (!text) return fail(text.error());
  return parse(*text, path.string());
}

}  // namespace qgpu::model
