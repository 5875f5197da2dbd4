#include <fmt/format.h>

#include "model/merged/merged_model.h"
#include "tools/api/circuit.h"
#include "tools/chat/talk/partner.h"

namespace qgpu::chat {
namespace {

class MergedPartner : public Partner {
 public:
  MergedPartner(model::Tokenizer tokenizer, model::Circuit circuit)
      : tokenizer_(std::move(tokenizer)), circuit_(std::move(circuit)) {}

  Expected<void> open(const std::filesystem::path& folder, const MergedOptions& options) {
    auto model = model::MergedModel::open(
        folder, circuit_, {.rounding = options.rounding, .threads = options.threads});
    if (!model) return fail(std::move(model.error()));
    model_ = std::move(*model);
    if (tokenizer_.size() > model_->textTokens())
      return refuse(fmt::format("{}: the tokenizer has {} tokens, the model {}", folder.string(),
                                tokenizer_.size(), model_->textTokens()),
                    "take both files from one checkpoint");
    restart();
    engine_ = engineIn(model_->machine());
    return {};
  }

  const model::Tokenizer& tokenizer() const override { return tokenizer_; }
  Expected<std::vector<float>> read(std::span<const model::TokenId> tokens) override {
    return model_->feed(tokens, text_);
  }
  Expected<std::vector<float>> say(model::TokenId token) override {
    return model_->feed({&token, 1}, text_);
  }
  void restart() override { text_ = model_->newState(); }
  model::TextState mark() const override { return text_; }
  void rewind(const model::TextState& mark) override { text_ = mark; }
  Engine& machine() override { return *engine_; }

 private:
  model::Tokenizer tokenizer_;
  model::Circuit circuit_;
  std::unique_ptr<model::MergedModel> model_;
  std::unique_ptr<Engine> engine_;
  model::TextState text_;
};

}  // namespace

Expected<std::unique_ptr<Partner>> mergedPartner(const std::filesystem::path& folder,
                                                 const MergedOptions& options) {
  auto tokenizer = model::Tokenizer::open(folder / "tokenizer.json");
  if (!tokenizer) return fail(std::move(tokenizer.error()));
  auto circuit = loadCircuit(options.circuit);
  if (!circuit) return fail(std::move(circuit.error()));
  auto partner = std::make_unique<MergedPartner>(std::move(*tokenizer), std::move(*circuit));
  if (auto opened = partner->open(folder, options); !opened) return fail(std::move(opened.error()));
  return partner;
}

}  // namespace qgpu::chat
