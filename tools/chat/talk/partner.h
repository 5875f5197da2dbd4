// Who talks: a model that text can be fed to token by token, and the machine in it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/qwen/text_model.h"
#include "model/text/tokenizer.h"
#include "tools/api/engine.h"

namespace qgpu::chat {

class Partner {
 public:
  virtual ~Partner() = default;

  virtual const model::Tokenizer& tokenizer() const = 0;
  // Appends what others wrote to the text; the logits after the last token.
  virtual Expected<std::vector<float>> read(std::span<const model::TokenId> tokens) = 0;
  // Appends a token of its own.
  virtual Expected<std::vector<float>> say(model::TokenId token) = 0;
  // Comes before what is read for a new answer.
  virtual Expected<void> beginAnswer() { return {}; }

  // Forgets the text.
  virtual void restart() = 0;
  // The text so far, and going back to it.
  virtual model::TextState mark() const = 0;
  virtual void rewind(const model::TextState& mark) = 0;

  // Where launches run. They leave no trace in the text.
  virtual Engine& machine() = 0;
};

struct MergedOptions {
  std::filesystem::path circuit = {};  // the machine's weights; empty: those of this build
  model::Rounding rounding = model::Rounding::Bfloat16;
  int threads = 1;
};

// A base model's folder and the circuit as one model (model/merged). Refused: folders and files
// that are not sound, and tokenizers that lack the chat's control tokens.
Expected<std::unique_ptr<Partner>> mergedPartner(const std::filesystem::path& folder,
                                                 const MergedOptions& options);

// A stand-in that says given texts, one for each answer, whatever it is asked: for tests and
// demonstrations without weights. It speaks in tokens of single bytes and through logits as any
// model, so that all of the chat but the language model is at work. Refused when it has nothing
// more to say, or when what it would say is forbidden. `engine` must outlive it.
std::unique_ptr<Partner> scriptedPartner(std::vector<std::string> answers, Engine& engine);

}  // namespace qgpu::chat
