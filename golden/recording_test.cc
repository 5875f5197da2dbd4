// The reader of recordings: what it takes, and that it refuses all else with the line.
#include "golden/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/base/sha256.h"

namespace qgpu::golden {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHeader =
    R"({"qgpu_golden":1,"device":"Tesla T4","compute_capability":"7.5","driver":"535.183.01",)"
    R"("toolkit":"13.0","date":"2026-11-30"})";
constexpr std::string_view kLaunch =
    R"({"name":"one","kernel":"one.cu","entry":"one","grid":[1,1,1],"block":[1,1,1],)"
    R"("params":[{"name":"x","kind":"array","elem":"int","length":1,"data":[0]}],)"
    R"("expect":"pass","expected":{"x":[1]}})";
const SourceText kSource{"one.cu", "__global__ void one(int* x) { *x = 1; }\n"};

std::string recordingOf(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return sealed(text);
}
std::string sound() {
  return recordingOf({std::string(kHeader), sourceLine(kSource), std::string(kLaunch),
                      omissionLine({"two", "the kernel wrote \"beside\" an array"})});
}
std::string refusalOf(const std::string& text, Origin origin = Origin::Device) {
  const auto recording = parseRecording(text, "r.jsonl", origin);
  return recording ? "" : recording.error().text();
}
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  check(at != text.npos, "the text to alter is there");
  return text.replace(at, from.size(), to);
}
// A sound recording with one line altered and the seal made again.
std::string refusalWith(std::size_t line, std::string_view from, std::string_view to) {
  std::vector<std::string> lines = {std::string(kHeader), sourceLine(kSource), std::string(kLaunch),
                                    omissionLine({"two", "why"})};
  lines[line - 1] = with(lines[line - 1], from, to);
  return refusalOf(recordingOf(lines));
}

TEST(Recording, IsReadAsItWasWritten) {
  const auto recording = parseRecording(sound(), "r.jsonl");
  ASSERT_TRUE(recording.has_value()) << recording.error().text();
  EXPECT_EQ(recording->device.device, "Tesla T4");
  EXPECT_EQ(recording->device.compute_capability, "7.5");
  EXPECT_EQ(recording->device.driver, "535.183.01");
  EXPECT_EQ(recording->device.toolkit, "13.0");
  EXPECT_EQ(recording->device.date, "2026-11-30");
  EXPECT_EQ(recording->sources, std::vector{kSource});
  ASSERT_EQ(recording->goldens.size(), 1u);
  EXPECT_EQ(recording->goldens[0].line, 3);
  EXPECT_EQ(recording->goldens[0].test_case.expected.at("x"),
            (std::vector<std::uint8_t>{1, 0, 0, 0}));
  ASSERT_EQ(recording->omissions.size(), 1u);
  EXPECT_EQ(recording->omissions[0].reason, "the kernel wrote \"beside\" an array");
}

TEST(Recording, ALaunchLineIsReadBackAsItsCase) {
  const auto recording = parseRecording(sound(), "r.jsonl");
  ASSERT_TRUE(recording.has_value());
  EXPECT_EQ(launchLine(recording->goldens[0].test_case), kLaunch);
}

TEST(Recording, OneAlteredByteAnywhereIsNoticed) {
  const std::string text = sound();
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char flip : {'\x01', '\x10', '\x80'}) {
      std::string altered = text;
      altered[i] = static_cast<char>(altered[i] ^ flip);
      EXPECT_NE(refusalOf(altered), "") << "byte " << i;
    }
}

TEST(Recording, OneThatBreaksOffIsNoticed) {
  const std::string text = sound();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(refusalOf(text.substr(0, length)), "") << length;
  EXPECT_NE(refusalOf(text + text), "");
  EXPECT_NE(refusalOf(text + '\n'), "");
}

TEST(Recording, AFixtureIsNoRecording) {
  const std::string fixture = recordingOf({with(std::string(kHeader), "Tesla T4", kFixtureDevice),
                                           sourceLine(kSource), std::string(kLaunch)});
  EXPECT_THAT(refusalOf(fixture), HasSubstr("r.jsonl:1:1: error: this is a test's fixture"));
  EXPECT_EQ(refusalOf(fixture, Origin::Fixture), "");
  EXPECT_THAT(refusalOf(sound(), Origin::Fixture), HasSubstr("not a fixture"));
  // Each of its two marks is enough.
  EXPECT_THAT(refusalWith(1, "\"7.5\"", "\"0.0\""), HasSubstr("a test's fixture"));
}

