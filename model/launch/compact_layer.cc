#include "model/launch/compact_layer.h"

#include <array>
#include <cmath>
#include <limits>

#include "model/layers/elementwise.h"
#include "model/layers/linear.h"
#include "model/weights/substrate.h"

namespace qgpu::model {
namespace {

static_assert(kHeadDim % kSumLanes == 0, "without a head the others keep their lanes");
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Where the rows or columns of a matrix go: old[i] is the one that becomes the i-th, or kNone for
// zeros.
using Selection = std::vector<std::size_t>;

SparseMatrix selectRows(const SparseMatrix& m, const Selection& old) {
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < old.size(); ++r) {
    if (old[r] == kNone) continue;
    const auto columns = m.rowColumns(old[r]);
    for (std::size_t i = 0; i < columns.size(); ++i)
      entries.push_back(
          {static_cast<std::uint32_t>(r), columns[i], toFloat(m.rowValues(old[r])[i])});
  }
  return {old.size(), m.columns(), std::move(entries)};
}

SparseMatrix selectColumns(const SparseMatrix& m, const Selection& old) {
  std::vector<std::size_t> now(m.columns(), kNone);
  for (std::size_t c = 0; c < old.size(); ++c)
    if (old[c] != kNone) now[old[c]] = c;
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < m.rows(); ++r) {
    const auto columns = m.rowColumns(r);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (now[columns[i]] != kNone)
        entries.push_back({static_cast<std::uint32_t>(r),
                           static_cast<std::uint32_t>(now[columns[i]]),
                           toFloat(m.rowValues(r)[i])});
  }
  return {m.rows(), old.size(), std::move(entries)};
}

std::vector<bfloat16> select(const std::vector<bfloat16>& v, const Selection& old) {
  std::vector<bfloat16> selected;
  for (const std::size_t i : old) selected.push_back(v[i]);
  return selected;
}

bool hasRows(const SparseMatrix& m, std::size_t first, std::size_t count) {
  for (std::size_t r = first; r < first + count; ++r)
    if (!m.rowColumns(r).empty()) return true;
  return false;
}

// An A_log can be so large that exp(A_log) * softplus(dt_bias) is infinity times zero.
bool decays(const LayerWeights& w, std::size_t head) {
  return !std::isnan(std::exp(toFloat(w.a_log[head])) * softplus(toFloat(w.dt_bias[head])));
}

bool isUsed(const LayerWeights& w, std::size_t heads, std::size_t head) {
  for (std::size_t part = 0; part < 3; ++part)
    if (hasRows(w.in_proj_qkv, (part * heads + head) * kHeadDim, kHeadDim)) return true;
  return hasRows(w.in_proj_z, head * kHeadDim, kHeadDim) || hasRows(w.in_proj_b, head, 1) ||
         hasRows(w.in_proj_a, head, 1) || !decays(w, head);
}

Selection usedHeads(const LayerWeights& w, std::size_t heads) {
  Selection used;
  for (std::size_t head = 0; head < heads; ++head)
    if (isUsed(w, heads, head)) used.push_back(head);
  if (used.empty()) used.push_back(0);
  return used;
}

// The channels of the heads: of one part, or of q, k and v.
Selection channels(const Selection& heads, std::size_t all_heads, std::size_t parts) {
  Selection selected;
  for (std::size_t part = 0; part < parts; ++part)
    for (const std::size_t head : heads)
      for (std::size_t i = 0; i < kHeadDim; ++i)
        selected.push_back((part * all_heads + head) * kHeadDim + i);
  return selected;
}

// Units keep their place within groups of kSumLanes.
Selection usedUnits(const LayerWeights& w) {
  std::vector<bool> is_read(w.down_proj.columns());
  for (std::size_t r = 0; r < w.down_proj.rows(); ++r)
    for (const std::uint16_t unit : w.down_proj.rowColumns(r)) is_read[unit] = true;
  Selection used(kSumLanes, kNone);
  std::array<std::size_t, kSumLanes> next;
  for (std::size_t lane = 0; lane < kSumLanes; ++lane) next[lane] = lane;
  for (std::size_t unit = 0; unit < w.gate_proj.rows(); ++unit) {
    if (!is_read[unit] || !(hasRows(w.gate_proj, unit, 1) || hasRows(w.up_proj, unit, 1))) continue;
    std::size_t& place = next[unit % kSumLanes];
    if (place >= used.size()) used.resize(used.size() + kSumLanes, kNone);
    used[place] = unit;
    place += kSumLanes;
  }
  return used;
}

}  // namespace

CompactLayer compact(const LayerWeights& w, const Substrate& substrate) {
  const auto all = static_cast<std::size_t>(substrate.heads);
  CompactLayer small{.weights = w, .heads = usedHeads(w, all)};
  const Selection one = channels(small.heads, all, 1), three = channels(small.heads, all, 3);
  small.weights.in_proj_qkv = selectRows(w.in_proj_qkv, three);
  small.weights.conv1d = selectRows(w.conv1d, three);
  small.weights.in_proj_z = selectRows(w.in_proj_z, one);
  small.weights.in_proj_b = selectRows(w.in_proj_b, small.heads);
  small.weights.in_proj_a = selectRows(w.in_proj_a, small.heads);
  small.weights.dt_bias = select(w.dt_bias, small.heads);
  small.weights.a_log = select(w.a_log, small.heads);
  small.weights.out_proj = selectColumns(w.out_proj, one);
  const Selection units = usedUnits(w);
  small.weights.gate_proj = selectRows(w.gate_proj, units);
  small.weights.up_proj = selectRows(w.up_proj, units);
  small.weights.down_proj = selectColumns(w.down_proj, units);
  return small;
}

}  // namespace qgpu::model
