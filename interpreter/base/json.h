// JSON from outside: parsed strictly, read field by field.
//
//   auto document = parseJson(text, "config.json");          // Expected<nlohmann::json>
//   JsonFields fields(*document, "config.json");
//   const std::size_t layers = fields.size("num_hidden_layers", 1, 1024);
//   const std::string kind = fields.string("model_type");
//   if (auto failure = fields.failure()) return fail(*failure);   // the first thing that was wrong
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "interpreter/base/failure.h"

namespace qgpu {

// Parses one JSON document. Refused, with file:line:column: bad syntax or UTF-8, a name given twice
// in an object, nesting deeper than `depth_limit`, a number that no double holds, text after the
// document.
Expected<nlohmann::json> parseJson(std::string_view text, std::string_view file,
                                   std::size_t depth_limit = 32);

// Reads the members of one object, each of which must be there with its type and in its range. The
// first fault is kept and later reads return empty values, so that a caller asks once, at the end.
class JsonFields {
 public:
  // `path` names the object in messages ("text_config"); empty for the document itself.
  JsonFields(const nlohmann::json& object, std::string_view file, std::string_view path = {});

  const std::string& file() const { return file_; }
  bool has(std::string_view name) const;
  std::size_t size(std::string_view name, std::size_t low, std::size_t high);
  double number(std::string_view name, double low, double high);
  bool boolean(std::string_view name);
  std::string string(std::string_view name);
  // The member itself, which must be an object or an array; an empty one after a fault.
  const nlohmann::json& object(std::string_view name);
  const nlohmann::json& array(std::string_view name);

  // A reader of a member that is an object. Its faults are its own until absorb() takes them over.
  JsonFields fieldsOf(std::string_view name);
  void absorb(const JsonFields& inner);

  // Records a fault of the caller's finding about a member.
  void refuse(std::string_view name, std::string_view message, std::string_view hint = {});
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  const nlohmann::json* find(std::string_view name);
  void record(std::string message, std::string_view hint);

  const nlohmann::json& object_;
  std::string file_;
  std::string path_;
  std::optional<Failure> failure_;
};

}  // namespace qgpu
