// A campaign of weight faults: which of them a checked run of launches notices.
//
//   Campaign campaign(circuit, tokens);
//   campaign.add(drawFaults(circuit, 1, 10'000));
//   for (...) campaign.step();              // the next token, for all faults at once
//   campaign.findings();
//
// A checked run compares, after every token, the next token, every row of the architectural state
// and what the stages computed (audit/audit.h). All faults walk through one run of the intact
// weights. At each token a fault's own row is evaluated anew; if what it computes is another value,
// the token is run again with the fault from that half-layer on, from the state that the fault has
// left so far, until the difference vanishes or the run notices. Nothing is approximated:
// ExactLayer has the bits of the stock formulas.
//
// A fault that was never noticed is not effective in this run of tokens; `Reason` says why.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/audit/kept_rows.h"
#include "conformance/faults/fault.h"
#include "interpreter/machine/machine.h"

namespace qgpu::conformance {

enum class Verdict : std::uint8_t {
  Token,  // noticed by the next token
  Row,    // noticed by a row of the architectural state
  Stage,  // noticed by what a stage computed
  // Not noticed, because:
  Unused,      // no row, unit or head in use reads it
  InputZero,   // what it multiplies is 0 at every token
  Absorbed,    // its sum stays the same: both values round to it
  StaysOff,    // it changes sums, but only of gates and keys that stay exactly off
  Closed,      // its unit, key or row is off wherever its input is on
  Saturated,   // beta or decay is still exactly 1
  Masked,      // it changes values, but no token, row or stage
  Remembered,  // the same, and a stored value still differs from the intact one at the end
};
inline constexpr int kVerdicts = 11;
std::string_view text(Verdict verdict);
constexpr bool isNoticed(Verdict verdict) { return verdict <= Verdict::Stage; }

struct Finding {
  Fault fault;
  Verdict verdict{};
  std::int64_t position = 0;   // from 1: where it was noticed
  std::int64_t differing = 0;  // tokens that were run again and at which a value was another
  std::int64_t skipped = 0;    // tokens that might differ and were not run again
  // The last half-layer of the last run that read a changed value: 2 * layer, 2 * layer + 1 for its
  // MLP, 90 for lm_head.
  int deepest = -1;
};

class Campaign {
 public:
  // `tokens` must be what the interpreter writes, or accepts from a host.
  Campaign(const model::Circuit& circuit, std::vector<protocol::Token> tokens);
  ~Campaign();

  void add(const std::vector<Fault>& faults);
  // Takes the next token; false where there is none.
  bool step();
  std::int64_t position() const { return position_; }
  // The residual stream of the last token, of the intact weights.
  const std::vector<float>& residual() const { return steps_.back(); }

  // In the order of layers and tensors.
  std::vector<Finding> findings() const;

 private:
  struct Suspect;
  struct Layer {
    ExactLayer layer;
    LayerState state;
    MixerRecord mixer;
    MlpRecord mlp;
    StateChanges writes;
  };

  void runIntact(const protocol::Token& token);
  void examine(Suspect& suspect);
  bool changes(Suspect& suspect);
  bool changesMlp(Suspect& suspect);
  bool changesMixer(Suspect& suspect);
  bool changesChannel(Suspect& suspect, std::size_t channel, float u);
  bool remembersHere(const Suspect& suspect) const;
  void runFaulty(Suspect& suspect);
  bool runFaultyMixer(Suspect& suspect, std::size_t layer, std::vector<float>& x);
  int ownTail(const Suspect& suspect) const;
  bool noticesStage(const std::vector<float>& x, std::size_t step) const;
  bool noticesRow(std::size_t layer, const StateChanges& changes) const;
  bool noticesToken(const std::vector<float>& x) const;
  int tokenOf(const std::vector<float>& x) const;
  StateChanges difference(const Layer& l, const StateChanges& before,
                          const StateChanges& writes) const;

  const model::Circuit& circuit_;
  std::vector<protocol::Token> tokens_;
  std::vector<Layer> layers_;
  std::vector<std::vector<float>> steps_;  // the residual stream as each half-layer reads it
  std::vector<std::unique_ptr<Suspect>> suspects_;
  std::vector<std::vector<const model::Probe*>> probes_;  // by step
  std::vector<KeptRows> kept_;
  std::map<std::pair<int, int>, const KeptRows*> kept_by_place_;  // layer, head
  std::vector<std::int32_t> token_of_code_;
  machine::Machine reference_;
  std::int64_t position_ = 0;
  MixerRecord mixer_record_;
  MlpRecord mlp_record_;
};

}  // namespace qgpu::conformance
