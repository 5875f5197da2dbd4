#include "tools/chat/talk/reading.h"

#include <algorithm>

namespace qgpu::chat {

using model::TokenId;

void Reading::note(std::span<const TokenId> tokens) {
  fed_.insert(fed_.end(), tokens.begin(), tokens.end());
  tokens_fed_ += tokens.size();
}

Expected<std::vector<float>> Reading::feed(std::span<const TokenId> tokens) {
  auto logits = partner_.read(tokens);
  if (logits) note(tokens);
  return logits;
}

Expected<std::vector<float>> Reading::append(TokenId token) {
  auto logits = partner_.say(token);
  if (logits) note({&token, 1});
  return logits;
}

// The first two stay: the empty text, and what a conversation begins with.
void Reading::mark() {
  if (marks_.size() == kMarks) marks_.erase(marks_.begin() + 2);
  marks_.push_back({fed_.size(), partner_.mark()});
}

Expected<std::vector<float>> Reading::read(std::span<const TokenId> tokens,
                                           std::span<const std::size_t> stable) {
  const auto agreeing =
      static_cast<std::size_t>(std::ranges::mismatch(fed_, tokens).in1 - fed_.begin());
  // All that was fed may be the beginning; the text must then go on.
  if (agreeing < fed_.size() || agreeing == tokens.size()) {
    while (marks_.back().tokens > agreeing || marks_.back().tokens == tokens.size())
      marks_.pop_back();
    partner_.rewind(marks_.back().state);
    fed_.resize(marks_.back().tokens);
  }
  for (const std::size_t length : stable) {
    check(length < tokens.size(), "something follows what is stable");
    if (fed_.size() >= length) continue;
    auto logits = feed(tokens.subspan(fed_.size(), length - fed_.size()));
    if (!logits) return logits;
    mark();
  }
  return feed(tokens.subspan(fed_.size()));
}

}  // namespace qgpu::chat
