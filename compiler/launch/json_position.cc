#include "compiler/launch/json_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace qgpu::launch {
namespace {

// Walks over a JSON text known to be well formed; on any surprise it stops at the end.
class Walker {
 public:
  explicit Walker(std::string_view json) : json_(json) {}

  std::size_t position() const { return at_; }
  void moveTo(std::size_t position) { at_ = position; }

  void skipSpace() {
    while (at_ < json_.size() && std::string_view(" \t\r\n").find(json_[at_]) != json_.npos) ++at_;
  }
  char peek() {
    skipSpace();
    return at_ < json_.size() ? json_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // Past a string; its text between the quotes, escapes as written.
  std::string_view takeString() {
    take('"');
    const std::size_t begin = at_;
    while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
    const std::string_view text = json_.substr(begin, at_ - begin);
    if (at_ < json_.size()) ++at_;
    return text;
  }
  // Past a whole value, however deeply nested.
  void skipValue() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return;
      if (c == '"') {
        takeString();
      } else if (c == '[' || c == '{') {
        ++at_, ++depth;
      } else if (c == ']' || c == '}') {
        ++at_, --depth;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        skipAtom();
      }
    } while (depth > 0);
  }

 private:
  void skipAtom() {
    while (at_ < json_.size() && std::string_view(" \t\r\n,:]}").find(json_[at_]) == json_.npos)
      ++at_;
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

// Moves from a value to one of its children. The last of several equal keys counts, as in the
// parser.
bool enter(Walker& walker, const JsonPath::Step& step) {
  if (!walker.take(step.is_item ? '[' : '{')) return false;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; walker.peek() != (step.is_item ? ']' : '}'); ++i) {
    if (walker.peek() == '\0') break;
    bool matches = step.is_item && i == step.index;
    if (!step.is_item) {
      matches = walker.takeString() == step.key;
      walker.take(':');
    }
    walker.skipSpace();
    if (matches) found = walker.position();
    walker.skipValue();
    walker.take(',');
  }
  if (found) walker.moveTo(*found);
  return found.has_value();
}

}  // namespace

JsonPath JsonPath::key(std::string_view name) const {
  JsonPath longer = *this;
  longer.steps_.push_back({std::string(name), 0, false});
  return longer;
}

JsonPath JsonPath::item(std::size_t index) const {
  JsonPath longer = *this;
  longer.steps_.push_back({{}, index, true});
  return longer;
}

std::string JsonPath::text() const {
  std::string text;
  for (const Step& step : steps_)
    text += step.is_item ? fmt::format("[{}]", step.index)
                         : fmt::format("{}{}", text.empty() ? "" : ".", step.key);
  return text.empty() ? "the file" : text;
}

LineColumn lineColumnAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == before.npos ? before.size() : before.size() - last - 1;
  return {static_cast<int>(lines) + 1, static_cast<int>(column) + 1};
}

LineColumn locate(std::string_view json, const JsonPath& path) {
  Walker walker(json.starts_with("\xef\xbb\xbf") ? json.substr(3) : json);
  walker.skipSpace();
  std::size_t position = walker.position();
  for (const JsonPath::Step& step : path.steps()) {
    if (!enter(walker, step)) break;
    position = walker.position();
  }
  return lineColumnAt(json, position + (json.starts_with("\xef\xbb\xbf") ? 3 : 0));
}

}  // namespace qgpu::launch
