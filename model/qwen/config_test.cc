#include "model/qwen/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "interpreter/base/files.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/tensors.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::model {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const LayerKind L = LayerKind::LinearAttention;
const LayerKind F = LayerKind::FullAttention;

TEST(Config, FlatAsTransformersWritesIt) {
  const auto config = readConfig(testData("models/grouped"));
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->vocab_size, 96u);
  EXPECT_EQ(config->hidden_size, 32u);
  EXPECT_THAT(config->layers, ElementsAre(L, L, L, F));
  EXPECT_EQ(config->linear_attention.value_heads, 4u);
  EXPECT_EQ(config->full_attention.rotary_dim, 4u);
  EXPECT_EQ(config->full_attention.rope_theta, 1e7);
  EXPECT_EQ(config->rms_norm_eps, 1e-6f);
  EXPECT_TRUE(config->tie_word_embeddings);
  EXPECT_TRUE(config->end_tokens.empty());
}

TEST(Config, NestedWithEndTokensFromBothFiles) {
  const auto config = readConfig(testData("models/nested"));
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->hidden_size, 64u);
  EXPECT_THAT(config->end_tokens, ElementsAre(7u, 9u));
}

// The published sizes of Qwen3.5-2B: tensors and parameters of the text model.
TEST(Config, TheParametersOfTheBaseModelAddUp) {
  const Config config = qwen2bConfig();
  EXPECT_EQ(parameterCount(config), 1'881'825'088u);
  EXPECT_EQ(tensorsOf(config).size(), 320u);
  EXPECT_EQ(std::count(config.layers.begin(), config.layers.end(), F), 6);
  const auto again = parseConfig(configJson(config), "c");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(configJson(*again), configJson(config));
  EXPECT_EQ(again->rms_norm_eps, 1e-6f);
  EXPECT_EQ(again->end_tokens, config.end_tokens);
}

// A written share of the head, cut to whole dimensions, must give the same dimensions: 2.0 / 98 *
// 98 is less than 2.
TEST(Config, EveryRotaryDimensionIsReadBack) {
  Config config = qwen2bConfig();
  AttentionShape& shape = config.full_attention;
  for (shape.head_dim = 1; shape.head_dim <= 128; ++shape.head_dim)
    for (shape.rotary_dim = 0; shape.rotary_dim <= shape.head_dim; shape.rotary_dim += 2) {
      const auto again = parseConfig(configJson(config), "c");
      ASSERT_TRUE(again) << shape.rotary_dim << " of " << shape.head_dim << ": "
                         << again.error().text();
      ASSERT_EQ(again->full_attention.rotary_dim, shape.rotary_dim) << "of " << shape.head_dim;
    }
}

// 1e-12 as a float is a little less than 1e-12.
TEST(Config, TheSmallestEpsilonIsReadBack) {
  json document = json::parse(configJson(qwen2bConfig()));
  document["rms_norm_eps"] = 1e-12;
  const auto config = parseConfig(document.dump(), "c");
  ASSERT_TRUE(config) << config.error().text();
  const auto again = parseConfig(configJson(*config), "c");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->rms_norm_eps, 1e-12f);
}

json nested() { return json::parse(readFile(testData("models/nested/config.json")).value()); }
json flat() { return json::parse(readFile(testData("models/odd/config.json")).value()); }

std::string refusal(const json& document) {
  const auto config = parseConfig(document.dump(), "config.json");
  return config ? "accepted" : config.error().text();
}
std::string refusalWith(const std::string& name, const json& value) {
  json document = flat();
  document[json::json_pointer("/" + name)] = value;
  return refusal(document);
}

TEST(Config, NoFieldHasADefault) {
  for (const char* name : {"model_type",
                           "vocab_size",
                           "hidden_size",
                           "intermediate_size",
                           "num_hidden_layers",
                           "layer_types",
                           "num_attention_heads",
                           "num_key_value_heads",
                           "head_dim",
                           "rope_parameters",
                           "rms_norm_eps",
                           "hidden_act",
                           "attention_bias",
                           "linear_num_key_heads",
                           "linear_num_value_heads",
                           "linear_key_head_dim",
                           "linear_value_head_dim",
                           "linear_conv_kernel_dim",
                           "max_position_embeddings",
                           "tie_word_embeddings"}) {
    json document = flat();
    ASSERT_EQ(refusal(document), "accepted");
    document.erase(name);
    EXPECT_EQ(refusal(document), std::string("config.json: error: ") + name + " is missing");
  }
  for (const char* name : {"rope_theta", "rope_type", "partial_rotary_factor"}) {
    json document = flat();
    document["rope_parameters"].erase(name);
    EXPECT_THAT(refusal(document),
                HasSubstr(std::string("rope_parameters.") + name + " is missing"));
    document = nested();
    document["text_config"]["rope_parameters"].erase(name);
    EXPECT_THAT(refusal(document), HasSubstr(std::string("text_config.rope_parameters.") + name));
  }
}

