#include "tools/bench/measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "compiler/circuit/machine/circuit.h"
#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "model/launch/decode.h"
#include "model/weights/circuit_file.h"
#include "tools/api/check_trace.h"
#include "tools/api/trace.h"
#include "tools/bench/assembly_launches.h"
#include "tools/bench/kernels.h"
#include "tools/bench/timing.h"
#include "tools/bench/touched.h"

namespace qgpu::bench {
namespace {

using protocol::Token;

constexpr std::size_t kSample = 600, kSampleQuick = 20;  // tokens whose weights are counted

std::string giga(double perSecond) { return fmt::format("{:.2f} G/s", perSecond / 1e9); }

// What the process holds in memory now.
double residentMegabytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 1e6;
}

class Measurer {
 public:
  Measurer(const model::Circuit& circuit, const BenchOptions& options)
      : circuit_(circuit),
        least_(options.quick ? 0.01 : 0.5),
        quick_(options.quick),
        cores_(options.cores) {
    if (cores_ <= 0) cores_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    bench_.host = thisHost();
  }

  Expected<Bench> run() {
    // First: later the process holds more than a circuit and a model.
    if (auto done = loading(); !done) return fail(std::move(done.error()));
    bench_.ceilings = measureCeilings(cores_, least_ / 2);
    const std::vector<BenchKernel> kernels = benchKernels();
    for (const BenchKernel& kernel : kernels) single(kernel);
    many(kernels.front());
    audit();
    interpreter();
    for (const BenchKernel& kernel : kernels)
      if (auto done = compiling(kernel); !done) return fail(std::move(done.error()));
    building();
    std::ranges::stable_sort(bench_.measurements, {}, [](const Measurement& m) { return rank(m); });
    return std::move(bench_);
  }

 private:
  static std::size_t rank(const Measurement& m) {
    static constexpr std::string_view kOrder[] = {"model", "audit", "interpreter", "compile",
                                                  "circuit"};
    return static_cast<std::size_t>(std::ranges::find(kOrder, m.group) - kOrder);
  }
  void add(Measurement m) { bench_.measurements.push_back(std::move(m)); }
  const Ceilings& ceilings() const { return bench_.ceilings; }

  // ---- One launch in the weights ----

  void single(const BenchKernel& kernel) {
    const Touched touched = touchedWeights(circuit_, sampleOf(kernel));
    const double most = ceilings().sparse_nonzeros / touched.each;
    model::MachineModel model(circuit_);
    const double seconds = bestSeconds(least_, [&] {
      model.reset();
      decode(model, kernel.host, kMostTokens);
    });
    const auto tokens = static_cast<double>(kernel.tokens());
    const auto lanes = static_cast<double>(kernel.lane_instructions);
    add({"model", kernel.name + "_tokens", fmt::format("{} ({}): tokens", kernel.name, kernel.what),
         "1/s", tokens / seconds, most,
         fmt::format("{:.0f} of {} weights a token at {}", touched.each, touched.stored,
                     giga(ceilings().sparse_nonzeros))});
    // What retires instructions is what the model writes; the host's tokens load the launch.
    const double load = loadSeconds(model, kernel);
    add({"model", kernel.name + "_lane_instructions",
         fmt::format("{}: instructions of a lane, launch loaded", kernel.name), "1/s",
         lanes / (seconds - load), most * lanes / static_cast<double>(kernel.written.size()),
         fmt::format("{:.1f} for each token that the model writes",
                     lanes / static_cast<double>(kernel.written.size()))});
  }
  double loadSeconds(model::MachineModel& model, const BenchKernel& kernel) const {
    return bestSeconds(least_ / 4, [&] {
      model.reset();
      for (const Token& token : kernel.host) model.feed(token);
    });
  }
  std::vector<Token> sampleOf(const BenchKernel& kernel) const {
    std::vector<Token> tokens = kernel.trace();
    tokens.resize(std::min(tokens.size(), quick_ ? kSampleQuick : kSample));
    return tokens;
  }

