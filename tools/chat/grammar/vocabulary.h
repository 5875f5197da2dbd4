// The byte strings of a tokenizer's tokens, in an order in which neighbours share their beginnings.
//
//   auto vocabulary = Vocabulary::create(tokenizer);            // Expected<Vocabulary>
//   vocabulary->allowed(recogniser, 100, tokens);               // ids that may stand next
//
// Walking 248,044 tokens from their common beginnings costs a step of the recogniser for each
// beginning that is possible at all, which is few of them inside an expression.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/text/tokenizer.h"
#include "tools/chat/grammar/call_grammar.h"

namespace qgpu::chat {

class Vocabulary {
 public:
  // `tokenizer` must outlive the vocabulary. Refused: one that has no token for some single byte.
  static Expected<Vocabulary> create(const model::Tokenizer& tokenizer);

  // The tokens after which the grammar's end can be reached with at most `budget` - 1 more. A
  // budget of end().size() allows at least one token; added tokens are never among them.
  void allowed(const Recogniser& at, std::size_t budget, std::vector<model::TokenId>& tokens) const;

 private:
  struct Entry {
    std::string_view bytes;
    std::size_t shared = 0;  // bytes in common with the entry before
    model::TokenId token = 0;
  };
  std::vector<Entry> entries_;  // in the order of their bytes
};

// Whether the end can be reached from `at` with at most `budget` tokens, one for each byte.
bool endsWithin(const Recogniser& at, std::size_t budget);

}  // namespace qgpu::chat
