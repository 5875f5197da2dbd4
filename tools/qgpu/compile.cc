#include <fmt/format.h>

#include "interpreter/base/files.h"
#include "interpreter/isa/assembly.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/launch_options.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

class CompileVerb : public Verb {
 public:
  std::string_view name() const override { return "compile"; }
  std::string_view summary() const override { return "Compile a kernel and say what it needs"; }
  std::string_view synopsis() const override { return "FILE [options]   or   --case CASE.json"; }
  std::string_view example() const override {
    return "  $ qgpu compile dot.cu --report\n"
           "  dot, grid [1, 1, 1], block [4, 1, 1]\n"
           "    blocks             1 of 32\n"
           "    slots              4 of 4 in those blocks\n"
           "    ...\n"
           "  $ qgpu compile dot.cu --ptx | ptxas -arch=sm_75 -o dot.cubin -\n";
  }
  void addOptions(CLI::App& app) override {
    launch_.addTo(app);
    auto* report = app.add_flag("--report", report_, "what the program uses (the default)");
    auto* ptx = app.add_flag("--ptx", ptx_, "print the PTX instead");
    app.add_flag("--asm", assembly_, "print the machine's assembly instead; disasm adds the source")
        ->excludes(ptx)
        ->excludes(report);
    ptx->excludes(report);
    app.add_option("--out", out_, "write to a file, at once or not at all")->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto prepared =
        ptx_ ? launch_.load(terminal) : launch_.prepare(terminal, Arguments::Optional);
    if (!prepared) return fail(prepared.error());
    if (auto apart = launch_.keepApart(out_, *prepared); !apart)
      return fail(std::move(apart.error()));
    if (ptx_) return deliver(terminal, prepared->kernel.ptx, "ptx");
    const auto program = compileFor(terminal, *prepared);
    if (!program) return fail(program.error());
    if (assembly_) return deliver(terminal, isa::disassemble(program->lowered.program), "assembly");
    const auto model_tokens = predicted(prepared->arguments_given, *program);
    if (!terminal.json())
      return deliver(terminal, reportText(terminal, *program, model_tokens), "report");
    terminal.object(reportJson(*program, model_tokens));
    return kDone;
  }

 private:
  Expected<int> deliver(const Terminal& terminal, const std::string& text,
                        std::string_view what) const {
    if (!out_.empty()) {
      if (auto written = writeFileAtomically(out_, text); !written)
        return fail(std::move(written.error()));
    } else {
      terminal.print(text);
    }
    if (terminal.json()) terminal.object({{"status", "ok"}, {std::string(what), text}});
    return kDone;
  }

  // The tokens that the launch will take: an interpreter counts them. Nothing without the launch's
  // own arguments, or where it does not end well.
  static std::optional<std::int64_t> predicted(bool arguments_given, const Program& program) {
    if (!arguments_given) return std::nullopt;
    const auto result = qgpu::run(program, *interpreterEngine());
    return result ? std::optional(result->tokens.model) : std::nullopt;
  }

  struct Line {
    std::string_view key;
    std::string_view title;
    std::int64_t value;
    int limit;  // 0: none
    std::string_view unit;
  };
  static std::vector<Line> linesOf(const Program& program,
                                   std::optional<std::int64_t> model_tokens) {
    const lower::Report& r = program.lowered.report;
    const auto host = static_cast<std::int64_t>(protocol::hostTokens(program.image).size());
    std::vector<Line> lines = {
        {"blocks", "blocks", r.blocks, kMachine.blocks, ""},
        {"slots", "slots", r.slots, r.blocks * kMachine.slots, "in those blocks"},
        {"registers", "registers", r.registers, kMachine.registers - 1, ""},
        {"predicates", "predicates", r.predicates, kMachine.predicates, ""},
        {"spills", "spilled words", r.spills, 0, "for each thread"},
        {"global_words", "global memory", r.global_words, kMachine.global_words, "words"},
        {"shared_words", "shared memory", r.shared_words, kMachine.shared_words, "words"},
        {"local_words", "local memory", r.local_words, 0, "words for each thread"},
        {"parameter_words", "parameters", r.parameter_words, kMachine.parameters, "words"},
        {"program_tokens", "program", r.program_tokens, 0, "tokens to load"},
        {"host_tokens", "host", host, 0, "tokens: program, parameters, arrays"},
    };
    if (model_tokens)
      lines.push_back({"model_tokens", "model", *model_tokens, 0, "tokens to run it"});
    return lines;
  }

  static std::string reportText(const Terminal& terminal, const Program& program,
                                std::optional<std::int64_t> model_tokens) {
    const launch::Launch& l = program.launch;
    std::string text = terminal.styled(program.kernel, Style::Bold) +
                       fmt::format(", grid {}, block {}\n", l.grid.text(), l.block.text());
    for (const Line& line : linesOf(program, model_tokens)) {
      text += fmt::format("  {:<14}{:>6}", line.title, line.value);
      if (line.limit != 0) text += fmt::format(" of {}", line.limit);
      text += line.unit.empty() ? "\n" : fmt::format(" {}\n", line.unit);
    }
    return text;
  }

  static Json reportJson(const Program& program, std::optional<std::int64_t> model_tokens) {
    const launch::Launch& l = program.launch;
    Json object = {{"status", "ok"}, {"kernel", program.kernel}};
    object["grid"] = {l.grid.x, l.grid.y, l.grid.z};
    object["block"] = {l.block.x, l.block.y, l.block.z};
    for (const Line& line : linesOf(program, model_tokens))
      object[std::string(line.key)] = line.value;
    return object;
  }

  LaunchOptions launch_;
  bool report_ = false, ptx_ = false, assembly_ = false;
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> compileVerb() { return std::make_unique<CompileVerb>(); }

}  // namespace qgpu::cli
