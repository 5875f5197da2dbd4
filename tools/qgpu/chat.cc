#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "tools/chat/evaluation/evaluation.h"
#include "tools/qgpu/exchange_printer.h"
#include "tools/qgpu/partner_options.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

constexpr std::size_t kLineBytes = 65'536;

// A line of standard input without its end; nothing at its end. Of a longer one than kLineBytes the
// rest is dropped, and `too_long` says so.
std::optional<std::string> readLine(bool& too_long) {
  std::string line;
  too_long = false;
  int c = std::getc(stdin);
  if (c == EOF) return std::nullopt;
  for (; c != EOF && c != '\n'; c = std::getc(stdin)) {
    if (line.size() < kLineBytes)
      line += static_cast<char>(c);
    else
      too_long = true;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// A JSON array of texts.
Expected<std::vector<std::string>> readAnswerList(const std::string& file) {
  const auto text = readFile(file);
  if (!text) return fail(text.error());
  const auto document = parseJson(*text, file);
  if (!document) return fail(document.error());
  std::vector<std::string> answers;
  if (document->is_array())
    for (const auto& answer : *document)
      if (answer.is_string()) answers.push_back(answer);
  if (!document->is_array() || answers.size() != document->size())
    return refuse(file + " is not a list of texts", "write [\"first answer\", \"second\"]");
  return answers;
}

class ChatVerb : public Verb {
 public:
  std::string_view name() const override { return "chat"; }
  std::string_view summary() const override {
    return "Talk to a language model that computes on the machine in its weights";
  }
  std::string_view synopsis() const override { return "--model DIR [--question TEXT] [options]"; }
  std::string_view example() const override {
    return "  $ qgpu chat --model Qwen3.5-2B --question 'What is (1,2,3) times (4,5,6), summed "
           "up?'\n"
           "    [1, 2, 3] @ [4, 5, 6]\n"
           "    dot<<<1, 3>>>: 30 tokens (EXEC 9, VAL 14, PRED 3, MEM 3, HALT 1)\n"
           "    = 32\n"
           "  The dot product is 32.\n"
           "\n"
           "Without --question it talks until the end of its input; /help lists its commands.\n"
           "The words are the model's own; what stands behind `=` is exact.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_flag("--advanced", advanced_, "the model writes CUDA kernels, not expressions");
    app.add_option("--question", question_, "asks this and ends")->type_name("TEXT");
    partner_.addTo(app);
  }

  Expected<int> run(const Terminal& terminal) override {
    if (terminal.json() && question_.empty())
      return refuse("--json answers one question", "give --question TEXT");
    if (auto opened = open(); !opened) return fail(std::move(opened.error()));
    auto conversation = chat::Conversation::create(
        *model_, partner_.conversation(advanced_ ? chat::Mode::Advanced : chat::Mode::Normal));
    if (!conversation) return fail(std::move(conversation.error()));
    if (!question_.empty()) return answer(*conversation, question_, terminal);
    talk(*conversation, terminal);
    return kDone;
  }

 private:
  Expected<void> open() {
    if (partner_.scripted()) {
      auto answers = readAnswerList(partner_.answersFile());
      if (!answers) return fail(std::move(answers.error()));
      auto engine = partner_.openEngine();
      if (!engine) return fail(std::move(engine.error()));
      engine_ = std::move(*engine);
      model_ = chat::scriptedPartner(std::move(*answers), *engine_);
      return {};
    }
    auto model = partner_.openModel();
    if (!model) return fail(std::move(model.error()));
    model_ = std::move(*model);
    return {};
  }

  static Expected<int> answer(chat::Conversation& conversation, std::string_view question,
                              const Terminal& terminal) {
    ExchangePrinter printer(terminal);
    const auto exchange = conversation.ask(question, printer);
    if (!exchange) return fail(exchange.error());
    printer.finish(*exchange);
    if (terminal.json()) {
      Json object = {{"status", "ok"}, {"mode", chat::name(conversation.mode())}};
      object.update(chat::exchangeJson(*exchange));
      terminal.object(object);
    }
    return kDone;
  }

  static void talk(chat::Conversation& conversation, const Terminal& terminal) {
    const bool asked = isatty(STDIN_FILENO) != 0;
    if (asked) terminal.note("ask anything; /help lists the commands, Ctrl-D ends");
    for (;;) {
      if (asked) terminal.print(terminal.styled("> ", Style::Bold));
      std::fflush(stdout);
      bool too_long = false;
      const auto line = readLine(too_long);
      if (!line) break;
      if (too_long) {
        terminal.complain(
            refuse(fmt::format("a question of more than {} bytes", kLineBytes)).value());
        continue;
      }
      if (line->find_first_not_of(" \t") == line->npos) continue;
      if (line->starts_with('/')) {
        if (!command(*line, conversation, terminal)) return;
        continue;
      }
      if (const auto done = answer(conversation, *line, terminal); !done)
        terminal.complain(done.error());
    }
    if (asked) terminal.print("\n");
  }

  // Whether the talk goes on.
  static bool command(const std::string& line, chat::Conversation& conversation,
                      const Terminal& terminal) {
    if (line == "/quit" || line == "/exit") return false;
    if (line == "/advanced" || line == "/normal" || line == "/new") {
      const chat::Mode mode = line == "/new"        ? conversation.mode()
                              : line == "/advanced" ? chat::Mode::Advanced
                                                    : chat::Mode::Normal;
      conversation.restart(mode);
      terminal.note(fmt::format("a new conversation, {}", mode == chat::Mode::Normal
                                                              ? "with expressions"
                                                              : "with CUDA kernels"));
    } else if (line == "/help") {
      terminal.print(
          "/advanced   a new conversation in which the model writes CUDA kernels\n"
          "/normal     a new conversation in which it writes expressions\n"
          "/new        a new conversation in the same mode\n"
          "/quit       the end, as is Ctrl-D; Ctrl-C ends an answer\n");
    } else {
      terminal.note(fmt::format("there is no command {}; /help lists them", harmless(line)));
    }
    return true;
  }

  PartnerOptions partner_;
  bool advanced_ = false;
  std::string question_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<chat::Partner> model_;
};

}  // namespace

std::unique_ptr<Verb> chatVerb() { return std::make_unique<ChatVerb>(); }

}  // namespace qgpu::cli
