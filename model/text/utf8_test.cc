#include "model/text/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unicode/unistr.h>

namespace qgpu::model {
namespace {

// ICU replaces malformed parts by the same rule (Unicode 3.9, D93b: maximal subparts).
std::string lossyByIcu(const std::string& bytes) {
  std::string result;
  icu::UnicodeString::fromUTF8(bytes).toUTF8String(result);
  return result;
}

std::string spiked(const std::string& seed) {  // bytes that make long broken sequences likely
  static const unsigned char interesting[] = {0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xa0, 0x9f,
                                              0xed, 0xef, 0xf0, 0x90, 0x8f, 0xf4, 0xf5, 0xff};
  std::string result;
  for (const char c : seed)
    result += static_cast<char>(interesting[static_cast<unsigned char>(c) % 16]);
  return result;
}

RC_GTEST_PROP(Utf8, LossyAgreesWithIcu, (const std::string& seed)) {
  RC_ASSERT(lossyUtf8(spiked(seed)) == lossyByIcu(spiked(seed)));
  RC_ASSERT(lossyUtf8(seed) == lossyByIcu(seed));
}

TEST(Utf8, EveryPairAndTripleAgreesWithIcu) {
  for (int lead = 0xc0; lead < 0x100; ++lead) {
    for (int second = 0x70; second < 0x100; ++second) {
      const std::string pair = {static_cast<char>(lead), static_cast<char>(second)};
      ASSERT_EQ(lossyUtf8(pair), lossyByIcu(pair)) << lead << " " << second;
      for (const int third : {0x41, 0x7f, 0x80, 0xbf, 0xc0}) {
        const std::string triple = pair + static_cast<char>(third);
        ASSERT_EQ(lossyUtf8(triple), lossyByIcu(triple)) << lead << " " << second << " " << third;
      }
    }
  }
}

RC_GTEST_PROP(Utf8, StreamsAddUpAndNeverSplitCharacters, (const std::string& seed, unsigned cuts)) {
  const std::string bytes = spiked(seed) + "\xf0\x9f\x91\x8d\xe4\xbd\xa0";
  Utf8Stream stream;
  std::string result;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = 1 + (cuts >> (i % 29)) % 3;
    const std::string piece = stream.add(std::string_view(bytes).substr(i, length));
    RC_ASSERT(findInvalidUtf8(piece) == std::string::npos);
    result += piece;
    i += length;
  }
  RC_ASSERT(result + stream.finish() == lossyUtf8(bytes));
}

TEST(Utf8, ValidTextPassesThroughAtOnce) {
  Utf8Stream stream;
  EXPECT_EQ(stream.add("a\xe4\xbd"), "a");
  EXPECT_EQ(stream.add("\xa0"), "\xe4\xbd\xa0");
  EXPECT_EQ(stream.add("\xc3"), "");
  EXPECT_EQ(stream.finish(), "\xef\xbf\xbd");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(findInvalidUtf8("ab\xff"), 2u);
}

}  // namespace
}  // namespace qgpu::model