  // ---- Many launches ----

  void many(const BenchKernel& kernel) {
    const auto rate = [&](int threads) {
      std::vector<std::optional<model::MachineModel>> models(static_cast<std::size_t>(threads));
      for (auto& model : models) model.emplace(circuit_);
      std::atomic<std::int64_t> tokens = 0;
      const double seconds = secondsOf(
          [&] {
            onThreads(threads, [&](int thread) {
              model::MachineModel& model = *models[static_cast<std::size_t>(thread)];
              const Clock::time_point begin = Clock::now();
              do {
                model.reset();
                decode(model, kernel.host, kMostTokens);
                tokens += static_cast<std::int64_t>(kernel.tokens());
              } while (secondsSince(begin) < least_);
            });
          },
          Time::Wall);
      return static_cast<double>(tokens) / seconds;
    };
    const double one = rate(1);
    add({"model", "many_launches_tokens",
         fmt::format("{} launches at once, each on a core: tokens", cores_), "1/s", rate(cores_),
         one * cores_, fmt::format("{} times one launch in the same minute", cores_)});
  }

  // ---- Audits ----

  // Of a loop, and plainly of a shorter one.
  void audit() {
    const auto long_run = assemblyLaunch(kMemory, quick_ ? 10 : 2000).trace();
    const auto short_run = assemblyLaunch(kMemory, quick_ ? 1 : 50).trace();
    const double most = ceilings().bit_nonzeros / static_cast<double>(model::nonzeros(circuit_));
    const std::string from = fmt::format("{} weights, 256 positions at once, at {}",
                                         model::nonzeros(circuit_), giga(ceilings().bit_nonzeros));
    const auto rate = [&](const std::vector<Token>& trace, const AuditOptions& options) {
      TokenAuditor auditor(circuit_, options);
      const double seconds = bestSeconds(
          least_,
          [&] {
            const TokenAudit audit = auditor.audit(trace, hostLength(trace));
            check(audit.check.mismatches == 0, "the launch is exact");
          },
          options.threads == 1 ? Time::Processor : Time::Wall);
      return static_cast<double>(trace.size()) / seconds;
    };
    const auto what = [&](int cores) {
      return fmt::format("a known trace of {} tokens, {} core{}: positions", long_run.size(), cores,
                         cores == 1 ? "" : "s");
    };
    add({"audit", "positions_one_core", what(1), "1/s", rate(long_run, {}), most, from});
    if (cores_ > 1)
      add({"audit", "positions_all_cores", what(cores_), "1/s", rate(long_run, {.threads = cores_}),
           most * cores_, from});
    add({"audit", "positions_plain", "token by token, the state after each: positions", "1/s",
         rate(short_run, {.plain = true}), 0, ""});
  }

  // ---- The interpreter ----

  void interpreter() {
    const AssemblyLaunch launch = assemblyLaunch(kArithmetic, 5000);
    machine::FastRun run;
    const double seconds = bestSeconds(least_, [&] {
      run = *machine::runFast(launch.program, launch.image, kMostTokens);
      keep(run.global[1]);
    });
    const std::string from = fmt::format("a switch over instructions of 4 lanes: {}",
                                         giga(ceilings().plain_instructions));
    add({"interpreter", "warp_instructions", "arithmetic, without tokens: warp instructions", "1/s",
         static_cast<double>(run.warp_instructions) / seconds, ceilings().plain_instructions,
         from});
    const auto host = assemblyLaunch(kMemory, 1000).hostTokens();
    std::size_t tokens = 0;
    const double with_tokens = bestSeconds(least_, [&] {
      machine::Machine machine;
      tokens = host.size() + machine::launch(machine, host, kMostTokens)->written.size();
    });
    add({"interpreter", "tokens", "memory, as the specification has it: tokens", "1/s",
         static_cast<double>(tokens) / with_tokens, 0, ""});
  }

