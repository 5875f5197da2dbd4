#include "model/circuit/audit.h"
#include "model/circuit/machine_model.h"
#include "tools/api/engine.h"

namespace qgpu {
namespace {

using protocol::Token;
using protocol::TokenKind;

class ModelEngine : public Engine {
 public:
  explicit ModelEngine(circuit::machine::Circuit circuit) : circuit_(std::move(circuit)) {}

  std::string_view name() const override { return "model"; }

  // Embed, run the layers, take the largest logit, append: nothing else decides a token. The
  // interpreter takes part only where a check is asked for, and then only looks on.
  Expected<EngineRun> run(std::span<const Token> host, const EngineOptions& options) override {
    if (host.empty() || host.back().kind != TokenKind::Cta)
      return refuse("the host's tokens start no launch");
    model::MachineModel model(circuit_);
    model::Auditor auditor;
    const auto feed = [&](const Token& token) {
      model.feed(token);
      if (options.check) auditor.follow(token, model);
    };
    for (const Token& token : host) feed(token);
    EngineRun result;
    result.ending = Ending::OutOfTokens;
    while (static_cast<std::int64_t>(result.written.size()) < options.max_tokens) {
      const Token token = *model.next();
      feed(token);
      result.written.push_back(token);
      if (token.kind == TokenKind::Halt) result.ending = Ending::Halted;
      if (token.kind == TokenKind::Trap) result.ending = Ending::Trapped;
      if (result.ending != Ending::OutOfTokens) break;
    }
    for (int row = 0; row < kMachine.global_rows; ++row)
      result.global[static_cast<std::size_t>(row)] = model.globalWord(row);
    if (options.check)
      result.check = Check{auditor.positions(), auditor.mismatches(), auditor.first()};
    return result;
  }

 private:
  circuit::machine::Circuit circuit_;
};

}  // namespace

Expected<std::unique_ptr<Engine>> modelEngine() {
  auto circuit = circuit::machine::buildCircuit();
  if (!circuit) return fail(std::move(circuit.error()));
  return std::make_unique<ModelEngine>(std::move(*circuit));
}

}  // namespace qgpu
