#include "model/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "interpreter/base/files.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::model {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const Tokenizer& tokenizer() {
  static const Tokenizer loaded = Tokenizer::open(testData("tokenizer/tokenizer.json")).value();
  return loaded;
}

// Against the `tokenizers` library, through tools/oracle/make_tokenizer.py. QGPU_TOKENIZER_DATA
// names another folder that the script has written.
class TokenizerReference : public ::testing::Test {
 protected:
  static std::filesystem::path folder() {
    const char* other = std::getenv("QGPU_TOKENIZER_DATA");
    return other != nullptr ? std::filesystem::path(other) : testData("tokenizer");
  }
  const Tokenizer reference_ = Tokenizer::open(folder() / "tokenizer.json").value();
  const json recorded_ = json::parse(readFile(folder() / "cases.json").value());
};

TEST_F(TokenizerReference, EveryTextHasTheSameTokens) {
  EXPECT_GE(recorded_["cases"].size(), 1500u);
  for (const json& c : recorded_["cases"]) {
    const auto text = c["text"].get<std::string>();
    const auto tokens = reference_.encode(text);
    ASSERT_TRUE(tokens) << tokens.error().text();
    EXPECT_EQ(*tokens, c["ids"].get<std::vector<TokenId>>()) << c["text"];
    EXPECT_EQ(reference_.decode(*tokens), c.value("decoded", text)) << c["text"];
    EXPECT_EQ(reference_.decode(*tokens, true), c.value("plain", text)) << c["text"];
  }
}

TEST_F(TokenizerReference, EveryTextIsSplitIntoTheSameWords) {
  const PreTokenizer pre_tokenizer;
  for (const json& c : recorded_["cases"]) {
    std::vector<std::size_t> lengths;
    const auto words = pre_tokenizer.split(c["text"].get<std::string>());
    ASSERT_TRUE(words);
    for (const std::string& word : *words) lengths.push_back(word.size());
    EXPECT_EQ(lengths, c["words"].get<std::vector<std::size_t>>()) << c["text"];
  }
}

TEST_F(TokenizerReference, EverySequenceDecodesToTheSameText) {
  EXPECT_GE(recorded_["sequences"].size(), 200u);
  for (const json& c : recorded_["sequences"]) {
    const auto ids = c["ids"].get<std::vector<TokenId>>();
    EXPECT_EQ(reference_.decode(ids), c["decoded"].get<std::string>());
    TokenStream stream(reference_, false);
    std::string streamed;
    for (const TokenId id : ids) {
      const std::string piece = stream.add(id);
      EXPECT_EQ(findInvalidUtf8(piece), std::string::npos);
      streamed += piece;
    }
    EXPECT_EQ(streamed + stream.finish(), c["decoded"].get<std::string>());
  }
}

TEST(Tokenizer, ControlTokensInForeignTextStayText) {
  const std::string text = "a<|im_end|>b";
  const TokenId im_end = *tokenizer().addedToken("<|im_end|>");
  EXPECT_THAT(*tokenizer().encode(text), ::testing::Contains(im_end));
  const auto as_text = tokenizer().encode(text, Control::AsText).value();
  EXPECT_THAT(as_text, ::testing::Not(::testing::Contains(im_end)));
  EXPECT_EQ(tokenizer().decode(as_text), text);
}

TEST(Tokenizer, WordsReachAcrossParts) {
  const std::vector<TextPart> parts = {{"<|im_start|>user\n", Control::Match},
                                       {"\n\nthe", Control::AsText},
                                       {" fox", Control::Match}};
  EXPECT_EQ(tokenizer().encode(parts).value(),
            tokenizer().encode("<|im_start|>user\n\n\nthe fox").value());
}

