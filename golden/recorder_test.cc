// The recorder's judgement, with devices that do what a GPU should not.
#include "golden/recorder/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

namespace qgpu::recorder {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kList =
    "qgpu-launches 1\n"
    "echo {\"source\":\"k.cu\"}\n"
    "launch \"k\"\nmodule k.cu\nsymbol k\ngrid 1 1 1\nblock 2 1 1\nshared 0\n"
    "array int exact 0100000002000000 \"x\"\n"
    "array uint8 multiset 0102 \"y\"\n"
    "array int64 ignored - \"z\"\n"
    "value 07000000\n"
    "record {\"name\":\"k\"}\n";

std::vector<Entry> entriesOf(const std::string& list) {
  std::istringstream in(list);
  std::string complaint;
  const auto entries = readLaunchList(in, complaint);
  return entries.value_or(std::vector<Entry>{});
}
std::string complaintAbout(const std::string& list) {
  std::istringstream in(list);
  std::string complaint;
  readLaunchList(in, complaint);
  return complaint;
}
std::string with(std::string_view from, std::string_view to) {
  std::string text(kList);
  return text.replace(text.find(from), from.size(), to);
}

// Does to the arrays what a test says; `turn` counts the runs from 0.
class ScriptedDevice : public Device {
 public:
  using Script = std::function<std::string(int turn, std::vector<Bytes>& memory)>;
  explicit ScriptedDevice(Script script) : script_(std::move(script)) {}
  std::string name() const override { return "scripted \"device\""; }
  std::string computeCapability() const override { return "0.0"; }
  std::string run(const Launch&, std::vector<Bytes>& memory) override {
    return script_(turn_++, memory);
  }

 private:
  Script script_;
  int turn_ = 0;
};

std::string recordWith(ScriptedDevice::Script script, std::string& reason) {
  ScriptedDevice device(std::move(script));
  return recordLaunch(*entriesOf(std::string(kList))[1].launch, device, reason);
}

TEST(LaunchList, IsRead) {
  const auto entries = entriesOf(std::string(kList));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].echo, "{\"source\":\"k.cu\"}");
  ASSERT_TRUE(entries[1].launch.has_value());
  const Launch& launch = *entries[1].launch;
  EXPECT_EQ(launch.block[0], 2u);
  ASSERT_EQ(launch.parameters.size(), 4u);
  EXPECT_EQ(launch.parameters[1].bytes, (Bytes{1, 2}));
  EXPECT_EQ(launch.parameters[1].mode, Mode::Multiset);
  EXPECT_FALSE(launch.parameters[3].is_array);
}

TEST(LaunchList, WhatIsMalformedIsRefusedWithItsLine) {
  EXPECT_THAT(complaintAbout(""), HasSubstr("line 1"));
  EXPECT_THAT(complaintAbout(with("launches 1", "launches 2")), HasSubstr("line 1"));
  EXPECT_THAT(complaintAbout(with("grid 1 1 1", "grid 1 1")), HasSubstr("line 6: 'grid'"));
  EXPECT_THAT(complaintAbout(with("grid 1 1 1", "grid 1 1 1 1")), HasSubstr("line 6: 'grid'"));
  EXPECT_THAT(complaintAbout(with("shared 0", "shares 0")), HasSubstr("line 8: 'shares'"));
  EXPECT_THAT(complaintAbout(with("0102", "01020")), HasSubstr("line 10: 'array'"));
  EXPECT_THAT(complaintAbout(with("0102", "01g2")), HasSubstr("line 10: 'array'"));
  EXPECT_THAT(complaintAbout(with("array int exact 01", "array int exact ")),
              HasSubstr("line 9: 'array'"));
  EXPECT_THAT(complaintAbout(with("uint8 multiset", "float multiset")), HasSubstr("line 10"));
  EXPECT_THAT(complaintAbout(with("symbol k\n", "")), HasSubstr("'record'"));
  EXPECT_THAT(complaintAbout(with("record {\"name\":\"k\"}\n", "")), HasSubstr("broke off"));
  EXPECT_THAT(complaintAbout(with("launch \"k\"\n", "")), HasSubstr("no launch has begun"));
}

