#include <nlohmann/json.hpp>

#include "model/qwen/synthetic.h"
#include "model/text/byte_pair.h"
#include "model/text/pre_tokenizer.h"

namespace qgpu::model {
namespace {

struct AddedToken {
  const char* content;
  bool special;
};

// Qwen3.5's added tokens in the order of their ids, 248044 to 248076.
constexpr AddedToken kAddedTokens[] = {
    {"<|endoftext|>", true},      {"<|im_start|>", true},
    {"<|im_end|>", true},         {"<|object_ref_start|>", true},
    {"<|object_ref_end|>", true}, {"<|box_start|>", true},
    {"<|box_end|>", true},        {"<|quad_start|>", true},
    {"<|quad_end|>", true},       {"<|vision_start|>", true},
    {"<|vision_end|>", true},     {"<|vision_pad|>", true},
    {"<|image_pad|>", true},      {"<|video_pad|>", true},
    {"<tool_call>", false},       {"</tool_call>", false},
    {"<|fim_prefix|>", false},    {"<|fim_middle|>", false},
    {"<|fim_suffix|>", false},    {"<|fim_pad|>", false},
    {"<|repo_name|>", false},     {"<|file_sep|>", false},
    {"<tool_response>", false},   {"</tool_response>", false},
    {"<think>", false},           {"</think>", false},
    {"<|audio_start|>", true},    {"<|audio_end|>", true},
    {"<tts_pad>", true},          {"<tts_text_bos>", true},
    {"<tts_text_eod>", true},     {"<tts_text_bos_single>", true},
    {"<|audio_pad|>", true}};

// A byte's printable spelling, in UTF-8.
std::string spelling(std::size_t byte) {
  const char32_t c = byteToCharacter()[byte];
  if (c < 0x80) return {static_cast<char>(c)};
  return {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
}

}  // namespace

std::string byteTokenizerJson(TokenId first_added) {
  using nlohmann::json;
  json vocab = json::object();
  for (std::size_t byte = 0; byte < 256; ++byte) vocab[spelling(byte)] = byte;
  json added = json::array();
  for (const AddedToken& token : kAddedTokens)
    added.push_back({{"id", first_added + added.size()},
                     {"content", token.content},
                     {"special", token.special},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false}});
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", kQwenSplitPattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", false},
                           {"use_regex", false}};
  const json document = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
      {"post_processor", nullptr},
      {"decoder", byte_level},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", json::array()}}}};
  return document.dump() + "\n";
}

}  // namespace qgpu::model
