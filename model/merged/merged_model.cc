#include "model/merged/merged_model.h"

namespace qgpu::model {

Expected<std::unique_ptr<MergedModel>> MergedModel::open(const std::filesystem::path& folder,
                                                         const Circuit& circuit,
                                                         const Options& options) {
  auto base = TextModel::open(folder, {.rounding = options.rounding, .threads = options.threads});
  if (!base) return fail(base.error());
  std::unique_ptr<MergedModel> model(new MergedModel(std::move(*base), circuit));
  if (!options.skip_identity) {
    auto stack = StackedModel::open(folder, circuit,
                                    {.rounding = options.rounding, .threads = options.threads});
    if (!stack) return fail(stack.error());
    model->stack_ = std::move(*stack);
  }
  return model;
}

std::optional<protocol::Token> MergedModel::machineToken(TokenId id) const {
  if (id < textTokens() || id - textTokens() >= machineTokens()) return std::nullopt;
  return protocol::Token::fromId(static_cast<int>(id - textTokens()));
}

TextState MergedModel::newState() const { return stack_ ? stack_->newState() : base_.newState(); }

Expected<std::vector<float>> MergedModel::feed(std::span<const TokenId> tokens, TextState& text) {
  return stack_ ? stack_->feed(tokens, text) : base_.feed(tokens, text);
}

Expected<std::vector<TokenId>> MergedModel::generate(TextState& text,
                                                     std::span<const TokenId> prompt,
                                                     const GenerateOptions& options) {
  const auto feedText = [&](std::span<const TokenId> tokens) { return feed(tokens, text); };
  return model::generate(feedText, prompt, options);
}

Decoding MergedModel::launch(std::span<const protocol::Token> host, std::int64_t most,
                             const Observer& observe) {
  if (!stack_) return decode(machine_, host, most, observe);
  TextState none;  // the base's layers see no machine token
  return stack_->launch(host, most, none, observe);
}

std::uint32_t MergedModel::word(MemoryPlace place, int row, int bits) const {
  return stack_ ? stack_->word(place, row, bits) : machine_.row(place, row, bits);
}

void MergedModel::forgetLaunches() {
  machine_.reset();
  if (stack_) stack_->forgetLaunches();
}

}  // namespace qgpu::model
