#include "interpreter/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace qgpu {
namespace {

using nlohmann::json;

// Walks the text and lets the builder see how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(std::string_view text, std::size_t at, std::size_t* furthest)
      : text_(text), at_(at), furthest_(furthest) {}
  reference operator*() const { return text_[at_]; }
  Cursor& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }

 private:
  std::string_view text_;
  std::size_t at_;
  std::size_t* furthest_;
};

// Builds the document from the parser's events; refuses what the parser itself would let pass.
class Builder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  explicit Builder(std::size_t depth_limit) : depth_limit_(depth_limit) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return refuse("binary data"); }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    auto [member, is_new] = open_.back()->get_ref<json::object_t&>().try_emplace(name, nullptr);
    member_ = &member->second;
    if (!is_new) return refuse(fmt::format("\"{}\" is given twice", name));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...".
    const std::string_view text = error.what();
    const std::size_t reason = text.find(": ");
    return refuse(std::string(reason == text.npos ? text : text.substr(reason + 2)));
  }

  json take() { return std::move(root_); }
  const std::string& message() const { return message_; }

 private:
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_object()) return &(*member_ = std::move(value));
    return &open_.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (open_.size() == depth_limit_)
      return refuse(fmt::format("nesting deeper than {} levels", depth_limit_));
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool refuse(std::string message) {
    message_ = std::move(message);
    return false;
  }

  std::size_t depth_limit_;
  json root_;
  std::vector<json*> open_;  // the objects and arrays around the current place
  json* member_ = nullptr;   // where the value of the last name goes
  std::string message_;
};

Location locate(std::string_view text, std::size_t at, std::string_view file) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {std::string(file), 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          std::max(1, static_cast<int>(before.size() - line_start))};
}

}  // namespace

Expected<json> parseJson(std::string_view text, std::string_view file, std::size_t depth_limit) {
  std::size_t furthest = 0;
  Builder builder(depth_limit);
  const Cursor first(text, 0, &furthest);
  const Cursor last(text, text.size(), &furthest);
  if (!json::sax_parse(first, last, &builder))
    return refuseAt(locate(text, furthest, file), builder.message(),
                    "give one valid JSON document");
  return builder.take();
}

JsonFields::JsonFields(const json& object, std::string_view file, std::string_view path)
    : object_(object), file_(file), path_(path) {
  if (object.is_object()) return;
  record(path_.empty() ? "is not a JSON object" : path_ + " is not an object", {});
}

void JsonFields::record(std::string message, std::string_view hint) {
  if (!failure_) failure_ = refuseAt({file_, 0, 0}, std::move(message), std::string(hint)).value();
}

bool JsonFields::has(std::string_view name) const {
  return object_.is_object() && object_.contains(name);
}

void JsonFields::refuse(std::string_view name, std::string_view message, std::string_view hint) {
  record(fmt::format("{}{}{} {}", path_, path_.empty() ? "" : ".", name, message), hint);
}

const json* JsonFields::find(std::string_view name) {
  if (failure_) return nullptr;
  const auto found = object_.find(name);
  if (found != object_.end()) return &*found;
  refuse(name, "is missing");
  return nullptr;
}

JsonFields JsonFields::fieldsOf(std::string_view name) {
  return {object(name), file_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", name)};
}

void JsonFields::absorb(const JsonFields& inner) {
  if (!failure_) failure_ = inner.failure_;
}

std::size_t JsonFields::size(std::string_view name, std::size_t low, std::size_t high) {
  const json* value = find(name);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) {
    const auto number = value->get<std::uint64_t>();
    if (number >= low && number <= high) return static_cast<std::size_t>(number);
  }
  refuse(name, fmt::format("is not a whole number from {} to {}", low, high));
  return 0;
}

double JsonFields::number(std::string_view name, double low, double high) {
  const json* value = find(name);
  if (value == nullptr) return 0.0;
  if (value->is_number()) {
    const auto number = value->get<double>();
    if (number >= low && number <= high) return number;
  }
  refuse(name, fmt::format("is not a number from {} to {}", low, high));
  return 0.0;
}

bool JsonFields::boolean(std::string_view name) {
  const json* value = find(name);
  if (value != nullptr && !value->is_boolean()) refuse(name, "is not true or false");
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string JsonFields::string(std::string_view name) {
  const json* value = find(name);
  if (value != nullptr && !value->is_string()) refuse(name, "is not a string");
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

const json& JsonFields::object(std::string_view name) {
  static const json kEmpty = json::object();
  const json* value = find(name);
  if (value != nullptr && value->is_object()) return *value;
  if (value != nullptr) refuse(name, "is not an object");
  return kEmpty;
}

const json& JsonFields::array(std::string_view name) {
  static const json kEmpty = json::array();
  const json* value = find(name);
  if (value != nullptr && value->is_array()) return *value;
  if (value != nullptr) refuse(name, "is not an array");
  return kEmpty;
}

}  // namespace qgpu
