// Feeding a conversation that is rendered anew for every answer, each token once where possible.
//
//   Reading reading(partner);
//   auto logits = reading.read(whole_text, {{stable}});  // feeds what is new of it
//   logits = reading.append(token);                     // an answer, token by token
//
// The chat format drops parts of earlier answers, so the next text may differ from what was fed. A
// recurrent state cannot be cut back; the reading keeps marks, and goes on from the last one that
// the new text agrees with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/chat/talk/partner.h"

namespace qgpu::chat {

class Reading {
 public:
  // Begins with no text.
  explicit Reading(Partner& partner) : partner_(partner) {
    partner.restart();
    marks_.push_back({0, partner.mark()});
  }

  // The logits after `tokens`. Each of `stable`, in order and below tokens.size(), is a length at
  // which the next text may part from this one: marks are kept there.
  Expected<std::vector<float>> read(std::span<const model::TokenId> tokens,
                                    std::span<const std::size_t> stable);
  Expected<std::vector<float>> append(model::TokenId token);

  std::size_t tokensFed() const { return tokens_fed_; }  // in all, of every call

 private:
  struct Mark {
    std::size_t tokens = 0;
    model::TextState state;
  };
  static constexpr std::size_t kMarks = 5;  // each is a copy of the state

  Expected<std::vector<float>> feed(std::span<const model::TokenId> tokens);
  void mark();
  void note(std::span<const model::TokenId> tokens);

  Partner& partner_;
  std::vector<model::TokenId> fed_;
  std::vector<Mark> marks_;  // in order; the first one is the empty text
  std::size_t tokens_fed_ = 0;
};

}  // namespace qgpu::chat
