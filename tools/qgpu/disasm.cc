#include <fmt/format.h>

#include "interpreter/base/files.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "tools/api/qgpu.h"
#include "tools/qgpu/launch_options.h"
#include "tools/qgpu/listing.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

class DisasmVerb : public Verb {
 public:
  std::string_view name() const override { return "disasm"; }
  std::string_view summary() const override {
    return "Show a kernel's machine code beside its source";
  }
  std::string_view synopsis() const override {
    return "FILE [options]   or   --case CASE.json   or   --asm FILE";
  }
  std::string_view example() const override {
    return "  $ qgpu disasm dot.cu --block 3\n"
           "  block 0:\n"
           "    setp.lt p0, tid, c0                               |    4  if (i < n) ...\n"
           "    @s1 mov _, [global 20 + tid*4]                    |\n"
           "    ...\n"
           "  $ qgpu compile dot.cu --asm --out dot.gasm && qgpu disasm --asm dot.gasm\n";
  }
  void addOptions(CLI::App& app) override {
    launch_.addTo(app);
    app.add_option("--asm", assembly_,
                   "read machine assembly instead, check it against the block rules and print it")
        ->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    if (!assembly_.empty()) return fromAssembly(terminal);
    auto prepared = launch_.prepare(terminal, Arguments::Optional);
    if (!prepared) return fail(std::move(prepared.error()));
    const auto program = compileFor(terminal, *prepared);
    if (!program) return fail(program.error());
    const Listing lines = listing(*program, terminal);
    terminal.print(lines.text);
    // PTX names the source it was made from, which need not be here.
    for (const Failure& failure : lines.unread)
      terminal.note("source lines are left out: " + failure.text());
    if (terminal.json()) terminal.object(listingJson(*program));
    return kDone;
  }

 private:
  Expected<int> fromAssembly(const Terminal& terminal) const {
    const auto text = readFile(assembly_);
    if (!text) return fail(text.error());
    const auto program = isa::assemble(*text, assembly_);
    if (!program) return fail(program.error());
    if (const auto wrong = isa::violations(*program); !wrong.empty())
      return refuseAt({assembly_, 0, 0}, wrong.front().text(), "see `qgpu manual`");
    terminal.print(isa::disassemble(*program));
    if (terminal.json())
      terminal.object({{"status", "ok"},
                       {"blocks", program->blocks.size()},
                       {"assembly", isa::disassemble(*program)}});
    return kDone;
  }

  LaunchOptions launch_;
  std::string assembly_;
};

}  // namespace

std::unique_ptr<Verb> disasmVerb() { return std::make_unique<DisasmVerb>(); }

}  // namespace qgpu::cli