  // ---- Compilers ----

  // By the clock: clang works in another process.
  Expected<void> compiling(const BenchKernel& kernel) {
    std::optional<Failure> failure;
    const auto milliseconds = [&](const auto& work) {
      return 1e3 * bestSeconds(
                       least_ / 2,
                       [&] {
                         if (const auto done = work(); !done) failure = done.error();
                       },
                       Time::Wall);
    };
    if (empty_kernel_ == 0)
      empty_kernel_ = milliseconds(
          [] { return loadKernel({.text = "__global__ void k() {}\n", .file_name = "k.cu"}); });
    const double all = milliseconds([&]() -> Expected<Program> {
      const auto loaded = loadKernel(kernel.source);
      return loaded ? compile(*loaded, kernel.program.launch) : fail(loaded.error());
    });
    if (failure) return fail(std::move(*failure));
    add({"compile", kernel.name, fmt::format("{}: CUDA to blocks", kernel.name), "ms", all,
         empty_kernel_, "clang on an empty kernel"});
    return {};
  }

  void building() {
    const double stored = 4.0 * static_cast<double>(model::nonzeros(circuit_));
    const double seconds =
        secondsOf([&] { keep(circuit::machine::buildCircuit()->layers.size()); });
    add({"circuit", "build", "the machine compiled into weights", "ms", 1e3 * seconds,
         1e3 * stored / ceilings().read_one_core,
         fmt::format("its {:.1f} MB written once at {:.1f} GB/s", stored / 1e6,
                     ceilings().read_one_core / 1e9)});
  }

  // How long it takes to read a circuit's file.
  Expected<double> secondsToRead(const std::filesystem::path& file) const {
    std::optional<Failure> failure;
    const double seconds = bestSeconds(least_ / 2, [&] {
      if (const auto circuit = model::readCircuit(file); !circuit) failure = circuit.error();
    });
    if (failure) return fail(std::move(*failure));
    return seconds;
  }

  Expected<void> loading() {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("qgpu_bench.{}.safetensors", getpid());
    if (auto written = model::writeCircuit(file, circuit_); !written) return written;
    std::error_code ignored;
    const double bytes = static_cast<double>(std::filesystem::file_size(file, ignored));
    const auto seconds = secondsToRead(file);
    std::filesystem::remove(file, ignored);
    if (!seconds) return fail(seconds.error());
    const double before = residentMegabytes();
    std::optional<model::MachineModel> model;
    const double prepared = secondsOf([&] { model.emplace(circuit_); });
    const double model_memory = residentMegabytes() - before;
    Hashing hashing(std::size_t{4} << 20);
    const double hashed =
        static_cast<double>(hashing.bytes()) / bestSeconds(least_ / 4, [&] { hashing.run(); });
    add({"circuit", "load", "its file read and checked", "ms", 1e3 * *seconds, 1e3 * bytes / hashed,
         fmt::format("SHA-256 of {:.1f} MB at {:.2f} GB/s", bytes / 1e6, hashed / 1e9)});
    add({"circuit", "prepare", "a model made of it", "ms", 1e3 * prepared, 0, ""});
    add({"circuit", "memory", "memory of a model, beside the circuit", "MB", model_memory,
         4e-6 * static_cast<double>(model::nonzeros(circuit_)), "4 bytes for each weight"});
    add({"circuit", "process", "memory of the process with a circuit and a model", "MB",
         residentMegabytes(), 0, ""});
    return {};
  }

  const model::Circuit& circuit_;
  double least_;  // seconds for each figure
  bool quick_;
  int cores_;
  double empty_kernel_ = 0;  // milliseconds
  Bench bench_;
};

}  // namespace

Expected<Bench> measure(const model::Circuit& circuit, const BenchOptions& options) {
  return Measurer(circuit, options).run();
}

}  // namespace qgpu::bench
