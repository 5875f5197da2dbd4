#include "interpreter/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>

namespace qgpu {
namespace {

TEST(Threads, AsManyAsAreAskedFor) {
  for (const int count : {0, 1, 3}) {
    std::vector<std::thread> threads;
    std::atomic<int> ran = 0;
    startThreads(threads, count, [&] { ++ran; });
    EXPECT_EQ(threads.size(), static_cast<std::size_t>(count));
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ran, count);
  }
}

}  // namespace
}  // namespace qgpu
