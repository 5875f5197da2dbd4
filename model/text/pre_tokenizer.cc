#include "model/text/pre_tokenizer.h"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

namespace qgpu::model {
namespace {

// ICU's \s lacks vertical tab and next line, which Oniguruma's has; the property is what both mean.
icu::UnicodeString patternForIcu() {
  std::string pattern(kQwenSplitPattern);
  const auto replaceAll = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = pattern.find(from); at != std::string::npos;
         at = pattern.find(from, at + to.size()))
      pattern.replace(at, from.size(), to);
  };
  replaceAll(R"(\s)", R"(\p{White_Space})");
  replaceAll(R"(\S)", R"(\P{White_Space})");
  return icu::UnicodeString::fromUTF8(pattern);
}

tl::unexpected<Failure> refuseIcu(UErrorCode status) {
  return refuse(fmt::format("the text cannot be split into words: {}", u_errorName(status)),
                "shorten it");
}

}  // namespace

struct PreTokenizer::Icu {
  const icu::Normalizer2* nfc = nullptr;
  std::unique_ptr<icu::RegexPattern> pattern;
};

PreTokenizer::PreTokenizer() : icu_(std::make_unique<Icu>()) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError where;
  icu_->nfc = icu::Normalizer2::getNFCInstance(status);
  icu_->pattern.reset(icu::RegexPattern::compile(patternForIcu(), where, status));
  check(U_SUCCESS(status), "ICU has form C and compiles the split pattern");
}
PreTokenizer::~PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;

Expected<std::vector<std::string>> PreTokenizer::split(std::string_view text) const {
  if (text.size() > static_cast<std::size_t>(INT32_MAX) / 4)
    return refuse("the text is too long", "shorten it");
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString normalised = icu_->nfc->normalize(
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())}), status);
  const std::unique_ptr<icu::RegexMatcher> matcher(icu_->pattern->matcher(normalised, status));
  if (U_FAILURE(status)) return refuseIcu(status);

  std::vector<std::string> pieces;
  const auto add = [&](std::int32_t begin, std::int32_t end) {
    if (begin < end)
      normalised.tempSubStringBetween(begin, end).toUTF8String(pieces.emplace_back());
  };
  std::int32_t last = 0;
  while (matcher->find(status)) {
    const std::int32_t begin = matcher->start(status);
    add(last, begin);  // what no alternative matches is a piece too
    last = matcher->end(status);
    add(begin, last);
  }
  if (U_FAILURE(status)) return refuseIcu(status);
  add(last, normalised.length());
  return pieces;
}

}  // namespace qgpu::model
