#include "model/launch/lifted_mixer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/layers/elementwise.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

constexpr std::size_t kDim = kHeadDim;
constexpr std::size_t kParts = 3;
enum Part : std::uint8_t { kQuery, kKey, kValue };
constexpr float kNormEps = 1e-6f;

}  // namespace

// ---- Recognition -------------------------------------------------------------------------------

class LiftedMixer::Recognizer {
 public:
  Recognizer(const LayerWeights& w, const Substrate& s, const WholeRows& whole)
      : w_(w), whole_(whole), heads_(static_cast<std::size_t>(s.heads)) {}

  bool run() {
    for (std::size_t h = 0; h < heads_; ++h)
      if (isUsed(h) && !addHead(h)) return false;
    return addOuts();
  }

  std::vector<WholeRow> keys;
  std::vector<Place> key_at;
  RowList values;
  std::vector<Late> late;
  RowList late_rows;
  std::vector<Head> heads;

 private:
  std::size_t channel(std::size_t part, std::size_t h, std::size_t i) const {
    return (part * heads_ + h) * kDim + i;
  }
  bool isUsed(std::size_t h) const {
    for (std::size_t part = 0; part < kParts; ++part)
      for (std::size_t i = 0; i < kDim; ++i)
        if (!w_.in_proj_qkv.rowColumns(channel(part, h, i)).empty()) return true;
    return false;
  }

  bool addHead(std::size_t h) {
    Head head;
    head.number = static_cast<int>(h);
    const auto beta = whole_.constantRow(w_.in_proj_b, h);
    const float decay =
        std::exp(-std::exp(toFloat(w_.a_log[h])) * softplus(toFloat(w_.dt_bias[h])));
    if (!beta || sigmoid(*beta) != 1.0f || !w_.in_proj_a.rowColumns(h).empty() || decay != 1.0f)
      return false;
    const auto pin = whole_.constantRow(w_.in_proj_qkv, channel(2, h, kDim - 1));
    if (!pin) return false;
    head.pin = *pin;
    head.height = kHeight;
    for (std::size_t part = 0; part < kParts; ++part)
      for (std::size_t i = 0; i < kDim; ++i)
        if (!addRow(h, part, i, head)) return false;
    heads.push_back(std::move(head));
    return true;
  }

  bool addRow(std::size_t h, std::size_t part, std::size_t i, Head& head) {
    const std::size_t c = channel(part, h, i);
    const bool is_pin = part == kValue && i >= kLanes;
    const float unit = part != kValue ? kGateScale : is_pin ? head.pin : head.height;
    const auto row = whole_.row(w_.in_proj_qkv, c, unit);
    if (!row || (is_pin && (row->constant != 1 || !row->terms.empty()))) return false;
    const Place place{static_cast<std::uint32_t>(heads.size()), static_cast<std::uint8_t>(part),
                      static_cast<std::uint8_t>(i)};
    std::size_t delay = 0;
    if (!row->terms.empty() || row->constant != 0) {
      const auto taps = w_.conv1d.rowColumns(c);
      if (taps.size() != 1 || toFloat(w_.conv1d.rowValues(c)[0]) != 1.0f) return false;
      delay = kConvTaps - 1 - taps[0];
      if (is_pin && delay > 0) return false;
    }
    return file(*row, place, delay, head);
  }

