// One level of fuzzing: makes the launch of a number, holds engines against each other on it, and
// makes what they disagree on small.
//
//   auto level = machineLevel(Oracle::Model, circuit);
//   Outcome outcome = level->run(17);
//   if (!outcome.difference.empty()) write(level->minimal(17).text);
//
// A level belongs to one thread. The launch of a number is the same everywhere and always.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/launch/shortcuts.h"
#include "model/weights/circuit.h"

namespace qgpu::fuzz {

struct Outcome {
  std::string difference;      // in words; empty where all agree
  std::int64_t positions = 0;  // tokens that were compared, with the state after each
  std::string refusal = {};    // why no engine takes the launch, as one of few kinds; mostly empty
};

// A launch that engines disagree on, made as small as it goes.
struct Finding {
  std::uint64_t number = 0;
  std::string difference;
  std::string text;  // the launch, as a person reads it and a test can hold it

  // What belongs beside the text: {".cu", "__global__ ..."}.
  struct File {
    std::string ending;
    std::string text;
  };
  std::vector<File> files = {};
};

// Thrown by a level where this computer cannot go on, which is no launch's fault: no process is
// left, no room on the disk, no C++ compiler. It ends the campaign.
struct CannotGoOn : std::runtime_error {
  explicit CannotGoOn(const Failure& why) : std::runtime_error(why.text()), failure(why) {}
  Failure failure;
};

class Level {
 public:
  virtual ~Level() = default;
  virtual Outcome run(std::uint64_t number) = 0;
  // The outcome of each number, as `run` gives it; cheapest with `batch()` numbers at once.
  virtual std::vector<Outcome> runAll(std::span<const std::uint64_t> numbers) {
    std::vector<Outcome> outcomes;
    for (const std::uint64_t number : numbers) outcomes.push_back(run(number));
    return outcomes;
  }
  virtual std::size_t batch() const { return 1; }
  // The launch of a number that differs, as small as it goes. Where it agrees when it runs again,
  // the whole launch, and no difference.
  virtual Finding minimal(std::uint64_t number) = 0;
};

enum class Oracle : std::uint8_t {
  Interpreter,  // the interpreter, its fast runner and a second executor that shares no code
  Model,        // what the interpreter wrote, audited by the model many positions at a time
  ModelAlone,   // what the model writes, audited by the interpreter after every token
};

// The model of an oracle that has one.
struct ModelUse {
  // Implicit: the circuit is mostly all there is to say.
  ModelUse(const model::Circuit* weights) : circuit(weights) {}

  const model::Circuit* circuit;  // outlives the level
  model::Shortcuts shortcuts = {};
  std::int64_t most_tokens = 0;  // refuses longer launches; 0: takes all

  // Why it does not take a launch of so many tokens; empty where it does.
  std::string refusal(std::size_t tokens) const {
    if (most_tokens == 0 || static_cast<std::int64_t>(tokens) <= most_tokens) return "";
    return "more than " + std::to_string(most_tokens) + " tokens";
  }
};

// Random programs of machine blocks.
std::unique_ptr<Level> machineLevel(Oracle oracle, const ModelUse& model);

}  // namespace qgpu::fuzz
