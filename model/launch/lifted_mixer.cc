#include "model/launch/lifted_mixer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/launch/whole_rows.h"
#include "model/layers/elementwise.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

constexpr std::size_t kDim = kHeadDim;
constexpr std::size_t kParts = 3;  // query, key, value
constexpr std::size_t kHeadRows = kParts * kDim;
constexpr std::size_t kPartGroups = kDim / kGroup;
constexpr float kNormEps = 1e-6f;

std::size_t firstGroup(std::size_t head, std::size_t part) {
  return (head * kParts + part) * kPartGroups;
}

}  // namespace

// ---- Recognition -------------------------------------------------------------------------------

class LiftedMixer::Recognizer {
 public:
  Recognizer(const LayerWeights& w, const Substrate& s, const WholeRows& whole)
      : w_(w), whole_(whole), heads_(static_cast<std::size_t>(s.heads)) {}

  bool run() {
    for (std::size_t h = 0; h < heads_; ++h)
      if (isUsed(h) && !addHead(h)) return false;
    return heads.size() * kParts * kPartGroups <= kMostGroups && addOuts();
  }

  std::vector<WholeRow> rows;
  std::vector<Head> heads;
  std::vector<Late> late;
  std::vector<std::uint32_t> channels;

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

  bool addRow(std::size_t h, std::size_t part, std::size_t i, const Head& head) {
    const std::size_t c = channel(part, h, i);
    const bool is_pin = part == 2 && i >= kLanes;
    const float unit = part < 2 ? kGateScale : is_pin ? head.pin : head.height;
    auto row = whole_.row(w_.in_proj_qkv, c, unit);
    if (!row) return false;
    if (is_pin && (row->constant != 1 || !row->terms.empty())) return false;
    if (!row->terms.empty() || row->constant != 0) {
      const auto taps = w_.conv1d.rowColumns(c);
      if (taps.size() != 1 || toFloat(w_.conv1d.rowValues(c)[0]) != 1.0f) return false;
      if (const std::size_t delay = kConvTaps - 1 - taps[0]; delay > 0)
        late.push_back({static_cast<std::uint32_t>(rows.size()), delay, {}});
      if (is_pin && taps[0] != kConvTaps - 1) return false;
    }
    rows.push_back(std::move(*row));
    channels.push_back(static_cast<std::uint32_t>(c));
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
      head.outs[lane].push_back({dim, static_cast<float>(amount)});
    }
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
                                                  std::span<const Entry> constants,
                                                  const BankOptions& options) {
  const auto whole = WholeRows::behind(w.input_layernorm, constants, substrate);
  if (!whole) return std::nullopt;
  Recognizer found(w, substrate, *whole);
  if (!found.run()) return std::nullopt;
  LiftedMixer mixer(std::move(found.rows), static_cast<std::size_t>(substrate.hidden), options);
  mixer.heads_ = std::move(found.heads);
  mixer.head_of_.assign(static_cast<std::size_t>(substrate.heads), -1);
  for (std::size_t h = 0; h < mixer.heads_.size(); ++h)
    mixer.head_of_[static_cast<std::size_t>(mixer.heads_[h].number)] = static_cast<int>(h);
  mixer.late_ = std::move(found.late);
  mixer.channels_ = std::move(found.channels);
  return mixer;
}

// ---- One token ---------------------------------------------------------------------------------

void LiftedMixer::delay() {
  for (Late& late : late_) {
    std::int32_t& sum = rows_.sums()[late.row];
    const std::int32_t now = sum;
    sum = late.past[late.delay - 1];
    for (std::size_t i = late.past.size() - 1; i > 0; --i) late.past[i] = late.past[i - 1];
    late.past[0] = now;
    rows_.touch(late.row / kGroup);
  }
}

// The one row of two groups that is open: -1 for none, -2 for what is not one-hot.
int LiftedMixer::openRow(std::size_t group) const {
  const std::uint64_t low = positiveRows(rows_.sums(), group);
  const std::uint64_t high = positiveRows(rows_.sums(), group + 1);
  const int count = std::popcount(low) + std::popcount(high);
  if (count == 0) return -1;
  const int row = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high);
  const std::int32_t gate = rows_.sums()[group * kGroup + static_cast<std::size_t>(row)];
  return count == 1 && gate == 1 ? row : -2;
}

// False where a lane is worth more than a bit.
bool LiftedMixer::valueOf(std::size_t head, Row& value) const {
  const std::int32_t* sums = rows_.sums().data() + firstGroup(head, 2) * kGroup;
  for (std::size_t j = 0; j < kDim; ++j) {
    if (sums[j] > 1) return false;
    if (sums[j] == 1) value[j / 64] |= std::uint64_t{1} << j % 64;
  }
  return true;
}

bool LiftedMixer::access(std::size_t head, Access& access) const {
  access.head = head;
  access.read = openRow(firstGroup(head, 0));
  access.write = openRow(firstGroup(head, 1));
  if (access.read == -2 || access.write == -2) return false;
  return access.write < 0 || valueOf(head, access.value);
}

bool LiftedMixer::addTo(Residual& residual) {
  if (!residual.settle()) return false;
  rows_.gather(residual);
  const std::vector<Late> before = late_;
  delay();
  accesses_.clear();
  bool exact = true;
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    Access next;
    exact = exact && access(h, next);
    if (next.read >= 0 || next.write >= 0) accesses_.push_back(next);
  }
  rows_.restore();
  if (!exact) return late_ = before, false;
  for (const Access& a : accesses_) {
    Head& head = heads_[a.head];
    if (a.write >= 0) head.rows[static_cast<std::size_t>(a.write)] = a.value;
    if (a.read < 0) continue;
    const Row& row = head.rows[static_cast<std::size_t>(a.read)];
    for (std::size_t w = 0; w < row.size(); ++w)
      for (std::uint64_t left = row[w]; left != 0; left &= left - 1)
        for (const Share& s : head.outs[w * 64 + static_cast<std::size_t>(std::countr_zero(left))])
          residual.add(s.dim, s.amount);
  }
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
    const std::size_t part = late.row % kHeadRows / kDim;
    const float unit = part < 2 ? kGateScale : heads_[late.row / kHeadRows].height;
    for (std::size_t i = 0; i < late.past.size(); ++i)
      state.conv[(late.past.size() - 1 - i) * width + channels_[late.row]] =
          static_cast<float>(late.past[i]) * unit;
  }
}

}  // namespace qgpu::model
