// Tasks that end their process, and those that follow them.
#include "fuzz/judge/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace qgpu::fuzz {
namespace {

using ::testing::HasSubstr;

TEST(Apart, EachTaskAnswersForItself) {
  int prepared = 0;
  const auto answers = runApart(
      5, [&] { prepared = 7; },
      [&](std::size_t i) {
        if (i == 1) std::raise(SIGKILL);
        if (i == 2) _exit(3);
        check(i != 3, "three is not asked for");
        return std::string(100'000 * i, 'x') + std::to_string(prepared);
      });
  ASSERT_TRUE(answers.has_value()) << answers.error().text();
  ASSERT_EQ(answers->size(), 5u);
  EXPECT_EQ((*answers)[0].text, "7");
  EXPECT_EQ((*answers)[1].end, "Killed");
  EXPECT_EQ((*answers)[2].end, "exit status 3");
  EXPECT_THAT((*answers)[3].end, HasSubstr("apart_test.cc"));
  EXPECT_THAT((*answers)[3].end, HasSubstr("bug: three is not asked for"));
  EXPECT_EQ((*answers)[4].end, "");
  EXPECT_EQ((*answers)[4].text.size(), 400'001u);
  EXPECT_EQ(prepared, 0) << "tasks change nothing here";
}

TEST(Apart, WhatNeverEndsIsEndedAndWhatOnlyWaitsIsNot) {
  using namespace std::chrono_literals;
  const auto answers = runApart(
      3, {},
      [](std::size_t i) {
        if (i == 0) std::this_thread::sleep_for(150ms);
        for (volatile bool forever = true; i == 1 && forever;) {
        }
        return std::string("done");
      },
      50ms);
  ASSERT_TRUE(answers.has_value()) << answers.error().text();
  EXPECT_EQ((*answers)[0].text, "done");
  EXPECT_EQ((*answers)[1].end, "it ran into its limit of time");
  EXPECT_EQ((*answers)[2].text, "done");
}

TEST(Apart, NoTasksNoAnswers) {
  const auto answers = runApart(0, {}, [](std::size_t) { return std::string(); });
  EXPECT_EQ(answers.value().size(), 0u);
}

}  // namespace
}  // namespace qgpu::fuzz
