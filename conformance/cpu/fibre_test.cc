#include "conformance/cpu/fibre.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace qgpu::cpu {
namespace {

TEST(Fibre, RunsInPieces) {
  std::string log;
  Fibre fibre([&] {
    log += "a";
    Fibre::suspend();
    log += "b";
  });
  EXPECT_TRUE(fibre.resume());
  EXPECT_EQ(log, "a");
  EXPECT_FALSE(fibre.resume());
  EXPECT_EQ(log, "ab");
  EXPECT_FALSE(fibre.resume());
}

TEST(Fibre, ManyKeepTheirOwnStacks) {
  std::vector<std::unique_ptr<Fibre>> fibres;
  std::vector<int> results(50);
  for (int i = 0; i < 50; ++i)
    fibres.push_back(std::make_unique<Fibre>([i, &results] {
      int sum = 0;
      for (int k = 0; k < 10; ++k) {
        sum += i * k;
        Fibre::suspend();
      }
      results[i] = sum;
    }));
  for (bool more = true; more;) {
    more = false;
    for (const auto& fibre : fibres) more |= fibre->resume();
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(results[i], 45 * i);
}

TEST(Fibre, MayResumeAnother) {
  std::string log;
  Fibre inner([&] {
    log += "i";
    Fibre::suspend();
    log += "j";
  });
  Fibre outer([&] {
    inner.resume();
    log += "o";
    Fibre::suspend();
    inner.resume();
  });
  outer.resume();
  EXPECT_EQ(log, "io");
  outer.resume();
  EXPECT_EQ(log, "ioj");
}

TEST(Fibre, OneThatNeverEndsCanBeDropped) {
  Fibre fibre([] {
    for (;;) Fibre::suspend();
  });
  EXPECT_TRUE(fibre.resume());
  EXPECT_TRUE(fibre.resume());
}

}  // namespace
}  // namespace qgpu::cpu
