#include "model/layers/workers.h"

#include <gtest/gtest.h>

#include <numeric>

namespace qgpu::model {
namespace {

TEST(Workers, EveryElementIsVisitedOnceInEveryLoop) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (std::size_t size = 0; size < 400; ++size) {
      std::vector<int> visits(size);
      workers.forRanges(size, 1 + size % 7, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) ++visits[i];
      });
      ASSERT_EQ(std::accumulate(visits.begin(), visits.end(), 0), static_cast<int>(size));
      for (const int count : visits) ASSERT_EQ(count, 1);
    }
  }
}

TEST(Workers, WorkIsSharedOut) {
  Workers workers(2);
  std::atomic<int> arrived = 0;  // both threads must be inside a range at once for this to end
  workers.forRanges(2, 1, [&](std::size_t, std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace qgpu::model
