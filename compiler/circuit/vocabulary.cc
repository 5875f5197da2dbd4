#include "compiler/circuit/vocabulary.h"

#include <algorithm>
#include <map>

namespace qgpu::circuit {

std::vector<Entry> embeddingRow(const CompiledNet& compiled, std::span<const WireValue> inputs) {
  std::map<std::uint32_t, float> row;
  for (const Entry& e : compiled.constants) row[e.column] = e.value;
  for (const WireValue& input : inputs)
    if (compiled.dim(input.wire) >= 0)
      row[static_cast<std::uint32_t>(compiled.dim(input.wire))] =
          compiled.encode(input.wire, input.value);
  std::vector<Entry> entries;
  for (const auto& [column, value] : row)
    if (value != 0) entries.push_back({0, column, value});
  return entries;
}

float logitWeight(const CompiledNet& compiled) {
  return kLogitPerBit * Constants(compiled.substrate).unit_weight;
}

std::vector<Entry> unembeddingRow(const CompiledNet& compiled, std::span<const Wire> code,
                                  std::uint64_t value) {
  const float weight = logitWeight(compiled);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < code.size(); ++i) {
    check(compiled.encodings[code[i].id] == Encoding::Sign, "a code wire is read by its sign");
    entries.push_back({0, static_cast<std::uint32_t>(compiled.dim(code[i])),
                       (value >> i & 1) != 0 ? weight : -weight});
  }
  std::ranges::sort(entries, {}, &Entry::column);
  return entries;
}

std::vector<bfloat16> finalNorm(const CompiledNet& compiled) {
  std::vector<bfloat16> gain(static_cast<std::size_t>(compiled.substrate.hidden), toBfloat16(-1));
  std::fill_n(gain.begin() + compiled.substrate.first_dim, compiled.substrate.dims, toBfloat16(0));
  return gain;
}

}  // namespace qgpu::circuit
