// Where a value stands in a JSON text, so that a complaint about a parsed document can point at its
// line and column.
//
//   JsonPath path = JsonPath().key("params").item(2).key("data");
//   path.text();                                  // "params[2].data"
//   locate(R"({"params":[1,2,{"data":7}]})", path);   // {1, 24}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qgpu::launch {

// The steps from the document's root to a value.
class JsonPath {
 public:
  JsonPath key(std::string_view name) const;
  JsonPath item(std::size_t index) const;
  // "params[2].data"; "the file" for the root.
  std::string text() const;

  struct Step {
    std::string key;  // empty key and is_item: an array's item
    std::size_t index = 0;
    bool is_item = false;
  };
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

// Counting from 1.
struct LineColumn {
  int line = 1;
  int column = 1;
  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};
LineColumn lineColumnAt(std::string_view text, std::size_t offset);

// The first character of the value at `path`, or of the nearest enclosing value that exists.
// `json` must be a text that a JSON parser has accepted.
LineColumn locate(std::string_view json, const JsonPath& path);

}  // namespace qgpu::launch
