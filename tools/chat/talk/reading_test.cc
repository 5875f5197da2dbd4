// Texts that agree with what was fed only in part, read by a random model: the logits must be those
// of the text from its beginning.
#include "tools/chat/talk/reading.h"

#include <gtest/gtest.h>

#include <random>

#include "model/qwen/synthetic.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::chat {
namespace {

using model::TokenId;

TEST(Reading, AnyTextIsReadAsFromItsBeginning) {
  const model::TemporaryFolder folder;
  ASSERT_TRUE(
      model::writeSyntheticCheckpoint(folder.path(), {.config = model::tinyConfig(), .seed = 3}));
  const auto partner = mergedPartner(folder.path(), {}).value();
  const auto fresh = mergedPartner(folder.path(), {}).value();
  const model::TextState empty = fresh->mark();
  Reading reading(*partner);
  std::mt19937 random(1);
  std::vector<TokenId> text{1, 2, 3};
  std::size_t read = 0;
  for (int round = 0; round < 60; ++round) {
    // Cut the text somewhere, or not, and go on.
    if (round % 3 != 0) text.resize(1 + random() % text.size());
    const std::size_t stable = text.size();  // and somewhere before
    for (auto more = 1 + random() % 5; more > 0; --more)
      text.push_back(static_cast<TokenId>(random() % 256));
    read += text.size();
    const auto logits = reading.read(text, {{stable / 2, stable}});
    ASSERT_TRUE(logits);
    fresh->rewind(empty);
    EXPECT_EQ(*logits, fresh->read(text).value()) << "round " << round;
    if (round % 4 == 0) {
      text.push_back(9);
      fresh->rewind(empty);
      EXPECT_EQ(reading.append(9).value(), fresh->read(text).value());
    }
  }
  EXPECT_LT(reading.tokensFed(), read / 2) << "most was not fed again";
}

}  // namespace
}  // namespace qgpu::chat
