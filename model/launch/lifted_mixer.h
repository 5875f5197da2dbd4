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

#include "model/launch/positive_rows.h"
#include "model/launch/residual.h"
#include "model/layers/gated_delta_net.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

class LiftedMixer {
 public:
  static std::optional<LiftedMixer> recognize(const LayerWeights& weights,
                                              const Substrate& substrate,
                                              std::span<const Entry> constants, bool search);

  // False, with nothing changed: a token that needs the stock formulas.
  bool addTo(Residual& residual);
  // The same at all positions of a batch, in order; false, with nothing changed, where any of them
  // needs the stock formulas.
  bool addTo(BatchResidual& batch);
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
  struct Copy {
    std::uint16_t dim = 0;
    std::uint8_t lane = 0;
  };
  struct Head {
    int number = 0;
    float height = 0;  // of a stored bit
    float pin = 0;
    std::array<Row, kHeadDim> rows{};
    // Of the value to write: the bits that are always set, the lanes that are what a dim is, and
    // those that take a sum.
    Row fixed{};
    std::vector<Copy> copies;
    std::vector<std::uint8_t> sums;
    std::vector<Share> outs;  // of all lanes, one behind the other
    std::array<std::uint32_t, kHeadDim + 1> outs_starts{};
  };
  // The place of a row of the projections: 128 of a head's query, of its key, of its value.
  struct Place {
    std::uint32_t head = 0;
    std::uint8_t part = 0, index = 0;
  };
  // A row that is used some tokens late.
  struct Late {
    Place place;
    std::size_t delay = 0;
    std::array<std::int32_t, kConvTaps - 1> past{};  // the last value first
    std::int32_t used = 0;
  };
  // What one head is to do: the rows that its key and its query name.
  struct Access {
    int write = -1, read = -1;
    bool one_hot = true;
    Row value{};
  };

  // What one head is to do at the positions of a batch.
  struct BatchAccess {
    Lanes writes, reads;
    std::array<std::uint8_t, kBatch> write{}, read{};  // rows
    std::array<Row, kBatch> words{};                   // to write, then what was read
  };

  LiftedMixer(const std::vector<WholeRow>& keys, std::size_t hidden, bool search)
      : keys_(keys, hidden, search) {}
  class Recognizer;

  void delay(const Residual& residual);
  void collect(const Residual& residual);
  void name(const Place& place, std::int32_t gate);
  bool takeValue(std::size_t head, const Residual& residual);
  void writeAndRead(Head& head, const Access& access, Residual& residual);
  std::size_t channelOf(const Place& place) const;

  bool nameAll(const Place& place, const Number& gate);
  Number delayed(const Late& late, const Number& now) const;
  bool takeValues(std::size_t head, BatchResidual& batch);
  void writeAndReadAll(Head& head, BatchAccess& access);
  void addWords(const Head& head, BatchAccess& access, BatchResidual& batch);
  static bool isSet(const Row& row, std::size_t lane) {
    return (row[lane / 64] >> lane % 64 & 1) != 0;
  }

  PositiveRows keys_;          // and queries, but for the late ones
  std::vector<Place> key_at_;  // as keys_ numbers them
  RowList values_;             // 128 of each head
  std::vector<Late> late_;
  RowList late_rows_;
  std::vector<Head> heads_;
  std::vector<int> head_of_;      // by the number of a head; -1: not in use
  std::vector<Access> accesses_;  // of each head
  std::vector<BatchAccess> batch_accesses_;
  std::vector<Number> late_now_, late_used_;  // of a batch
  std::vector<std::uint32_t> accessed_;       // heads that have one
};

}  // namespace qgpu::model
