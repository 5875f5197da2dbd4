// Reading a JSON text of a known shape, with complaints that point into it. Private to this folder.
//
// The first complaint wins and the rest are dropped, so a reader goes on with default values and
// asks once, at the end, whether all was well:
//
//   auto document = JsonReader::parse(text, "case.json");     // Expected<JsonReader>
//   const JsonNode root = document->root();
//   const std::string entry = document->text(root, "entry");
//   if (document->failed()) return document->failure();
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/launch/json_position.h"
#include "interpreter/base/failure.h"

namespace qgpu::launch {

using Json = nlohmann::json;

// A value of the document and the way to it. Valid as long as its reader.
struct JsonNode {
  const Json* value;
  JsonPath path;
};

class JsonReader {
 public:
  // Refuses what is not JSON, objects with a doubled key, and nesting deeper than 32.
  // `json` must outlive the reader.
  static Expected<JsonReader> parse(std::string_view json, std::string_view origin);

  JsonNode root() const { return {&document_, {}}; }

  // The member `key` of an object; other values have none. Absent: nullopt from `find`, a complaint
  // from `require`, which then gives the object itself. Members that are null count as absent.
  std::optional<JsonNode> find(const JsonNode& object, std::string_view key) const;
  JsonNode require(const JsonNode& object, std::string_view key);

  // Complain unless the node is an object, or a list of at most `limit` items.
  bool isObject(const JsonNode& node);
  bool isList(const JsonNode& node, std::size_t limit);
  // Calls `visit` with each item of a list until something fails.
  void forEachItem(const JsonNode& list, const std::function<void(const JsonNode&)>& visit) const;

  // A string without control characters, at most 4096 bytes.
  std::string text(const JsonNode& node);
  // The same from a member; "" where it is absent.
  std::string optionalText(const JsonNode& object, std::string_view key);
  // A whole number of 0 to `limit`.
  std::uint64_t natural(const JsonNode& node, std::uint64_t limit);

  void complain(const JsonPath& where, std::string_view message, std::string hint = {});
  bool failed() const { return failure_.has_value(); }
  tl::unexpected<Failure> failure() const { return fail(*failure_); }

 private:
  JsonReader(std::string_view json, std::string_view origin) : json_(json), origin_(origin) {}

  std::string_view json_;
  std::string origin_;
  Json document_;
  std::optional<Failure> failure_;
};

// What a value is, for messages: "a list of 3", "the number 7", "the text 'abc'".
std::string describe(const Json& value);

}  // namespace qgpu::launch