  // False for a fixed lane worth more than a bit.
  bool file(const WholeRow& row, const Place& place, std::size_t delay, Head& head) {
    if (place.part == kValue) values.add(row);
    if (delay > 0) {
      late.push_back({place, delay, {}, 0});
      late_rows.add(row);
    } else if (place.part != kValue) {
      keys.push_back(row);
      key_at.push_back(place);
    } else if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].second == 1) {
      head.copies.push_back({row.terms[0].first, place.index});
    } else if (!row.terms.empty()) {
      head.sums.push_back(place.index);
    } else if (row.constant > 0) {
      head.fixed[place.index / 64u] |= std::uint64_t{1} << place.index % 64;
      return row.constant == 1;
    }
    return true;
  }

  // What a row with the given bits leaves the gated norm as, by the stock formulas.
  std::array<float, kDim> readOut(const Head& head, const std::array<float, kDim>& gate,
                                  bool bits) const {
    std::array<float, kDim> key{}, out{};
    key[0] = kGateScale;
    l2Normalize(key, kNormEps);
    const float query = key[0] / std::sqrt(static_cast<float>(kDim));
    for (std::size_t j = 0; j < kDim; ++j)
      out[j] = (j >= kLanes ? head.pin : bits ? head.height : 0.0f) * query;
    gatedRmsNorm<Rounding::Float32>(out, gate, WeightView(std::span<const bfloat16>(w_.norm)),
                                    kNormEps);
    return out;
  }

  bool addOuts() {
    for (Head& head : heads) {
      std::array<float, kDim> gate{};
      const auto h = static_cast<std::size_t>(head.number);
      for (std::size_t j = 0; j < kDim; ++j) {
        const auto z = whole_.constantRow(w_.in_proj_z, h * kDim + j);
        if (!z) return false;
        gate[j] = *z;
      }
      const auto full = readOut(head, gate, true), empty = readOut(head, gate, false);
      for (std::size_t j = kLanes; j < kDim; ++j)
        if (full[j] != empty[j]) return false;
      for (std::size_t j = 0; j < kDim; ++j)
        if (!addLane(head, j, full[j])) return false;
    }
    return true;
  }

  bool addLane(Head& head, std::size_t lane, float read) const {
    const std::size_t column = static_cast<std::size_t>(head.number) * kDim + lane;
    for (const auto& [dim, weight] : outColumn(column)) {
      const double amount = static_cast<double>(weight) * read;
      if (amount == 0) continue;
      if (!isWhole(amount) || whole_.isConstant(dim)) return false;
      head.outs.push_back({dim, static_cast<float>(amount)});
    }
    head.outs_starts[lane + 1] = static_cast<std::uint32_t>(head.outs.size());
    return true;
  }

  // out_proj by columns.
  const std::vector<std::pair<std::uint16_t, float>>& outColumn(std::size_t column) const {
    if (columns_.empty()) {
      columns_.resize(w_.out_proj.columns());
      for (std::size_t dim = 0; dim < w_.out_proj.rows(); ++dim) {
        const auto at = w_.out_proj.rowColumns(dim);
        for (std::size_t i = 0; i < at.size(); ++i)
          columns_[at[i]].emplace_back(static_cast<std::uint16_t>(dim),
                                       toFloat(w_.out_proj.rowValues(dim)[i]));
      }
    }
    return columns_[column];
  }

  static constexpr float kHeight = 146.0f;

  const LayerWeights& w_;
  const WholeRows& whole_;
  std::size_t heads_;
  mutable std::vector<std::vector<std::pair<std::uint16_t, float>>> columns_;
};

std::optional<LiftedMixer> LiftedMixer::recognize(const LayerWeights& w, const Substrate& substrate,
                                                  std::span<const Entry> constants, bool search) {
  const auto whole = WholeRows::behind(w.input_layernorm, constants, substrate);
  if (!whole) return std::nullopt;
  Recognizer found(w, substrate, *whole);
  if (!found.run()) return std::nullopt;
  LiftedMixer mixer(found.keys, static_cast<std::size_t>(substrate.hidden), search);
  for (std::size_t i = 0; i < mixer.keys_.size(); ++i)
    mixer.key_at_.push_back(found.key_at[mixer.keys_.original(i)]);
  mixer.values_ = std::move(found.values);
  mixer.late_ = std::move(found.late);
  mixer.late_rows_ = std::move(found.late_rows);
  mixer.heads_ = std::move(found.heads);
  mixer.accesses_.resize(mixer.heads_.size());
  mixer.head_of_.assign(static_cast<std::size_t>(substrate.heads), -1);
  for (std::size_t h = 0; h < mixer.heads_.size(); ++h)
    mixer.head_of_[static_cast<std::size_t>(mixer.heads_[h].number)] = static_cast<int>(h);
  return mixer;
}

// ---- One token ---------------------------------------------------------------------------------

void LiftedMixer::delay(const Residual& residual) {
  for (std::size_t i = 0; i < late_.size(); ++i) {
    Late& late = late_[i];
    late.used = late.past[late.delay - 1];
    std::shift_right(late.past.begin(), late.past.end(), 1);
    late.past[0] = late_rows_.sum(i, residual);
  }
}

