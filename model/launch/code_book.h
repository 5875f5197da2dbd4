// The final layer of a circuit: which token has which code, and which token's logit is largest.
//
//   CodeBook book(circuit.unembedding);
//   book.token(code);                     // kNone where no token has it
//   book.largestLogit(residual);          // the first of equals
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/weights/circuit.h"

namespace qgpu::model {

class CodeBook {
 public:
  static constexpr std::int32_t kNone = -1;

  // `head` must outlive the book.
  explicit CodeBook(const Unembedding& head);

  std::int32_t token(std::uint32_t code) const { return tokens_[code]; }

  // A logit is the sum of +x or -x over the dims of the code, in their order; the final norm's
  // positive scale is common to all. The sums of codes that begin alike are formed once: those of
  // the first dims in a table, then, dim by dim and depth first, those of the others, so that what
  // is added to stays in the first-level cache.
  std::int32_t largestLogit(std::span<const float> x) const;

 private:
  struct Search;

  const Unembedding& head_;
  std::size_t first_dims_;                   // of the table
  std::vector<std::int32_t> tokens_;         // of each code
  std::int32_t codeless_ = kNone;            // the first token without a code: its logit is 0
  std::vector<std::vector<bool>> has_code_;  // [dims after the first][what those dims' bits are]
};

}  // namespace qgpu::model
