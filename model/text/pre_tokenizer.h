// From text to the pieces that byte-pair encoding works on: Unicode normalisation form C, then
// Qwen3.5's regular expression, both by ICU.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::model {

// The expression as tokenizer.json spells it, in Oniguruma's syntax.
inline constexpr std::string_view kQwenSplitPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

class PreTokenizer {
 public:
  PreTokenizer();
  ~PreTokenizer();
  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;

  // The pieces of well-formed UTF-8 text, in order; together they are its normalisation form C.
  Expected<std::vector<std::string>> split(std::string_view text) const;

 private:
  struct Icu;
  std::unique_ptr<Icu> icu_;
};

}  // namespace qgpu::model
