#include "compiler/launch/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace qgpu::launch {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxText = 4096;

// Thrown through the JSON parser, which has no other way to be stopped early.
struct Unacceptable {
  std::string message;
};

// Watches a parse for nesting and doubled keys, of which the parser would keep the last.
class Watcher {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxDepth) throw Unacceptable{fmt::format("is nested deeper than {}", kMaxDepth)};
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        throw Unacceptable{fmt::format("has the key '{}' twice in one object", key)};
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

// The library's message without its preamble: "[json.exception.parse_error.101] parse error at line
// 1, column 2: syntax error ...".
std::string withoutPreamble(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon != message.npos) message.remove_prefix(colon + 2);
  std::string text(message);  // where the library has spelled out control characters
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c > 0x7e; }, '?');
  return text;
}

bool hasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

Expected<JsonReader> JsonReader::parse(std::string_view json, std::string_view origin) {
  JsonReader reader(json, origin);
  const std::string file(origin);
  try {
    Watcher watcher;
    reader.document_ = Json::parse(json.begin(), json.end(), std::ref(watcher));
  } catch (const Json::parse_error& error) {
    const LineColumn at = lineColumnAt(json, error.byte - 1);  // which counts from 1
    return refuseAt({file, at.line, at.column}, "not valid JSON: " + withoutPreamble(error.what()));
  } catch (const Json::exception& error) {
    return refuseAt({file, 0, 0}, "not valid JSON: " + withoutPreamble(error.what()));
  } catch (const Unacceptable& reason) {
    return refuseAt({file, 0, 0}, reason.message);
  }
  return reader;
}

std::optional<JsonNode> JsonReader::find(const JsonNode& object, std::string_view key) const {
  const auto member = object.value->find(key);
  if (member == object.value->end() || member->is_null()) return std::nullopt;
  return JsonNode{&*member, object.path.key(key)};
}

JsonNode JsonReader::require(const JsonNode& object, std::string_view key) {
  if (auto member = find(object, key)) return *member;
  complain(object.path, fmt::format("'{}' is missing", key));
  return object;
}

bool JsonReader::isObject(const JsonNode& node) {
  if (node.value->is_object()) return true;
  complain(node.path, fmt::format("is {}, not an object", describe(*node.value)));
  return false;
}

bool JsonReader::isList(const JsonNode& node, std::size_t limit) {
  if (!node.value->is_array()) {
    complain(node.path, fmt::format("is {}, not a list", describe(*node.value)));
  } else if (node.value->size() > limit) {
    complain(node.path, fmt::format("has {} items", node.value->size()),
             fmt::format("use at most {}", limit));
  } else {
    return true;
  }
  return false;
}

void JsonReader::forEachItem(const JsonNode& list,
                             const std::function<void(const JsonNode&)>& visit) const {
  for (std::size_t i = 0; i < list.value->size() && !failed(); ++i)
    visit({&(*list.value)[i], list.path.item(i)});
}

std::string JsonReader::text(const JsonNode& node) {
  if (!node.value->is_string()) {
    complain(node.path, fmt::format("is {}, not a text", describe(*node.value)));
    return {};
  }
  const auto& text = node.value->get_ref<const std::string&>();
  if (text.size() > kMaxText)
    complain(node.path, fmt::format("is a text of {} bytes", text.size()),
             fmt::format("use at most {}", kMaxText));
  else if (hasControlCharacter(text))
    complain(node.path, "contains a control character");
  return text;
}

std::string JsonReader::optionalText(const JsonNode& object, std::string_view key) {
  const auto member = find(object, key);
  return member ? text(*member) : std::string();
}

std::uint64_t JsonReader::natural(const JsonNode& node, std::uint64_t limit) {
  const Json& value = *node.value;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= limit)
    return value.get<std::uint64_t>();
  complain(node.path, fmt::format("is {}", describe(value)),
           fmt::format("use a whole number from 0 to {}", limit));
  return 0;
}

void JsonReader::complain(const JsonPath& where, std::string_view message, std::string hint) {
  if (failed()) return;
  const LineColumn at = locate(json_, where);
  failure_ = Failure{FailureKind::Refusal,
                     {origin_, at.line, at.column},
                     fmt::format("{}: {}", where.text(), message),
                     std::move(hint)};
}

std::string describe(const Json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_null()) return "null";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (!value.is_string()) return fmt::format("the number {}", value.dump());
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > 40 || hasControlCharacter(text))
    return fmt::format("a text of {} bytes", text.size());
  return fmt::format("the text '{}'", text);
}

}  // namespace qgpu::launch
