#include "tools/chat/grammar/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace qgpu::chat {
namespace {

constexpr std::size_t kAmple = 4096;  // no end is longer

}  // namespace

bool endsWithin(const Recogniser& at, std::size_t budget) {
  return budget >= kAmple || at.end().size() <= budget;
}

Expected<Vocabulary> Vocabulary::create(const model::Tokenizer& tokenizer) {
  Vocabulary vocabulary;
  std::array<bool, 256> single{};
  for (model::TokenId token = 0; token < tokenizer.size(); ++token) {
    const std::string_view bytes = tokenizer.bytes(token);
    if (bytes.empty() || tokenizer.isAdded(token)) continue;
    vocabulary.entries_.push_back({.bytes = bytes, .token = token});
    if (bytes.size() == 1) single[static_cast<unsigned char>(bytes[0])] = true;
  }
  if (const auto missing = std::ranges::find(single, false); missing != single.end())
    return refuse(
        fmt::format("the tokenizer has no token for the byte {}", missing - single.begin()),
        "use the tokenizer.json that came with the model");
  std::vector<Entry>& entries = vocabulary.entries_;
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.bytes, e.token); });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const auto [a, b] = std::ranges::mismatch(entries[i - 1].bytes, entries[i].bytes);
    entries[i].shared = static_cast<std::size_t>(b - entries[i].bytes.begin());
  }
  return vocabulary;
}

void Vocabulary::allowed(const Recogniser& at, std::size_t budget,
                         std::vector<model::TokenId>& tokens) const {
  tokens.clear();
  if (budget == 0) return;
  // path[n] is the point behind n bytes of the entry; an impossible byte ends it.
  std::vector<Recogniser> path{at};
  for (const Entry& entry : entries_) {
    const bool impossible = path.size() - 1 < entry.shared;
    if (impossible) continue;  // it shares the byte that could not stand there
    path.erase(path.begin() + static_cast<std::ptrdiff_t>(entry.shared) + 1, path.end());
    while (path.size() <= entry.bytes.size()) {
      Recogniser next = path.back();
      if (!next.accept(entry.bytes[path.size() - 1])) break;
      path.push_back(next);
    }
    if (path.size() > entry.bytes.size() && endsWithin(path.back(), budget - 1))
      tokens.push_back(entry.token);
  }
}

}  // namespace qgpu::chat
