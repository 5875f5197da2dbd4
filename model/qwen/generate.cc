#include "model/qwen/generate.h"

#include <algorithm>

namespace qgpu::model {

Expected<std::vector<TokenId>> generate(TextModel& model, TextState& state,
                                        std::span<const TokenId> prompt,
                                        const GenerateOptions& options) {
  return generate([&](std::span<const TokenId> tokens) { return model.feed(tokens, state); },
                  prompt, options);
}

Expected<std::vector<TokenId>> generate(const Feed& feed, std::span<const TokenId> prompt,
                                        const GenerateOptions& options) {
  Sampler sampler(options.sampling);
  std::vector<TokenId> written;
  auto logits = feed(prompt);
  while (logits && written.size() < options.max_tokens) {
    if (options.constrain) options.constrain(*logits);
    const auto token = sampler.pick(*logits);
    if (!token) return fail(token.error());
    written.push_back(*token);
    const bool stops =
        std::find(options.stop.begin(), options.stop.end(), *token) != options.stop.end();
    if (options.on_token && !options.on_token(*token)) return written;
    if (stops || written.size() == options.max_tokens) return written;
    logits = feed({&*token, 1});
  }
  if (!logits) return fail(logits.error());
  return written;
}

}  // namespace qgpu::model
