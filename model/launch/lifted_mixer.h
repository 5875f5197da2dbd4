// A layer's Gated DeltaNet as memories of bits: a one-hot key overwrites a row, a one-hot query
// adds what a row holds to dims.
//
// A head is recognised if its decay is 1, its write strength 1, its keys and queries whole
// multiples of 128, its value lanes worth one height where they are 1 (but for the last two, the
// pins, which are constants and alone decide the gated norm), and if what a stored bit adds to a
// dim is a whole number. These are tested on the weights by evaluating the stock formulas, not
// assumed.
//
// The recurrent state is kept as bits; `stateOf` gives the matrix that it stands for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/launch/bank.h"
#include "model/launch/residual.h"
#include "model/layers/gated_delta_net.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

class LiftedMixer {
 public:
  static std::optional<LiftedMixer> recognize(const LayerWeights& weights,
                                              const Substrate& substrate,
                                              std::span<const Entry> constants,
                                              const BankOptions& options);

  // False, with nothing changed: a token that needs the stock formulas.
  bool addTo(Residual& residual);
  void reset();

  // The low bits, up to 64, of what a row holds.
  std::uint64_t word(int head, int row) const;
  // The state of the stock formulas.
  void stateOf(GatedDeltaNetState& state) const;

 private:
  static constexpr std::size_t kLanes = kHeadDim - 2;  // the rest are pins
  // Its bits, lowest first, with the pins: all zeros if never written.
  using Row = std::array<std::uint64_t, kHeadDim / 64>;

  struct Share {
    std::uint16_t dim = 0;
    float amount = 0;
  };
  struct Head {
    int number = 0;
    float height = 0;  // of a stored bit
    float pin = 0;
    std::array<Row, kHeadDim> rows{};
    std::array<std::vector<Share>, kHeadDim> outs;  // of each lane
  };
  // A row of the projections that is used some tokens late.
  struct Late {
    std::uint32_t row = 0;
    std::size_t delay = 0;
    std::array<std::int32_t, kConvTaps - 1> past{};  // the last value first
  };
  // What one head is to do: the rows its key and query name.
  struct Access {
    std::size_t head = 0;
    int write = -1, read = -1;
    Row value{};
  };

  LiftedMixer(std::vector<WholeRow> rows, std::size_t hidden, const BankOptions& options)
      : rows_(std::move(rows), hidden, options) {}
  class Recognizer;

  void delay();
  bool access(std::size_t head, Access& access) const;
  int openRow(std::size_t first_group) const;
  bool valueOf(std::size_t head, Row& value) const;
  static bool isSet(const Row& row, std::size_t lane) {
    return (row[lane / 64] >> lane % 64 & 1) != 0;
  }

  Bank rows_;  // of head h: 128 of its query, its key, its value, at h * 384
  std::vector<Head> heads_;
  std::vector<int> head_of_;  // by the number of a head; -1: not in use
  std::vector<Late> late_;
  std::vector<std::uint32_t> channels_;  // of each row of the bank, in the stock projection
  std::vector<Access> accesses_;
};

}  // namespace qgpu::model
