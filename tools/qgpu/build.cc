#include <fmt/format.h>

#include "compiler/circuit/machine/circuit.h"
#include "model/weights/budget.h"
#include "model/weights/circuit_file.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

class BuildVerb : public Verb {
 public:
  std::string_view name() const override { return "build"; }
  std::string_view summary() const override {
    return "Compile the machine into weights and write the circuit file";
  }
  std::string_view synopsis() const override { return "--out FILE"; }
  std::string_view example() const override {
    return "  $ qgpu build --out machine.safetensors\n"
           "  machine.safetensors: 45 layers, 1346416 nonzero weights\n"
           "  $ qgpu run dot.cu --circuit machine.safetensors ...\n"
           "\n"
           "The file holds tensors under Qwen3.5's names, in compressed rows; `qgpu info --circuit "
           "FILE`\nshows what each layer takes. The same program always writes the same bytes.\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--out", out_, "the file to write, at once or not at all")
        ->type_name("FILE")
        ->required();
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto circuit = circuit::machine::buildCircuit();
    if (!circuit) return fail(circuit.error());
    if (auto written = model::writeCircuit(out_, *circuit); !written)
      return fail(std::move(written.error()));
    const std::size_t nonzeros = model::nonzeros(*circuit);
    terminal.print(
        fmt::format("{}: {} layers, {} nonzero weights\n", out_, circuit->layers.size(), nonzeros));
    if (terminal.json())
      terminal.object({{"status", "ok"},
                       {"file", out_},
                       {"layers", circuit->layers.size()},
                       {"nonzeros", nonzeros}});
    return kDone;
  }

 private:
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> buildVerb() { return std::make_unique<BuildVerb>(); }

}  // namespace qgpu::cli
