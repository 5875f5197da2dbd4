#include <fmt/format.h>

#include "interpreter/isa/opcode.h"
#include "interpreter/protocol/token.h"
#include "model/weights/budget.h"
#include "tools/api/circuit.h"
#include "tools/api/engine.h"
#include "tools/api/joined.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

struct Size {
  std::string_view key;
  int value;
  std::string_view meaning;
};

// In the order of machine_parameters.h.
constexpr Size kSizes[] = {
    {"lanes", kMachine.lanes, "threads in a warp"},
    {"registers", kMachine.registers, "32-bit registers for each thread; r0 reads as 0"},
    {"predicates", kMachine.predicates, "predicates for each thread"},
    {"slots", kMachine.slots, "instructions in a block"},
    {"blocks", kMachine.blocks, "blocks in a program"},
    {"block_threads", kMachine.blockThreads(), "threads in a thread block"},
    {"launch_threads", kMachine.launch_threads, "threads in a launch"},
    {"thread_blocks", kMachine.thread_blocks, "thread blocks in a launch"},
    {"global_words", kMachine.global_words, "words for all arrays of a launch together"},
    {"shared_words", kMachine.shared_words, "words of shared memory for a thread block"},
    {"parameter_words", kMachine.parameters, "words of scalar arguments and wide constants"},
};

class InfoVerb : public Verb {
 public:
  std::string_view name() const override { return "info"; }
  std::string_view summary() const override {
    return "Show the machine's sizes and what its circuit takes, layer by layer";
  }
  std::string_view synopsis() const override { return "[--circuit FILE] [--json]"; }
  std::string_view example() const override {
    return "  $ qgpu info\n"
           "  lanes               4   threads in a warp\n"
           "  registers          16   32-bit registers for each thread; r0 reads as 0\n"
           "  ...\n"
           "  layer   units  clearing  wires  heads  mixer nnz    MLP nnz\n"
           "      0     629         3    959      7       1918       9259\n"
           "  ...\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--circuit", circuit_, "a circuit file, instead of the installed one")
        ->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto circuit = loadCircuit(circuit_);
    if (!circuit) return fail(circuit.error());
    std::string text;
    Json sizes;
    for (const Size& size : kSizes) {
      text += fmt::format("{}{:>7}   {}\n",
                          terminal.styled(fmt::format("{:<16}", size.key), Style::Bold), size.value,
                          size.meaning);
      sizes[std::string(size.key)] = size.value;
    }
    text += fmt::format("\n{} instructions, {} tokens; engines: {}\n", isa::kOpcodes,
                        protocol::vocabulary(), joined(engineNames()));
    text += "`qgpu manual` prints the instructions, `qgpu manual tokens` the tokens.\n";
    text += '\n' + model::budgetTable(circuit->substrate, circuit->budget, circuit->layers);
    terminal.print(text);
    if (terminal.json())
      terminal.object(
          {{"status", "ok"},
           {"machine", sizes},
           {"instructions", isa::kOpcodes},
           {"vocabulary", protocol::vocabulary()},
           {"engines", std::vector<std::string>(engineNames().begin(), engineNames().end())},
           {"circuit", circuitJson(*circuit)}});
    return kDone;
  }

 private:
  static Json circuitJson(const model::Circuit& circuit) {
    Json layers = Json::array();
    for (std::size_t i = 0; i < circuit.layers.size(); ++i) {
      const model::LayerBudget& b = circuit.budget[i];
      layers.push_back({{"units", b.units},
                        {"clearing_units", b.clearing_units},
                        {"wires", b.wires},
                        {"heads", b.heads},
                        {"mixer_nonzeros", circuit.layers[i].mixerNonzeros()},
                        {"mlp_nonzeros", circuit.layers[i].mlpNonzeros()}});
    }
    const model::Substrate& s = circuit.substrate;
    return {{"hidden", s.hidden},
            {"intermediate", s.intermediate},
            {"heads", s.heads},
            {"nonzeros", model::nonzeros(circuit)},
            {"layers", layers}};
  }

  std::string circuit_;
};

}  // namespace

std::unique_ptr<Verb> infoVerb() { return std::make_unique<InfoVerb>(); }

}  // namespace qgpu::cli
