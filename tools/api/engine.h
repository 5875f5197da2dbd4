// What executes a launch: an engine is given the host's tokens and writes the rest.
//
// The interface knows nothing but tokens, so that every engine can be checked against every other:
// no engine sees the program, the arrays or the shape of the launch in another form.
//
//   auto engine = interpreterEngine();
//   auto run = engine->run(protocol::hostTokens(image), {.max_tokens = 1000});
//   run->ending;       // Halted
//   run->written;      // EXEC 0 0 1111, MEM 3 32, HALT
//   run->global[3];    // 32
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/isa/machine_parameters.h"
#include "interpreter/protocol/token.h"

namespace qgpu::model {
class MachineModel;
}

namespace qgpu {

// How the engine stopped writing.
enum class Ending : std::uint8_t {
  Halted,       // with HALT
  Trapped,      // with TRAP
  OutOfTokens,  // `max_tokens` were written and neither came
};

// A replay of the launch on the reference machine.
struct Check {
  std::int64_t positions = 0;  // tokens compared, with the architectural state after each
  std::int64_t mismatches = 0;
  std::string first;  // the first mismatch in words; empty where there is none

  friend bool operator==(const Check&, const Check&) = default;
};

struct EngineOptions {
  std::int64_t max_tokens = 1'000'000;  // that the engine may write
  bool check = false;                   // replay as well
  // Called after each token, the host's and the engine's, for those who watch.
  std::function<void()> after_token = [] {};
};

struct EngineRun {
  Ending ending = Ending::Halted;
  std::vector<protocol::Token> written;                      // by the engine, with HALT or TRAP
  std::array<std::uint32_t, kMachine.global_rows> global{};  // after the last token
  std::string end_state;  // the hash of all that is kept then (end_state.h)
  std::optional<Check> check;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // As `--engine` and the JSON have it.
  virtual std::string_view name() const = 0;
  // SHA-256 of the weights that run; empty where there are none.
  virtual std::string weights() const { return {}; }

  // Starts from a machine that has run nothing. Refused: host tokens the protocol does not allow.
  virtual Expected<EngineRun> run(std::span<const protocol::Token> host,
                                  const EngineOptions& options) = 0;
};

// Replays a run on a fresh reference machine: every token against what that machine writes there,
// the memory at the end against that machine's and, for a launch that halted, against that of a
// runner which knows no tokens. Counts every difference.
Check replay(std::span<const protocol::Token> host, const EngineRun& run);

// The cycle-accurate interpreter. Its check is `replay`.
std::unique_ptr<Engine> interpreterEngine();

// The machine compiled into 45 layers of Gated DeltaNet and SwiGLU: the model writes every token
// itself. Its check is an audit by the interpreter after every token, the recurrent state included.
// The weights are those of the circuit file, or of the installed one (circuit.h).
Expected<std::unique_ptr<Engine>> modelEngine(const std::filesystem::path& circuit_file = {});

// The same in a model that is already there, which must outlive the engine.
std::unique_ptr<Engine> engineIn(model::MachineModel& model);

// The engine of that name. Refused, with the names there are: any other; and a circuit file for an
// engine that has no weights.
Expected<std::unique_ptr<Engine>> engineNamed(std::string_view name,
                                              const std::filesystem::path& circuit_file = {});
// "model", "interpreter"
std::span<const std::string_view> engineNames();

}  // namespace qgpu
