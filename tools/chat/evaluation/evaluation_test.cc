// A whole evaluation by a scripted model, its score, and going on after a stop.
#include "tools/chat/evaluation/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/base/files.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::chat {
namespace {

using ::testing::HasSubstr;

// What a perfect model would say: the reference's call, then the numbers.
std::vector<std::string> perfectAnswers(const Question& question) {
  std::string call = "<tool_call>\n<function=" + question.reference->name + ">\n";
  for (const auto& [key, value] : question.reference->arguments)
    call += "<parameter=" + key + ">\n" + value.get<std::string>() + "\n</parameter>\n";
  std::string answer = "The result:";
  for (const std::int64_t number : question.answer) answer += ' ' + std::to_string(number);
  return {call + "</function>\n</tool_call>", answer};
}

Exchange answered(const Question& question, const std::vector<std::string>& script,
                  Engine& engine) {
  const auto partner = scriptedPartner(script, engine);
  auto conversation =
      Conversation::create(*partner, {.mode = question.mode, .max_tokens = 4096}).value();
  auto exchange = conversation.ask(question.text);
  EXPECT_TRUE(exchange) << question.id << ": " << exchange.error().text();
  return exchange ? *exchange : Exchange{};
}

TEST(Evaluation, APerfectModelHasAllRight) {
  const auto engine = interpreterEngine();
  Evaluation evaluation(ownQuestions(), {{"model", "perfect"}});
  while (const Question* next = evaluation.next())
    ASSERT_TRUE(evaluation.record(*next, answered(*next, perfectAnswers(*next), *engine), 0.5));
  EXPECT_EQ(evaluation.total(Mode::Normal).correct, 24);
  EXPECT_EQ(evaluation.total(Mode::Normal).first_try, 24);
  EXPECT_EQ(evaluation.total(Mode::Advanced).correct, 5);
  const auto json = evaluation.json();
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["score"]["advanced"]["of"], 5);
  EXPECT_EQ(json["questions"].size(), 29u);
  EXPECT_GE(json["questions"][0]["calls"][0]["launches"][0]["tokens"]["model"], 2);
}

TEST(Evaluation, AModelThatGuessesOrErrsIsFoundOut) {
  const auto engine = interpreterEngine();
  const Question question = ownQuestions()[0];
  Evaluation evaluation({question}, {});
  const auto guessed = evaluation.record(question, answered(question, {"32"}, *engine), 1);
  EXPECT_FALSE(guessed->correct());
  EXPECT_EQ(evaluation.total(Mode::Normal).answered, 1);
  EXPECT_EQ(evaluation.total(Mode::Normal).computed, 0);
  auto script = perfectAnswers(question);
  script[1] = "It is 33.";
  EXPECT_FALSE(evaluation.record(question, answered(question, script, *engine), 1)->correct());
  EXPECT_EQ(evaluation.total(Mode::Normal).computed, 1);
}

TEST(Evaluation, GoesOnWhereItStopped) {
  const auto engine = interpreterEngine();
  const model::TemporaryFolder folder;
  const auto file = folder / "result.json";
  const std::vector<Question> all = ownQuestions();
  const std::vector<Question> questions(all.begin(), all.begin() + 3);
  {
    Evaluation first(questions, {{"seed", 1}});
    ASSERT_TRUE(first.resume(file));
    const Question& question = *first.next();
    ASSERT_TRUE(first.record(question, answered(question, perfectAnswers(question), *engine), 1));
  }
  Evaluation second(questions, {{"seed", 1}});
  ASSERT_TRUE(second.resume(file));
  EXPECT_EQ(second.done(), 1u);
  EXPECT_EQ(second.next()->id, questions[1].id);
  EXPECT_EQ(second.total(Mode::Normal).correct, 1);

  Evaluation other_seed(questions, {{"seed", 2}});
  EXPECT_THAT(other_seed.resume(file).error().text(), HasSubstr("another evaluation"));
  Evaluation other_questions(all, {{"seed", 1}});
  EXPECT_FALSE(other_questions.resume(file));

  ASSERT_TRUE(writeFileAtomically(file, "{\"settings\": {}}"));
  EXPECT_THAT(second.resume(file).error().text(), HasSubstr("not the record of an evaluation"));
  ASSERT_TRUE(writeFileAtomically(file, "\xff"));
  EXPECT_FALSE(second.resume(file));
  EXPECT_FALSE(second.resume(folder.path()));
  EXPECT_FALSE(second.resume(folder / "no/such/file"));
}

}  // namespace
}  // namespace qgpu::chat
