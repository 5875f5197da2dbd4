// Failures as people and scripts see them.
#include "interpreter/base/failure.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "interpreter/base/bug_reporter.h"

namespace qgpu {
namespace {

TEST(FailureTest, TextNamesThePlaceAsFarAsItIsKnown) {
  const auto text = [](Location where, std::string hint) {
    return Failure{FailureKind::Refusal, std::move(where), "no", std::move(hint)}.text();
  };
  EXPECT_EQ(text({"f", 3, 4}, "yes"), "f:3:4: error: no; yes");
  EXPECT_EQ(text({"f", 3, 0}, ""), "f:3: error: no");
  EXPECT_EQ(text({"f", 0, 0}, ""), "f: error: no");
  EXPECT_EQ(text({}, ""), "error: no");
  EXPECT_EQ(trap("out of range").value().text(), "trap: out of range");
}

TEST(FailureTest, WhatAFileHoldsCannotSteerATerminal) {
  Failure failure;
  failure.location.file = "a\x1b[2Jb";
  failure.message = std::string("\0\r\x7f \t\n\u00e9", 8);
  failure.hint = "x\x07";
  EXPECT_EQ(failure.text(), "a\\x1b[2Jb: error: \\x00\\x0d\\x7f \t\n\u00e9; x\\x07");
}

TEST(FailureTest, EachKindHasItsNameAndExitStatus) {
  EXPECT_EQ(name(FailureKind::Refusal), "refusal");
  EXPECT_EQ(name(FailureKind::Trap), "trap");
  EXPECT_EQ(name(FailureKind::Bug), "bug");
  EXPECT_EQ(exitStatus(FailureKind::Refusal), 2);
  EXPECT_EQ(exitStatus(FailureKind::Trap), 3);
  EXPECT_EQ(exitStatus(FailureKind::Bug), 4);
}

TEST(FailureDeathTest, AFalseBeliefEndsTheProcess) {
  check(true, "true");
  EXPECT_EXIT(check(false, "two is three"), ::testing::ExitedWithCode(4),
              "failure_test.cc:[0-9]+: bug: two is three");
}

TEST(FailureDeathTest, AProgramMaySayItInItsOwnWay) {
  const auto reported = [] {
    setBugReporter([](const Failure& failure) {
      std::fprintf(stderr, "%d {%s}\n", exitStatus(failure.kind), failure.message.c_str());
    });
    bug("two is three");
  };
  EXPECT_EXIT(reported(), ::testing::ExitedWithCode(4), "^4 \\{two is three\\}\n$");
}

}  // namespace
}  // namespace qgpu