TEST(Recorder, WritesWhatBothRunsComputed) {
  std::string reason;
  const std::string line = recordWith(
      [](int, std::vector<Bytes>& memory) {
        memory[0][kGuardBytes + 3] = 0x80;  // x[0] = -2147483647
        memory[1][kGuardBytes] = 255;
        return "";
      },
      reason);
  EXPECT_EQ(line, R"({"name":"k","expected":{"x":[-2147483647,2],"y":[255,2]}})");
  EXPECT_EQ(reason, "");
}

TEST(Recorder, ElementsInAnotherOrderAreTheSameMultiset) {
  std::string reason;
  recordWith(
      [](int turn, std::vector<Bytes>& memory) {
        if (turn == 1) std::swap(memory[1][kGuardBytes], memory[1][kGuardBytes + 1]);
        return "";
      },
      reason);
  EXPECT_EQ(reason, "");
}

TEST(Recorder, RunsThatDifferAreNotRecorded) {
  for (const std::size_t array : {0, 1}) {
    std::string reason;
    const std::string line = recordWith(
        [array](int turn, std::vector<Bytes>& memory) {
          memory[array][kGuardBytes] = static_cast<std::uint8_t>(turn);
          return "";
        },
        reason);
    EXPECT_THAT(line, HasSubstr("{\"omitted\":\"k\""));
    EXPECT_THAT(reason, HasSubstr("two runs differ"));
  }
}

TEST(Recorder, AWriteBesideAnArrayIsNotRecorded) {
  for (const std::ptrdiff_t at : {std::ptrdiff_t{kGuardBytes} - 1, std::ptrdiff_t{-1}}) {
    for (const int in_turn : {0, 1}) {
      std::string reason;
      recordWith(
          [=](int turn, std::vector<Bytes>& memory) {
            Bytes& x = memory[0];
            if (turn == in_turn) x[at < 0 ? x.size() - kGuardBytes : std::size_t(at)] ^= 1;
            return "";
          },
          reason);
      EXPECT_EQ(reason, "the kernel wrote beside an array");
    }
  }
}

// A kernel that copies what lies beside an array gives another result in the other pattern.
TEST(Recorder, AReadBesideAnArrayIsNotRecorded) {
  std::string reason;
  recordWith(
      [](int, std::vector<Bytes>& memory) {
        memory[0][kGuardBytes] = memory[0][kGuardBytes - 1];
        return "";
      },
      reason);
  EXPECT_THAT(reason, HasSubstr("two runs differ"));
}

TEST(Recorder, ADevicesErrorIsTheReason) {
  std::string reason;
  const std::string line = recordWith(
      [](int turn, std::vector<Bytes>&) { return turn == 0 ? "" : "CUDA_ERROR_X: \"no\""; },
      reason);
  EXPECT_EQ(line, R"({"omitted":"k","reason":"CUDA_ERROR_X: \"no\""})");
}

TEST(Recorder, CountsAndEchoes) {
  ScriptedDevice device([](int turn, auto&) { return turn < 2 ? "" : "broken"; });
  std::ostringstream out, log;
  auto entries = entriesOf(std::string(kList));
  entries.push_back(entries[1]);
  const Totals totals = recordAll(entries, device, out, log);
  EXPECT_EQ(totals.recorded, 1);
  EXPECT_EQ(totals.omitted, 1);
  EXPECT_THAT(out.str(), HasSubstr("{\"source\":\"k.cu\"}\n{\"name\":\"k\""));
  EXPECT_EQ(log.str(), "\"k\" is omitted: broken\n");
  EXPECT_THAT(headerLine(device, {"d", "t", "2026-11-30"}), HasSubstr(R"(scripted \"device\")"));
}

}  // namespace
}  // namespace qgpu::recorder
