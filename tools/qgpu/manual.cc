#include <fmt/format.h>

#include <algorithm>

#include "interpreter/isa/table.h"
#include "tools/manual/manual.h"
#include "tools/qgpu/suggest.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

class ManualVerb : public Verb {
 public:
  std::string_view name() const override { return "manual"; }
  std::string_view summary() const override {
    return "Print the machine's instructions or its tokens as Markdown";
  }
  std::string_view synopsis() const override { return "[instructions|tokens|INSTRUCTION]"; }
  std::string_view example() const override {
    return "  $ qgpu manual mad\n"
           "  ### mad\n\n"
           "  `[@guard] mad rd, a, b, c`\n\n"
           "  rd = a * b + c. Modulo 2^32.\n"
           "  ...\n";
  }

  void addOptions(CLI::App& app) override {
    app.add_option("topic", topic_,
                   "a page, or the name of one instruction; without it, the "
                   "instructions")
        ->type_name("TOPIC");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto text = page();
    if (!text) return fail(text.error());
    terminal.print(*text);
    if (terminal.json())
      terminal.object({{"status", "ok"}, {"topic", topic_}, {"markdown", *text}});
    return kDone;
  }

 private:
  Expected<std::string> page() const {
    if (topic_ == "instructions") return manual::instructionPage();
    if (topic_ == "tokens") return manual::tokenPage();
    if (const auto op = isa::opcodeNamed(topic_)) return manual::instructionEntry(*op);
    std::vector<std::string> topics = {"instructions", "tokens"};
    for (const isa::Row& r : isa::rows()) topics.emplace_back(r.name);
    const std::string near = nearest(topic_, topics);
    return refuse(fmt::format("the manual has no '{}'", topic_),
                  near.empty() ? "say instructions, tokens, or the name of an instruction"
                               : fmt::format("did you mean `qgpu manual {}`?", near));
  }

  std::string topic_ = "instructions";
};

}  // namespace

std::unique_ptr<Verb> manualVerb() { return std::make_unique<ManualVerb>(); }

}  // namespace qgpu::cli
