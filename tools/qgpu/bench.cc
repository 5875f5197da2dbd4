#include "tools/api/circuit.h"
#include "tools/bench/measure.h"
#include "tools/bench/scaling.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

constexpr std::int64_t kLongest = 1'000'000, kLongestQuick = 3000;
constexpr int kMostLaunches = 256, kMostLaunchesQuick = 4;

class BenchVerb : public Verb {
 public:
  std::string_view name() const override { return "bench"; }
  std::string_view summary() const override {
    return "Measure speed on this machine, each figure beside its floor";
  }
  std::string_view synopsis() const override { return "[--scaling] [--quick] [--markdown]"; }
  std::string_view example() const override {
    return "  $ qgpu bench\n"
           "  AMD EPYC, 2 cores, 25 GB, Linux x86_64, g++ 12.2\n"
           "  memory read 18.6 GB/s (one core), ... sparse columns 1.12 G weights/s; ...\n"
           "\n"
           "  model                              measured      floor    x\n"
           "    matmul (3 x 16 by 16 x 4): tokens  ...\n"
           "\n"
           "A floor is what the machine allows: the work divided by what small kernels reach in "
           "this run,\nsuch as the weights that a token needs at the rate at which this machine "
           "adds sparse columns.\nx says how many times slower the figure is. `--scaling` shows "
           "instead how cost grows.\n"
           "\n"
           "  $ qgpu bench --json > today.json\n"
           "  $ qgpu bench --scaling --markdown\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_flag(
        "--scaling", scaling_,
        "cost by length of trace (to 1 M tokens), by blocks and warps, by launches at once");
    app.add_flag("--quick", quick_, "less exact and less long");
    app.add_flag("--markdown", markdown_, "tables in Markdown, as in docs/performance.md");
    app.add_option("--cores", cores_, "for what runs on several cores (all of them)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024).description(""));
    app.add_option("--circuit", circuit_, "the model's weights, as `qgpu build` writes them")
        ->type_name("FILE");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto circuit = loadCircuit(circuit_);
    if (!circuit) return fail(circuit.error());
    if (scaling_) {
      show(terminal, bench::measureScaling(
                         *circuit, {.longest = quick_ ? kLongestQuick : kLongest,
                                    .most_launches = quick_ ? kMostLaunchesQuick : kMostLaunches,
                                    .cores = cores_}));
      return kDone;
    }
    const auto figures = bench::measure(*circuit, {.quick = quick_, .cores = cores_});
    if (!figures) return fail(figures.error());
    show(terminal, *figures);
    return kDone;
  }

 private:
  template <typename Figures>
  void show(const Terminal& terminal, const Figures& figures) const {
    terminal.print(markdown_ ? page(figures) : table(figures));
    if (!terminal.json()) return;
    Json object = {{"status", "ok"}};
    object.update(json(figures));
    terminal.object(object);
  }

  bool quick_ = false, markdown_ = false, scaling_ = false;
  int cores_ = 0;
  std::string circuit_;
};

}  // namespace

std::unique_ptr<Verb> benchVerb() { return std::make_unique<BenchVerb>(); }

}  // namespace qgpu::cli