TEST(Config, WhatIsNotComputedIsRefused) {
  EXPECT_THAT(refusalWith("model_type", "qwen3"), HasSubstr("give a Qwen3.5 model"));
  EXPECT_THAT(refusalWith("hidden_act", "gelu"), HasSubstr("hidden_act"));
  EXPECT_THAT(refusalWith("attention_bias", true), HasSubstr("attention_bias is true"));
  EXPECT_THAT(refusalWith("attn_output_gate", false), HasSubstr("only true is"));
  EXPECT_THAT(refusalWith("mamba_ssm_dtype", "bfloat16"), HasSubstr("only \"float32\" is"));
  EXPECT_THAT(refusalWith("rope_parameters/rope_type", "yarn"), HasSubstr("rope_type is not"));
  EXPECT_THAT(refusalWith("rope_parameters/partial_rotary_factor", 0.13), HasSubstr("odd number"));
  EXPECT_THAT(refusalWith("layer_types/0", "sliding_attention"), HasSubstr("neither"));
  EXPECT_THAT(refusalWith("num_hidden_layers", 2), HasSubstr("layer_types does not have"));
  EXPECT_THAT(refusalWith("linear_num_value_heads", 4), HasSubstr("not a multiple"));
  EXPECT_THAT(refusalWith("num_key_value_heads", 2), HasSubstr("not a multiple"));
  EXPECT_THAT(refusalWith("eos_token_id", "x"), HasSubstr("eos_token_id"));
  EXPECT_THAT(refusalWith("eos_token_id", {1, -1}), HasSubstr("eos_token_id"));
}

TEST(Config, SizesAreBounded) {
  for (const char* name : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
                           "num_attention_heads", "head_dim", "linear_key_head_dim",
                           "linear_conv_kernel_dim", "max_position_embeddings"})
    for (const json& bad : {json(0), json(-1), json(1.5), json(1e18), json(std::uint64_t{1} << 40),
                            json("7"), json(nullptr), json(true)})
      EXPECT_THAT(refusalWith(name, bad), HasSubstr("is not a whole number")) << name << bad;
  EXPECT_THAT(refusalWith("rms_norm_eps", 0), HasSubstr("rms_norm_eps"));
  EXPECT_THAT(refusalWith("rope_parameters/rope_theta", 0), HasSubstr("rope_theta"));
}

TEST(Config, TyingMustNotBeAmbiguous) {
  json document = nested();
  ASSERT_EQ(refusal(document), "accepted");
  document["tie_word_embeddings"] = false;
  EXPECT_THAT(refusal(document), HasSubstr("differs from the one outside"));
  document["text_config"].erase("tie_word_embeddings");
  EXPECT_FALSE(parseConfig(document.dump(), "c")->tie_word_embeddings);
  document.erase("tie_word_embeddings");
  EXPECT_THAT(refusal(document), HasSubstr("text_config.tie_word_embeddings is missing"));
}

TEST(Config, FilesAreRefusedByName) {
  const TemporaryFolder folder;
  EXPECT_THAT(readConfig(folder.path()).error().text(),
              HasSubstr("config.json: error: cannot open"));
  std::ofstream(folder / "config.json") << std::string(2 << 20, ' ');
  EXPECT_THAT(readConfig(folder.path()).error().text(), HasSubstr("larger than"));
  std::ofstream(folder / "config.json") << flat();
  EXPECT_TRUE(readConfig(folder.path()));
  std::ofstream(folder / "generation_config.json") << "{";
  EXPECT_THAT(readConfig(folder.path()).error().text(), HasSubstr("generation_config.json:1"));
  std::ofstream(folder / "generation_config.json") << "[]";
  EXPECT_THAT(readConfig(folder.path()).error().text(), HasSubstr("generation_config.json"));
}

RC_GTEST_PROP(Config, AnyDamageIsReadOrRefused, (unsigned seed)) {
  std::string damaged = (seed % 2 ? nested() : flat()).dump();
  damaged[(seed >> 1) % damaged.size()] = "\"{}[],:0-e "[(seed >> 20) % 11];
  const auto config = parseConfig(damaged, "c");
  if (config) RC_ASSERT(parameterCount(*config) > 0u);
}

}  // namespace
}  // namespace qgpu::model
