// Writing text: tokens from a prompt, one after another.
//
//   GenerateOptions options{.max_tokens = 100, .stop = model.config().end_tokens};
//   options.on_token = [&](TokenId token) { std::cout << stream.add(token); return true; };
//   auto written = generate(model, state, prompt, options);   // Expected<std::vector<TokenId>>
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/qwen/sampler.h"
#include "model/qwen/text_model.h"

namespace qgpu::model {

struct GenerateOptions {
  SamplingOptions sampling = {};
  std::size_t max_tokens = 256;
  std::vector<TokenId> stop = {};  // ends the text; is the last token of the result
  // May forbid tokens by setting their logits to minus infinity (a grammar does).
  std::function<void(std::span<float> logits)> constrain = {};
  // Sees each token as it is chosen; false ends the text.
  std::function<bool(TokenId)> on_token = {};
};

// Appends tokens to a text and gives the logits after the last of them.
using Feed = std::function<Expected<std::vector<float>>(std::span<const TokenId> tokens)>;

// Feeds the prompt and returns the tokens written after it. All but the last of them have been fed:
// to go on, start the next prompt with the last one.
Expected<std::vector<TokenId>> generate(const Feed& feed, std::span<const TokenId> prompt,
                                        const GenerateOptions& options);
Expected<std::vector<TokenId>> generate(TextModel& model, TextState& state,
                                        std::span<const TokenId> prompt,
                                        const GenerateOptions& options);

}  // namespace qgpu::model