TEST(Recording, WhatItDoesNotKnowItRefusesWithTheLine) {
  EXPECT_THAT(refusalWith(1, "\"qgpu_golden\":1", "\"qgpu_golden\":2"), HasSubstr("r.jsonl:1:1"));
  EXPECT_THAT(refusalWith(1, "2026-11-30", "2026-13-30"), HasSubstr("is no date"));
  EXPECT_THAT(refusalWith(1, "7.5", "seven"), HasSubstr("is no compute capability"));
  EXPECT_THAT(refusalWith(1, "Tesla T4", ""), HasSubstr("empty name"));
  EXPECT_THAT(refusalWith(1, R"("driver":"535.183.01",)", ""), HasSubstr("'driver' is missing"));
  EXPECT_THAT(refusalWith(2, "*x = 1", "*x = 2"), HasSubstr("r.jsonl:2:1"));
  EXPECT_THAT(refusalWith(2, "*x = 1", "*x = 2"), HasSubstr("another SHA-256"));
  EXPECT_THAT(refusalWith(3, "\"one.cu\"", "\"two.cu\""), HasSubstr("no source 'two.cu'"));
  EXPECT_THAT(refusalWith(3, R"("x":[1])", ""), HasSubstr("has no outputs"));
  EXPECT_THAT(refusalWith(3, R"("x":[1])", R"("x":[1,2])"), HasSubstr("r.jsonl:3:"));
  EXPECT_THAT(refusalWith(3, R"("x":[1])", R"("y":[1])"), HasSubstr("is not an array"));
  EXPECT_THAT(refusalWith(3, R"("expect":"pass")", R"("expect":"reject")"),
              HasSubstr("cannot want a refusal"));
  EXPECT_THAT(refusalWith(3, R"("grid")", R"("topic":"t","grid")"),
              HasSubstr("'topic' is not known"));
  EXPECT_THAT(refusalWith(3, R"(,"data":[0])", ""), HasSubstr("no data"));
  EXPECT_THAT(refusalWith(3, R"({"name":"one",)", R"({"name":"one","name":"one",)"),
              HasSubstr("given twice"));
  EXPECT_THAT(refusalWith(4, "\"two\"", "\"one\""), HasSubstr("a second launch"));
  EXPECT_THAT(refusalWith(4, "}", ""), HasSubstr("r.jsonl:4:"));
}

TEST(Recording, TheLinesHaveTheirOrder) {
  const std::string header(kHeader), launch(kLaunch), source = sourceLine(kSource);
  EXPECT_THAT(refusalOf(recordingOf({source, launch})), HasSubstr("which device"));
  EXPECT_THAT(refusalOf(recordingOf({header, launch, source})), HasSubstr("no source"));
  EXPECT_THAT(refusalOf(recordingOf({header, header})), HasSubstr("a second header"));
  EXPECT_THAT(refusalOf(recordingOf({header, source, source})), HasSubstr("a second source"));
  EXPECT_THAT(refusalOf(recordingOf({header, source, launch, launch})),
              HasSubstr("a second launch"));
  EXPECT_THAT(refusalOf(recordingOf({header, "[]"})), HasSubstr("not an object"));
}

TEST(Recording, OneWithoutALaunchIsNone) {
  EXPECT_THAT(refusalOf(recordingOf({std::string(kHeader), omissionLine({"two", "why"})})),
              HasSubstr("no launch was recorded"));
}

TEST(Recording, TheLastLineCountsTheLaunches) {
  const std::string body = std::string(kHeader) + '\n' + sourceLine(kSource) + '\n';
  EXPECT_THAT(refusalOf(body + "{\"end\":1,\"sha256\":\"" + sha256(body) + "\"}\n"),
              HasSubstr("there are 0 launches, the last line says 1"));
}

}  // namespace
}  // namespace qgpu::golden
