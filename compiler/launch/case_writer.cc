#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/launch/case_file.h"

namespace qgpu::launch {
namespace {

// A float that is not finite has no JSON number: null.
std::string elementJson(ElementType type, std::uint64_t bits) {
  const bool finite = type != ElementType::Float ||
                      std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return finite ? elementText(type, bits) : "null";
}

std::string quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One object, a member a line.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string indent) : indent_(std::move(indent)) {}

  void member(std::string_view key, std::string_view json) {
    text_ += fmt::format("{}\n{}  {}: {}", text_.empty() ? "" : ",", indent_, quote(key), json);
  }
  void textMember(std::string_view key, std::string_view text) {
    if (!text.empty()) member(key, quote(text));
  }
  bool empty() const { return text_.empty(); }
  std::string finish() const { return fmt::format("{{{}\n{}}}", text_, indent_); }

 private:
  std::string indent_;
  std::string text_;
};

std::string elementsJson(const std::vector<std::uint8_t>& bytes, ElementType type,
                         std::size_t offset, std::size_t length) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return formatElements({first, first + static_cast<std::ptrdiff_t>(length * sizeOf(type))}, type);
}

std::string structJson(const Parameter& parameter) {
  const StructLayout layout = layoutOf(parameter.fields);
  std::string fields;
  std::string values;
  for (std::size_t i = 0; i < parameter.fields.size(); ++i) {
    const Field& field = parameter.fields[i];
    const std::string separator = i == 0 ? "" : ", ";
    fields += fmt::format(R"({}{{"name": {}, "type": "{}")", separator, quote(field.name),
                          name(field.type));
    fields += field.length == 1 ? "}" : fmt::format(R"(, "length": {}}})", field.length);
    std::string value = elementsJson(parameter.bytes, field.type, layout.offsets[i], field.length);
    if (field.length == 1) value = value.substr(1, value.size() - 2);
    values += fmt::format("{}{}: {}", separator, quote(field.name), value);
  }
  return fmt::format(R"("fields": [{}], "value": {{{}}})", fields, values);
}

std::string parameterJson(const Parameter& parameter) {
  std::string json =
      fmt::format(R"({{"name": {}, "kind": "{}", )", quote(parameter.name), name(parameter.kind));
  switch (parameter.kind) {
    case ParameterKind::Array:
      json += fmt::format(R"("elem": "{}", "length": {}, "data": {})", name(parameter.type),
                          parameter.length, formatElements(parameter.bytes, parameter.type));
      break;
    case ParameterKind::Scalar:
      json +=
          fmt::format(R"("type": "{}", "value": {})", name(parameter.type),
                      elementJson(parameter.type, elementBits(parameter.bytes, parameter.type, 0)));
      break;
    case ParameterKind::Struct: json += structJson(parameter); break;
  }
  return json + "}";
}

std::string parametersJson(const Launch& launch) {
  std::string json;
  for (const Parameter& parameter : launch.parameters)
    json += fmt::format("{}\n    {}", json.empty() ? "" : ",", parameterJson(parameter));
  return json.empty() ? "[]" : fmt::format("[{}\n  ]", json);
}

std::string needsJson(const std::vector<std::string>& needs) {
  std::string json;
  for (const std::string& need : needs)
    json += fmt::format("{}{}", json.empty() ? "" : ", ", quote(need));
  return "[" + json + "]";
}

void writeTexts(const Case& test_case, ObjectWriter& object) {
  object.textMember("family", test_case.family);
  object.textMember("topic", test_case.topic);
  object.textMember("category", test_case.category);
  object.textMember("rule", test_case.rule);
  object.textMember("note", test_case.note);
  if (!test_case.needs.empty()) object.member("needs", needsJson(test_case.needs));
}

void writeOutcome(const Case& test_case, ObjectWriter& object) {
  object.textMember("expect", name(test_case.expectation));
  ObjectWriter reject("  ");
  reject.textMember("stage", test_case.reject_stage);
  reject.textMember("reason", test_case.reject_reason);
  if (!reject.empty()) object.member("reject", reject.finish());
  ObjectWriter compare("  ");
  for (const auto& [array, mode] : test_case.compare)
    if (mode == CompareMode::Multiset) compare.textMember(array, "multiset");
  if (!compare.empty()) object.member("compare", compare.finish());
  ObjectWriter expected("  ");
  for (const auto& [array, bytes] : test_case.expected) {
    const Parameter* const parameter = findArray(test_case.launch, array);
    check(parameter != nullptr, "an expected array is a parameter of its launch");
    expected.member(array, formatElements(bytes, parameter->type));
  }
  if (!expected.empty()) object.member("expected", expected.finish());
}

}  // namespace

std::string formatElements(const std::vector<std::uint8_t>& bytes, ElementType type) {
  std::string json = "[";
  for (std::size_t i = 0; i < bytes.size() / sizeOf(type); ++i)
    json += fmt::format("{}{}", i == 0 ? "" : ", ", elementJson(type, elementBits(bytes, type, i)));
  return json + "]";
}

std::string formatCase(const Case& test_case) {
  const Launch& launch = test_case.launch;
  ObjectWriter object("");
  object.textMember("name", launch.name);
  object.textMember("kernel", launch.kernel.generic_string());
  object.textMember("entry", launch.entry);
  writeTexts(test_case, object);
  object.member("grid", launch.grid.text());
  object.member("block", launch.block.text());
  if (launch.shared_bytes != 0)
    object.member("shared_bytes", fmt::format("{}", launch.shared_bytes));
  object.member("params", parametersJson(launch));
  writeOutcome(test_case, object);
  return object.finish() + "\n";
}

}  // namespace qgpu::launch
