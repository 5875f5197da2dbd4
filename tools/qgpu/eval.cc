#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "interpreter/base/progress.h"
#include "tools/chat/evaluation/evaluation.h"
#include "tools/qgpu/exchange_printer.h"
#include "tools/qgpu/partner_options.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

using chat::Mode;

// The texts of a script, by question.
using Answers = std::map<std::string, std::vector<std::string>>;

Expected<Answers> readAnswersById(const std::string& file) {
  const auto text = readFile(file);
  if (!text) return fail(text.error());
  const auto document = parseJson(*text, file);
  if (!document) return fail(document.error());
  const auto wrong = [&] {
    return refuse(file + " is not a list of texts for each question",
                  "write {\"dot\": [\"first answer\", \"second\"]}");
  };
  if (!document->is_object()) return wrong();
  Answers answers;
  for (const auto& [id, texts] : document->items()) {
    if (!texts.is_array()) return wrong();
    for (const auto& one : texts) {
      if (!one.is_string()) return wrong();
      answers[id].push_back(one);
    }
  }
  return answers;
}

class EvalVerb : public Verb {
 public:
  std::string_view name() const override { return "eval"; }
  std::string_view summary() const override {
    return "Ask a model the questions of a file and score its answers";
  }
  std::string_view synopsis() const override {
    return "--model DIR [--questions FILE] [--out FILE] [options]";
  }
  std::string_view example() const override {
    return "  $ qgpu eval --model Qwen3.5-2B --out result.json\n"
           "  normal    dot               correct\n"
           "  ...\n"
           "  normal: C of 24 correct, at first try C; computed C, said C\n"
           "  advanced: C of 5 correct, at first try C; computed C, said C\n"
           "\n"
           "An answer is correct when the last launch held the expected numbers (computed) and "
           "the\n"
           "model said them in their order. With --out the record is written after every\n"
           "question, and the same command goes on where it stopped. tools/eval/questions.json "
           "has\n"
           "the questions, which travel inside the program.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--questions", questions_file_, "other questions than the program's own 29")
        ->type_name("FILE");
    app.add_option("--mode", mode_, "only these")
        ->type_name("normal|advanced")
        ->check(CLI::IsMember({"normal", "advanced"}).description(""));
    app.add_option("--out", out_, "keeps the record here")->type_name("FILE");
    partner_.addTo(app);
  }

  Expected<int> run(const Terminal& terminal) override {
    auto questions = readQuestions();
    if (!questions) return fail(std::move(questions.error()));
    chat::Evaluation evaluation(std::move(*questions), partner_.settings());
    if (auto opened = open(); !opened) return fail(std::move(opened.error()));
    if (!out_.empty())
      if (auto begun = evaluation.resume(out_); !begun) return fail(std::move(begun.error()));
    if (evaluation.done() > 0)
      terminal.note(fmt::format("{} of {} questions are in {} already", evaluation.done(),
                                evaluation.size(), out_));
    if (auto asked = askAll(evaluation, terminal); !asked) return fail(std::move(asked.error()));
    for (const Mode mode : {Mode::Normal, Mode::Advanced}) {
      const chat::Evaluation::Total t = evaluation.total(mode);
      if (t.of > 0)
        terminal.print(fmt::format("{}: {} of {} correct, at first try {}; computed {}, said {}\n",
                                   chat::name(mode), t.correct, t.of, t.first_try, t.computed,
                                   t.answered));
    }
    if (terminal.json()) terminal.object(evaluation.json());
    return kDone;
  }

 private:
  Expected<std::vector<chat::Question>> readQuestions() const {
    std::vector<chat::Question> questions = chat::ownQuestions();
    if (!questions_file_.empty()) {
      const auto text = readFile(questions_file_);
      if (!text) return fail(text.error());
      auto read = chat::parseQuestions(*text, questions_file_);
      if (!read) return read;
      questions = std::move(*read);
    }
    if (!mode_.empty())
      std::erase_if(questions,
                    [&](const chat::Question& q) { return chat::name(q.mode) != mode_; });
    if (questions.empty()) return refuse(fmt::format("there is no {} question", mode_));
    return questions;
  }

  Expected<void> open() {
    if (partner_.scripted()) {
      auto answers = readAnswersById(partner_.answersFile());
      if (!answers) return fail(std::move(answers.error()));
      answers_ = std::move(*answers);
      auto engine = partner_.openEngine();
      if (!engine) return fail(std::move(engine.error()));
      engine_ = std::move(*engine);
      return {};
    }
    auto model = partner_.openModel();
    if (!model) return fail(std::move(model.error()));
    model_ = std::move(*model);
    auto conversation = chat::Conversation::create(*model_, partner_.conversation(Mode::Normal));
    if (!conversation) return fail(std::move(conversation.error()));
    conversation_.emplace(std::move(*conversation));
    return {};
  }

  // One model answers all questions, each in a conversation of its own; a script is a partner of
  // its own for each.
  Expected<chat::Exchange> ask(const chat::Question& question) {
    if (conversation_) {
      conversation_->restart(question.mode);
      return conversation_->ask(question.text);
    }
    const auto partner = chat::scriptedPartner(answers_[question.id], *engine_);
    auto conversation = chat::Conversation::create(*partner, partner_.conversation(question.mode));
    if (!conversation) return fail(std::move(conversation.error()));
    return conversation->ask(question.text);
  }

  Expected<void> askAll(chat::Evaluation& evaluation, const Terminal& terminal) {
    const std::size_t done_before = evaluation.done();
    const auto first = std::chrono::steady_clock::now();
    while (const chat::Question* next = evaluation.next()) {
      const chat::Question question = *next;
      const auto begin = std::chrono::steady_clock::now();
      const auto exchange = ask(question);
      if (!exchange) {
        Failure failure = exchange.error();
        failure.message = fmt::format("question {}: {}", question.id, failure.message);
        return fail(std::move(failure));
      }
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      const auto score = evaluation.record(question, *exchange, taken.count());
      if (!score) return fail(score.error());
      print(question, *exchange, *score, terminal);
      if (isatty(STDERR_FILENO) != 0 && evaluation.next() != nullptr)
        terminal.note(progressLine("questions",
                                   static_cast<std::int64_t>(evaluation.done() - done_before),
                                   static_cast<std::int64_t>(evaluation.size() - done_before),
                                   std::chrono::steady_clock::now() - first));
    }
    return {};
  }

  static void print(const chat::Question& question, const chat::Exchange& exchange,
                    const chat::Score& score, const Terminal& terminal) {
    std::string verdict = "correct";
    if (!score.correct())
      verdict = score.computed   ? "computed, not said"
                : score.answered ? "said, not computed"
                                 : "wrong";
    if (const int failures = exchange.failures(); failures > 0)
      verdict += fmt::format(", {} failed call{}", failures, failures == 1 ? "" : "s");
    terminal.print(
        fmt::format("{:<9} {:<17} {}\n", chat::name(question.mode), harmless(question.id),
                    terminal.styled(verdict, score.correct() ? Style::Green : Style::Red)));
    std::fflush(stdout);
  }

  PartnerOptions partner_;
  std::string questions_file_, mode_, out_;
  Answers answers_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<chat::Partner> model_;
  std::optional<chat::Conversation> conversation_;
};

}  // namespace

std::unique_ptr<Verb> evalVerb() { return std::make_unique<EvalVerb>(); }

}  // namespace qgpu::cli
