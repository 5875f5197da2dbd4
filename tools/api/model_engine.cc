#include <optional>

#include "conformance/audit/audit.h"
#include "model/launch/decode.h"
#include "model/weights/circuit_file.h"
#include "tools/api/circuit.h"
#include "tools/api/end_state.h"
#include "tools/api/engine.h"

namespace qgpu {
namespace {

using protocol::Token;
using protocol::TokenKind;

class ModelEngine : public Engine {
 public:
  explicit ModelEngine(model::MachineModel& model) : model_(model) {}

  std::string_view name() const override { return "model"; }
  std::string weights() const override { return model::weightsHash(model_.circuit()); }

  // The model alone decides the tokens. The interpreter takes part only where a check is asked
  // for, and then only looks on.
  Expected<EngineRun> run(std::span<const Token> host, const EngineOptions& options) override {
    if (host.empty() || host.back().kind != TokenKind::Cta)
      return refuse("the host's tokens start no launch");
    model_.reset();
    std::optional<conformance::Auditor> auditor;
    if (options.check) auditor.emplace(model_);
    model::Decoding decoding =
        model::decode(model_, host, options.max_tokens, [&](const Token& token) {
          if (auditor) auditor->follow(token);
          options.after_token();
        });
    EngineRun result;
    result.ending = endingOf(decoding);
    result.written = std::move(decoding.written);
    result.global = model::globalMemory(model_);
    result.end_state = hashOf(endState(model_));
    if (auditor)
      result.check = Check{auditor->positions(), auditor->mismatches(), auditor->first()};
    return result;
  }

 private:
  static Ending endingOf(const model::Decoding& decoding) {
    if (!decoding.ended) return Ending::OutOfTokens;
    return decoding.written.back().kind == TokenKind::Halt ? Ending::Halted : Ending::Trapped;
  }

  model::MachineModel& model_;
};

struct OwnModel {
  explicit OwnModel(model::Circuit c) : circuit(std::move(c)), model(circuit) {}
  model::Circuit circuit;
  model::MachineModel model;
};

class OwnModelEngine : private OwnModel, public ModelEngine {
 public:
  explicit OwnModelEngine(model::Circuit c) : OwnModel(std::move(c)), ModelEngine(model) {}
};

}  // namespace

std::unique_ptr<Engine> engineIn(model::MachineModel& model) {
  return std::make_unique<ModelEngine>(model);
}

Expected<std::unique_ptr<Engine>> modelEngine(const std::filesystem::path& circuit_file) {
  auto circuit = loadCircuit(circuit_file);
  if (!circuit) return fail(std::move(circuit.error()));
  return std::make_unique<OwnModelEngine>(std::move(*circuit));
}

}  // namespace qgpu