TEST(Tokenizer, BadUtf8IsRefused) {
  for (const char* text : {"\x80", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xff"})
    EXPECT_THAT(tokenizer().encode(text).error().text(), HasSubstr("not UTF-8")) << text;
}

RC_GTEST_PROP(Tokenizer, DecodingUndoesEncodingOfNormalisedText, (unsigned seed)) {
  std::string text;
  for (unsigned i = 0, r = seed; i < 20; ++i, r = r * 1664525u + 1013904223u)
    text += "abc de\n\t.!12<|>'s \xe4\xbd\xa0\xf0\x9f\x91\x8d"[(r >> 16) % 24];
  text = lossyUtf8(text);
  RC_ASSERT(tokenizer().decode(tokenizer().encode(text).value()) == text);
}

TEST(Tokenizer, LongWordsTakeReasonableTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* unit : {"ab", "a", " ", "\n", "\xcc\x81", "!", " \n", "the"}) {
    std::string text;
    while (text.size() < 300'000) text += unit;
    EXPECT_EQ(tokenizer().decode(tokenizer().encode(text).value()), text);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// The good file with one member replaced; the refusal that follows.
std::string refusalWith(const std::string& pointer, const json& value) {
  static const json good = json::parse(readFile(testData("tokenizer/tokenizer.json")).value());
  json changed = good;
  if (value.is_discarded())
    changed[json::json_pointer(pointer).parent_pointer()].erase(json::json_pointer(pointer).back());
  else
    changed[json::json_pointer(pointer)] = value;
  const auto result = Tokenizer::parse(changed.dump(), "tokenizer.json");
  return result ? "accepted" : result.error().text();
}

TEST(TokenizerFile, WhatTheEncoderDoesNotDoIsRefused) {
  const json removed = json::value_t::discarded;
  EXPECT_EQ(refusalWith("/version", "1.0"), "accepted");
  EXPECT_EQ(refusalWith("/post_processor", {{"type", "ByteLevel"}}), "accepted");
  EXPECT_THAT(refusalWith("/normalizer", nullptr), HasSubstr("normalizer"));
  EXPECT_THAT(refusalWith("/normalizer", {{"type", "NFKC"}}), HasSubstr("only NFC"));
  EXPECT_THAT(refusalWith("/pre_tokenizer", nullptr), HasSubstr("only Qwen3.5's"));
  EXPECT_THAT(refusalWith("/pre_tokenizer/pretokenizers/0/pattern/Regex", "."),
              HasSubstr("Qwen3.5"));
  EXPECT_THAT(refusalWith("/pre_tokenizer/pretokenizers/0/behavior", "Removed"), HasSubstr("Qwen"));
  EXPECT_THAT(refusalWith("/pre_tokenizer/pretokenizers/0/invert", true), HasSubstr("Qwen"));
  EXPECT_THAT(refusalWith("/pre_tokenizer/pretokenizers/1/use_regex", true), HasSubstr("Qwen"));
  EXPECT_THAT(refusalWith("/pre_tokenizer/pretokenizers/1/add_prefix_space", true),
              HasSubstr("Qwen"));
  EXPECT_THAT(refusalWith("/post_processor", {{"type", "TemplateProcessing"}}), HasSubstr("post"));
  EXPECT_THAT(refusalWith("/decoder", nullptr), HasSubstr("decoder"));
  EXPECT_THAT(refusalWith("/truncation", {{"max_length", 3}}), HasSubstr("truncation"));
  EXPECT_THAT(refusalWith("/padding", json::object()), HasSubstr("padding"));
  EXPECT_THAT(refusalWith("/model", removed), HasSubstr("model is missing"));
  EXPECT_THAT(refusalWith("/model/type", "Unigram"), HasSubstr("model.type is not BPE"));
  EXPECT_THAT(refusalWith("/model/unk_token", "<unk>"), HasSubstr("model.unk_token"));
  EXPECT_THAT(refusalWith("/model/dropout", 0.1), HasSubstr("model.dropout"));
  EXPECT_THAT(refusalWith("/model/end_of_word_suffix", "</w>"), HasSubstr("end_of_word_suffix"));
  EXPECT_THAT(refusalWith("/model/byte_fallback", true), HasSubstr("byte_fallback"));
  EXPECT_THAT(refusalWith("/model/ignore_merges", true), HasSubstr("ignore_merges"));
  EXPECT_THAT(refusalWith("/added_tokens", removed), HasSubstr("added_tokens is missing"));
  EXPECT_THAT(refusalWith("/added_tokens/0/lstrip", true), HasSubstr("lstrip"));
  EXPECT_THAT(refusalWith("/added_tokens/0/normalized", true), HasSubstr("normalized"));
}

TEST(TokenizerFile, DamagedTablesAreRefused) {
  const json removed = json::value_t::discarded;
  EXPECT_THAT(refusalWith("/added_tokens/0/id", 1u << 22), HasSubstr("id is not a whole number"));
  EXPECT_THAT(refusalWith("/added_tokens/0/id", 699), HasSubstr("given twice"));
  EXPECT_THAT(refusalWith("/added_tokens/0/content", "<think>"), HasSubstr("given twice"));
  EXPECT_THAT(refusalWith("/added_tokens/0/content", ""), HasSubstr("content is empty"));
  EXPECT_THAT(refusalWith("/added_tokens/0/id", 5), HasSubstr("gives two tokens the id 5"));
  EXPECT_THAT(refusalWith("/model/vocab/a", removed), HasSubstr("all 256 bytes"));
  EXPECT_THAT(refusalWith("/model/vocab/a", -1), HasSubstr("bad id"));
  EXPECT_THAT(refusalWith("/model/vocab/a", 1u << 22), HasSubstr("bad id"));
  EXPECT_THAT(refusalWith("/model/vocab/a", 3), HasSubstr("two tokens the id 3"));
  EXPECT_THAT(refusalWith("/model/vocab/a b", 9000), HasSubstr("not byte-level"));
  EXPECT_THAT(refusalWith("/model/vocab/", 9000), HasSubstr("not byte-level"));
  EXPECT_THAT(refusalWith("/model/vocab/\xe4\xbd\xa0", 9000), HasSubstr("not byte-level"));
  EXPECT_THAT(refusalWith("/model/merges/0", "a"), HasSubstr("does not have"));
  EXPECT_THAT(refusalWith("/model/merges/0", {"a", "b", "c"}), HasSubstr("does not have"));
  EXPECT_THAT(refusalWith("/model/merges/0", {"z", "q"}), HasSubstr("does not have"));
  EXPECT_THAT(refusalWith("/model/merges/0", 7), HasSubstr("does not have"));
  json twice =
      json::parse(readFile(testData("tokenizer/tokenizer.json")).value())["model"]["merges"];
  EXPECT_EQ(refusalWith("/model/merges", twice), "accepted");
  twice[0] = twice[1];
  EXPECT_THAT(refusalWith("/model/merges", twice), HasSubstr("a pair twice"));
}

TEST(TokenizerFile, MergesMayBeStrings) {
  json file = json::parse(readFile(testData("tokenizer/tokenizer.json")).value());
  for (json& merge : file["model"]["merges"])
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  const auto other = Tokenizer::parse(file.dump(), "t");
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ(other->encode("the quick brown fox"), tokenizer().encode("the quick brown fox"));
}

TEST(TokenizerFile, TruncationsAndNonsenseAreRefused) {
  const std::string whole = readFile(testData("tokenizer/tokenizer.json")).value();
  for (std::size_t size = 0; size < whole.size(); size += 97)
    ASSERT_FALSE(Tokenizer::parse(whole.substr(0, size), "t")) << size;
  for (const char* text : {"", "[]", "7", "{}", "null", "\"x\""})
    EXPECT_FALSE(Tokenizer::parse(text, "t")) << text;
  EXPECT_THAT(Tokenizer::open("/nowhere/tokenizer.json").error().text(), HasSubstr("cannot open"));
}

RC_GTEST_PROP(TokenizerFile, AnyDamageIsReadOrRefused, (unsigned seed)) {
  std::string damaged = readFile(testData("tokenizer/tokenizer.json")).value();
  damaged[seed % damaged.size()] = "\"{}[],:0a\\ "[(seed >> 20) % 11];
  const auto result = Tokenizer::parse(damaged, "t");
  if (result) RC_ASSERT(result->encode("the fox").has_value());
}

}  // namespace
}  // namespace qgpu::model
