// lifted_mixer.h at all positions of a batch: keys, queries and values at all of them at once, then
// the reads and writes in order.
#include <algorithm>

#include "model/launch/lifted_mixer.h"

namespace qgpu::model {
namespace {

using Words = std::array<std::uint64_t, 64>;

// Bit j of word i becomes bit i of word j.
void transpose(Words& m) {
  std::uint64_t mask = 0x00000000ffffffff;
  for (unsigned half = 32; half != 0; half /= 2, mask ^= mask << half)
    for (unsigned i = 0; i < 64; i = (i + half + 1) & ~half) {
      const std::uint64_t swapped = (m[i] >> half ^ m[i + half]) & mask;
      m[i] ^= swapped << half;
      m[i + half] ^= swapped;
    }
}

}  // namespace

// A row of a key or a query is open at some positions: there must be no other, and its gate 1.
bool LiftedMixer::nameAll(const Place& place, const Number& gate) {
  BatchAccess& access = batch_accesses_[place.head];
  const Lanes open = nonzero(gate);
  Lanes one = gate.at(0).without(gate.sign);
  for (int k = 1; k < gate.planes; ++k) one = one.without(gate.plane[k]);
  Lanes& named = place.part == 0 ? access.reads : access.writes;
  if (!(one == open) || (named & open).any()) return false;
  named |= open;
  auto& rows = place.part == 0 ? access.read : access.write;
  open.forEach([&](std::size_t position) { rows[position] = place.index; });
  return true;
}

// `now`, some positions later; before it comes what the last batch left.
Number LiftedMixer::delayed(const Late& late, const Number& now) const {
  Number later;
  const auto shift = [&](const Lanes& lanes) {
    Lanes shifted;
    for (std::size_t i = 0; i < shifted.w.size(); ++i)
      shifted.w[i] = lanes.w[i] << late.delay | (i > 0 ? lanes.w[i - 1] >> (64 - late.delay) : 0);
    return shifted;
  };
  later.planes = now.planes;
  for (int k = 0; k < now.planes; ++k) later.plane[k] = shift(now.plane[k]);
  later.sign = shift(now.sign);
  for (std::size_t p = 0; p < late.delay; ++p) {
    Lanes here;
    here.insert(p);
    addConstant(later, here, late.past[late.delay - 1 - p]);
  }
  return later;
}

// The words that a head writes. False where a lane of one is worth more than a bit.
bool LiftedMixer::takeValues(std::size_t head, BatchResidual& batch) {
  BatchAccess& access = batch_accesses_[head];
  std::array<Lanes, kHeadDim> lanes{};
  bool is_bits = true;
  const auto put = [&](std::size_t lane, const Number& sum) {
    const Lanes above = positive(sum), bit = sum.at(0);
    Lanes more;
    for (int k = 1; k < sum.planes; ++k) more |= sum.plane[k];
    is_bits = is_bits && !(above & more & access.writes).any();
    lanes[lane] = above & bit;
  };
  for (std::size_t lane = 0; lane < kHeadDim; ++lane)
    if (isSet(heads_[head].fixed, lane)) lanes[lane] = access.writes;
  for (const Copy& copy : heads_[head].copies) {
    const Lanes more = batch.other(copy.dim).without(batch.negative(copy.dim));
    is_bits = is_bits && !(more & access.writes).any();
    lanes[copy.lane] = batch.one(copy.dim);
  }
  for (const std::uint8_t lane : heads_[head].sums) {
    const std::size_t row = head * kHeadDim + lane;
    Number sum;
    addConstant(sum, batch.positions(), values_.constant(row));
    for (const RowList::Term& t : values_.terms(row)) addProduct(sum, batch.dim(t.dim), t.factor);
    put(lane, sum);
  }
  for (std::size_t i = 0; i < late_.size(); ++i)
    if (late_[i].place.part == 2 && late_[i].place.head == head)
      put(late_[i].place.index, late_used_[i]);
  if (!is_bits) return false;
  for (std::size_t w = 0; w < 2; ++w)
    for (std::size_t i = 0; i < kBatch / 64; ++i) {
      Words words;
      for (std::size_t j = 0; j < 64; ++j) words[j] = lanes[w * 64 + j].w[i];
      transpose(words);
      for (std::size_t p = 0; p < 64; ++p) access.words[i * 64 + p][w] = words[p];
    }
  return true;
}

void LiftedMixer::writeAndReadAll(Head& head, BatchAccess& access) {
  (access.writes | access.reads).forEach([&](std::size_t p) {
    if (access.writes.has(p)) head.rows[access.write[p]] = access.words[p];
    access.words[p] = access.reads.has(p) ? head.rows[access.read[p]] : Row{};
  });
}

void LiftedMixer::addWords(const Head& head, BatchAccess& access, BatchResidual& batch) {
  for (std::size_t w = 0; w < 2; ++w) {
    std::array<Lanes, 64> lanes{};
    for (std::size_t i = 0; i < kBatch / 64; ++i) {
      Words words;
      for (std::size_t p = 0; p < 64; ++p)
        words[p] = access.reads.has(i * 64 + p) ? access.words[i * 64 + p][w] : 0;
      transpose(words);
      for (std::size_t j = 0; j < 64; ++j) lanes[j].w[i] = words[j];
    }
    for (std::size_t j = 0; j < 64; ++j) {
      if (!lanes[j].any()) continue;
      const Number bit = Number::bits(lanes[j]);
      for (std::uint32_t i = head.outs_starts[w * 64 + j]; i < head.outs_starts[w * 64 + j + 1];
           ++i)
        batch.add(head.outs[i].dim, bit, static_cast<std::int32_t>(head.outs[i].amount));
    }
  }
}

bool LiftedMixer::addTo(BatchResidual& batch) {
  if (!batch.settle()) return false;
  batch_accesses_.resize(heads_.size());
  late_now_.resize(late_.size());
  late_used_.resize(late_.size());
  for (BatchAccess& access : batch_accesses_) access.writes = access.reads = {};
  bool exact = true;
  keys_.findAll(batch, [&](std::uint32_t row, const Number& gate) {
    exact = exact && nameAll(key_at_[row], gate);
  });
  for (std::size_t i = 0; i < late_.size() && exact; ++i) {
    late_now_[i] = Number();
    addConstant(late_now_[i], batch.positions(), late_rows_.constant(i));
    for (const RowList::Term& t : late_rows_.terms(i))
      addProduct(late_now_[i], batch.dim(t.dim), t.factor);
    late_used_[i] = delayed(late_[i], late_now_[i]);
    restrict(late_used_[i], batch.positions());
    Number open = late_used_[i];
    restrict(open, positive(open));
    if (late_[i].place.part != 2 && nonzero(open).any()) exact = nameAll(late_[i].place, open);
  }
  for (std::size_t h = 0; h < heads_.size() && exact; ++h)
    exact = !batch_accesses_[h].writes.any() || takeValues(h, batch);
  if (!exact) return false;
  for (std::size_t i = 0; i < late_.size(); ++i) {
    std::array<std::int32_t, kConvTaps - 1> past = late_[i].past;
    for (std::size_t back = 0; back < past.size(); ++back)
      past[back] = back < batch.size() ? late_now_[i].valueAt(batch.size() - 1 - back)
                                       : late_[i].past[back - batch.size()];
    late_[i].past = past;
  }
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    BatchAccess& access = batch_accesses_[h];
    if (!(access.writes | access.reads).any()) continue;
    writeAndReadAll(heads_[h], access);
    if (access.reads.any()) addWords(heads_[h], access, batch);
  }
  return true;
}

}  // namespace qgpu::model