// A row of a key or a query is open: there must be no other, and its gate must be 1.
void LiftedMixer::name(const Place& place, std::int32_t gate) {
  Access& access = accesses_[place.head];
  if (access.read < 0 && access.write < 0) accessed_.push_back(place.head);
  int& row = place.part == kQuery ? access.read : access.write;
  access.one_hot = access.one_hot && row < 0 && gate == 1;
  row = place.index;
}

void LiftedMixer::collect(const Residual& residual) {
  for (const std::uint32_t head : accessed_) accesses_[head] = {};
  accessed_.clear();
  for (const auto& [row, gate] : keys_.find(residual)) name(key_at_[row], gate);
  for (const Late& late : late_)
    if (late.place.part != kValue && late.used > 0) name(late.place, late.used);
}

// False where a lane is worth more than a bit.
bool LiftedMixer::takeValue(std::size_t head, const Residual& residual) {
  Row value = heads_[head].fixed;
  bool is_bits = true;
  const auto put = [&](std::size_t lane, auto sum) {
    is_bits = is_bits && sum <= 1;
    value[lane / 64] |= std::uint64_t{sum == 1} << lane % 64;
  };
  for (const Copy& copy : heads_[head].copies) put(copy.lane, residual[copy.dim]);
  for (const std::uint8_t lane : heads_[head].sums)
    put(lane, values_.sum(head * kDim + lane, residual));
  for (const Late& late : late_)
    if (late.place.part == kValue && late.place.head == head) put(late.place.index, late.used);
  accesses_[head].value = value;
  return is_bits;
}

void LiftedMixer::writeAndRead(Head& head, const Access& access, Residual& residual) {
  if (access.write >= 0) head.rows[static_cast<std::size_t>(access.write)] = access.value;
  if (access.read < 0) return;
  const Row& row = head.rows[static_cast<std::size_t>(access.read)];
  for (std::size_t w = 0; w < row.size(); ++w)
    for (std::uint64_t left = row[w]; left != 0; left &= left - 1) {
      const std::size_t lane = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
      for (std::uint32_t i = head.outs_starts[lane]; i < head.outs_starts[lane + 1]; ++i)
        residual.add(head.outs[i].dim, head.outs[i].amount);
    }
}

bool LiftedMixer::addTo(Residual& residual) {
  if (!residual.settle()) return false;
  const std::vector<Late> before = late_;
  delay(residual);
  collect(residual);
  bool exact = true;
  for (const std::uint32_t head : accessed_)
    exact = exact && accesses_[head].one_hot &&
            (accesses_[head].write < 0 || takeValue(head, residual));
  if (!exact) return late_ = before, false;
  for (const std::uint32_t head : accessed_) writeAndRead(heads_[head], accesses_[head], residual);
  return true;
}

void LiftedMixer::reset() {
  for (Head& head : heads_) head.rows.fill({});
  for (Late& late : late_) late.past.fill(0);
}

std::uint64_t LiftedMixer::word(int number, int row) const {
  const int head = head_of_[static_cast<std::size_t>(number)];
  if (head < 0) return 0;
  return heads_[static_cast<std::size_t>(head)].rows[static_cast<std::size_t>(row)][0];
}

std::size_t LiftedMixer::channelOf(const Place& place) const {
  const auto number = static_cast<std::size_t>(heads_[place.head].number);
  return (place.part * head_of_.size() + number) * kDim + place.index;
}

void LiftedMixer::stateOf(GatedDeltaNetState& state) const {
  std::ranges::fill(state.conv, 0.0f);
  std::ranges::fill(state.recurrent, 0.0f);
  for (const Head& head : heads_)
    for (std::size_t r = 0; r < kDim; ++r)
      for (std::size_t j = 0; j < kDim; ++j)
        if (isSet(head.rows[r], j))
          state.recurrent[(static_cast<std::size_t>(head.number) * kDim + r) * kDim + j] =
              j >= kLanes ? head.pin : head.height;
  const std::size_t width = state.conv.size() / (kConvTaps - 1);
  for (const Late& late : late_) {
    const float unit = late.place.part != kValue ? kGateScale : heads_[late.place.head].height;
    for (std::size_t i = 0; i < late.past.size(); ++i)
      state.conv[(late.past.size() - 1 - i) * width + channelOf(late.place)] =
          static_cast<float>(late.past[i]) * unit;
  }
}

}  // namespace qgpu::model
