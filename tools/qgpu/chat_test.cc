// chat and eval as a user's shell sees them, with a script in place of a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string calculation(const std::string& expression) {
  return "<tool_call>\n<function=calculate>\n<parameter=expression>\n" + expression +
         "\n</parameter>\n</function>\n</tool_call>";
}
std::string launch(const std::string& kernel) {
  return "<tool_call>\n<function=cuda>\n<parameter=kernel>\n" + kernel +
         "\n</parameter>\n<parameter=grid>\n1\n</parameter>\n<parameter=block>\n4\n</parameter>\n"
         "<parameter=arguments>\n{\"a\": [1, 2, 3, 4]}\n</parameter>\n</function>\n</tool_call>";
}

class ChatCommandTest : public CommandTest {
 protected:
  std::vector<std::string> chat(const Json& answers, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"chat", "--answers",
                                          folder_.write("answers.json", answers.dump())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// In the weights, as by default.
TEST_F(ChatCommandTest, OneQuestion) {
  const Json answers = {calculation("[1, 2, 3] @ [4, 5, 6]"), "It is 32."};
  const Outcome outcome = runCommand(chat(answers, {"--question", "How much?"}));
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("  [1, 2, 3] @ [4, 5, 6]\n  dot<<<1, 3>>>: "));
  EXPECT_THAT(outcome.out, HasSubstr("HALT 1)\n  = 32\nIt is 32.\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b"))) << "no colour in a pipe";
  EXPECT_EQ(outcome.error, "");
}

TEST_F(ChatCommandTest, OneQuestionAsJson) {
  const Json answers = {calculation("sum([1, 2])"), "3"};
  const Json result =
      object(runCommand(chat(answers, {"--question", "?", "--json", "--engine", "interpreter"})));
  EXPECT_EQ(result["status"], "ok");
  EXPECT_EQ(result["answer"], "3");
  EXPECT_EQ(result["calls"][0]["response"], "3");
  EXPECT_EQ(result["calls"][0]["launches"][0]["kernel"], "sum");
}

TEST_F(ChatCommandTest, AdvancedShowsErrorKernelAndTokens) {
  const Json answers = {launch("__global__ void k(int *a) { a[threadIdx.x] = x; }"),
                        launch("__global__ void k(int *a) { a[threadIdx.x] *= 2; }"), "Done."};
  const Outcome outcome =
      runCommand(chat(answers, {"--question", "?", "--advanced", "--engine", "interpreter"}));
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out,
              HasSubstr("  ! kernel.cu:1:46: error: use of undeclared identifier 'x'"));
  EXPECT_THAT(outcome.out, HasSubstr("  __global__ void k(int *a) { a[threadIdx.x] *= 2; }"));
  EXPECT_THAT(outcome.out, HasSubstr("EXEC 0 0 1111 | "));
  EXPECT_THAT(outcome.out, HasSubstr("  = a = [2, 4, 6, 8]\nDone.\n"));
}

TEST_F(ChatCommandTest, ATalkByLines) {
  const std::string input =
      folder_.write("input", "/help\nhello\n\n/advanced\n/nothing\n\xff\xfe\n" +
                                 std::string(70'000, 'x') + "\nhow\r\n/quit\nnever\n");
  const Outcome outcome = runCommand(chat({"Good day.", "So."}, {}), input);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("/advanced   a new conversation"));
  EXPECT_THAT(outcome.out, HasSubstr("Good day.\nSo.\n"));
  EXPECT_THAT(outcome.error, HasSubstr("with CUDA kernels"));
  EXPECT_THAT(outcome.error, HasSubstr("there is no command /nothing"));
  EXPECT_THAT(outcome.error, HasSubstr("UTF-8"));
  EXPECT_THAT(outcome.error, HasSubstr("more than 65536 bytes"));
}

TEST_F(ChatCommandTest, TheInputMayEndInTheMiddle) {
  const Outcome cut = runCommand(chat({"Yes."}, {}), folder_.write("input", "is it"));
  EXPECT_EQ(cut.status, 0);
  EXPECT_EQ(cut.out, "Yes.\n");
  EXPECT_EQ(runCommand(chat(Json::array(), {})).status, 0) << "no input at all";
}

TEST_F(ChatCommandTest, ATerminalObeysNoModel) {
  const Outcome outcome = runCommand(chat({"a\x1b[31mb\x07"}, {"--question", "?"}));
  EXPECT_EQ(outcome.out, "a\xef\xbf\xbd[31mb\xef\xbf\xbd\n");
}

TEST_F(ChatCommandTest, WhatCannotBeIsRefused) {
  const auto refused = [&](const std::vector<std::string>& arguments, const char* message) {
    const Outcome outcome = runCommand(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.error, HasSubstr(message));
  };
  refused({"chat"}, "give --model DIR");
  refused({"eval"}, "give --model DIR");
  refused({"chat", "--model", "no/such/folder"}, "there is no folder 'no/such/folder'");
  refused({"eval", "--model", folder_.path().string()}, "tokenizer.json");
  refused({"chat", "--answers", "no.json"}, "cannot open");
  refused({"chat", "--answers", folder_.write("a.json", "{}")}, "not a list of texts");
  refused({"chat", "--answers", folder_.write("b.json", "[1]")}, "not a list of texts");
  refused({"eval", "--answers", folder_.write("c.json", "[]")}, "not a list of texts");
  refused(chat(Json::array(), {"--json"}), "give --question");
  refused(chat(Json::array(), {"--model", "x", "--question", "?"}), "stands in for a model");
  refused(chat(Json::array(), {"--question", "?"}), "the script ends after 0 answers");
  refused(chat({"x"}, {"--question", "\xff"}), "UTF-8");
  refused(chat(Json::array(), {"--temperature", "-1"}), "--temperature");
  refused(chat(Json::array(), {"--temperature", "nan"}), "--temperature");
  refused({"eval", "--questions", "no.json", "--answers", folder_.write("d.json", "{}")},
          "cannot open");
}

TEST_F(ChatCommandTest, EvalScoresKeepsItsRecordAndGoesOn) {
  const std::string questions =
      folder_.write("questions.json",
                    R"({"normal": [{"id": "two", "question": "1 + 1?", "answer": [2]},
                     {"id": "three", "question": "1 + 2?", "answer": [3]}]})");
  const std::string out = (folder_.path() / "result.json").string();
  const std::string answers = folder_.write(
      "eval.json", Json{{"two", {calculation("1 + 1"), "Two, 2."}}, {"three", {"3"}}}.dump());
  const std::vector<std::string> arguments = {"eval",      "--questions", questions,
                                              "--answers", answers,       "--out",
                                              out,         "--engine",    "interpreter"};
  const Outcome outcome = runCommand(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("normal    two               correct\n"));
  EXPECT_THAT(outcome.out, HasSubstr("normal    three             said, not computed\n"));
  EXPECT_THAT(outcome.out, HasSubstr("normal: 1 of 2 correct, at first try 1; computed 1, said 2"));

  Json record = Json::parse(readFile(out).value());
  EXPECT_EQ(record["complete"], true);
  record["questions"].erase(1);
  folder_.write("result.json", record.dump());
  const Outcome again = runCommand(arguments);
  EXPECT_THAT(again.error, HasSubstr("1 of 2 questions are in"));
  EXPECT_THAT(again.out, Not(HasSubstr("two   ")));
  EXPECT_THAT(again.out, HasSubstr("normal: 1 of 2 correct"));

  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--seed", "7"});
  EXPECT_EQ(runCommand(other).status, 2);
}

}  // namespace
}  // namespace qgpu::testing
