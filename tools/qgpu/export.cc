#include <fmt/format.h>

#include <set>

#include "compiler/circuit/machine/circuit.h"
#include "interpreter/base/progress.h"
#include "model/merged/export.h"
#include "model/qwen/new_folder.h"
#include "tools/api/trace_file.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

class ExportVerb : public Verb {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override {
    return "Write the machine and a base model as one stock Qwen3.5 checkpoint";
  }
  std::string_view synopsis() const override { return "--hf OUT --model DIR [--tokens TRACE]..."; }
  std::string_view example() const override {
    return "  $ qgpu model synthesize small --shape small\n"
           "  $ qgpu run dot.cu --trace dot.trace --arg ...\n"
           "  $ qgpu export --hf merged --model small --tokens dot.trace\n"
           "  merged: 49 layers of width 4096, 364 tokens (44 of the machine), 11.5 GB\n"
           "\n"
           "Any program that runs Qwen3.5's text model runs launches in it: feed the host's "
           "tokens\n"
           "and decode greedily. machine_tokens.txt names the machine's tokens in the order of\n"
           "their ids, which follow the base's vocabulary. In this form a launch takes positions,\n"
           "so text after one is not what it would be without; `qgpu chat` leaves them out.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--hf", out_, "the folder to write: a new one, at once or not at all")
        ->type_name("OUT")
        ->required();
    app.add_option("--model", base_, "the base model's folder")->type_name("DIR")->required();
    app.add_option("--tokens", traces_,
                   "keep only the machine's tokens in these traces, not all 240706")
        ->type_name("TRACE");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto checkpoint = model::Checkpoint::open(base_);
    if (!checkpoint) return fail(checkpoint.error());
    const auto substrate = model::substrateFor(checkpoint->config());
    if (!substrate) return fail(substrate.error());
    model::ExportOptions options;
    for (const std::string& trace : traces_)
      if (auto read = addTokens(trace, options.machine_tokens); !read) return fail(read.error());
    const auto circuit = circuit::machine::buildCircuit(*substrate);
    if (!circuit) return fail(circuit.error());
    const auto form = model::StockForm::create(*checkpoint, *circuit);
    if (!form) return fail(form.error());
    if (auto written = write(*form, options); !written) return fail(written.error());
    report(*form, options, terminal);
    return kDone;
  }

 private:
  // In the order of their ids.
  Expected<void> addTokens(const std::string& file, std::vector<protocol::Token>& tokens) const {
    const auto trace = readTrace(file);
    if (!trace) return fail(trace.error());
    std::set<int> ids;
    for (const protocol::Token& token : tokens) ids.insert(token.id());
    for (const protocol::Token& token : trace->tokens) ids.insert(token.id());
    tokens.clear();
    for (const int id : ids) tokens.push_back(*protocol::Token::fromId(id));
    return {};
  }

  Expected<void> write(const model::StockForm& form, model::ExportOptions options) const {
    const std::uintmax_t bytes = model::exportBytes(form, options);
    auto folder = model::NewFolder::create(out_, bytes + 200 * kMegabyte);
    if (!folder) return fail(folder.error());
    Progress progress("writing MB", static_cast<std::int64_t>(bytes) / kMegabyte);
    std::int64_t pending = 0;
    options.on_written = [&](std::size_t n) {
      pending += static_cast<std::int64_t>(n);
      progress.advance(pending / kMegabyte);
      pending %= kMegabyte;
    };
    if (auto done = model::exportStockForm(folder->path(), base_, form, options); !done)
      return done;
    return folder->keep();
  }

  void report(const model::StockForm& form, const model::ExportOptions& options,
              const Terminal& terminal) const {
    const std::size_t all = form.config().vocab_size - form.textTokens();
    const std::size_t machine =
        options.machine_tokens.empty() ? all : options.machine_tokens.size();
    const std::uintmax_t bytes = model::exportBytes(form, options);
    terminal.print(
        fmt::format("{}: {} layers of width {}, {} tokens ({} of the machine), {:.1f} GB\n", out_,
                    form.config().layers.size(), form.config().hidden_size,
                    form.textTokens() + machine, machine, static_cast<double>(bytes) * 1e-9));
    if (terminal.json())
      terminal.object({{"status", "ok"},
                       {"folder", out_},
                       {"layers", form.config().layers.size()},
                       {"hidden", form.config().hidden_size},
                       {"text_tokens", form.textTokens()},
                       {"machine_tokens", machine},
                       {"bytes", bytes}});
  }

  std::string out_, base_;
  std::vector<std::string> traces_;
};

}  // namespace

std::unique_ptr<Verb> exportVerb() { return std::make_unique<ExportVerb>(); }

}  // namespace qgpu::cli
