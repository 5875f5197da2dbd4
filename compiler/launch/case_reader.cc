#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "compiler/launch/case_file.h"
#include "compiler/launch/json_reader.h"
#include "interpreter/base/files.h"

namespace qgpu::launch {
namespace {

// A document that turns into a Case, part by part.
class CaseReader {
 public:
  explicit CaseReader(JsonReader& json) : json_(json) {}
  Expected<Case> read();

 private:
  void readLaunch(const JsonNode& root);
  void readOutcome(const JsonNode& root);
  void readTexts(const JsonNode& root);
  void readExpectation(const JsonNode& root);
  void readExpected(const JsonNode& expected);
  void readCompare(const JsonNode& compare);

  Dim3 readDims(const JsonNode& root, std::string_view key,
                Expected<void> (*validate_dims)(Dim3 dims));
  Parameter readParameter(const JsonNode& node);
  void readArray(const JsonNode& node, Parameter& array);
  void readStruct(const JsonNode& node, Parameter& record);
  Field readField(const JsonNode& node);
  void readMembers(const JsonNode& value, Parameter& record);

  ElementType readType(const JsonNode& node);
  // Appends the item's value, or a zero where it is none.
  void readElement(const JsonNode& node, ElementType type, std::vector<std::uint8_t>& bytes);
  std::vector<std::uint8_t> readElements(const JsonNode& list, ElementType type,
                                         std::size_t length);
  // The array parameter that a key of `expected` or `compare` names.
  const Parameter* arrayNamed(const std::string& name, const JsonPath& where);

  JsonReader& json_;
  Case case_;
};

Expected<Case> CaseReader::read() {
  const JsonNode root = json_.root();
  if (json_.isObject(root)) {
    readLaunch(root);
    if (!json_.failed()) readOutcome(root);
  }
  if (json_.failed()) return json_.failure();
  return std::move(case_);
}

void CaseReader::readLaunch(const JsonNode& root) {
  Launch& launch = case_.launch;
  launch.kernel = json_.text(json_.require(root, "kernel"));
  launch.entry = json_.text(json_.require(root, "entry"));
  launch.name = json_.optionalText(root, "name");
  if (launch.name.empty()) launch.name = launch.entry;
  if (launch.kernel.empty()) json_.complain(root.path.key("kernel"), "is empty", "name a file");
  launch.grid = readDims(root, "grid", validateGrid);
  launch.block = readDims(root, "block", validateBlock);
  if (const auto bytes = json_.find(root, "shared_bytes"))
    launch.shared_bytes = static_cast<std::uint32_t>(json_.natural(*bytes, kMaxSharedBytes));
  const auto parameters = json_.find(root, "params");
  if (!parameters || !json_.isList(*parameters, kMaxParameters)) return;
  std::set<std::string> names;
  json_.forEachItem(*parameters, [&](const JsonNode& node) {
    Parameter parameter = readParameter(node);
    if (!names.insert(parameter.name).second)
      json_.complain(node.path.key("name"),
                     fmt::format("an earlier parameter is named '{}' too", parameter.name),
                     "rename one");
    launch.parameters.push_back(std::move(parameter));
  });
  if (const auto sound = validate(launch); !sound)
    json_.complain(root.path, sound.error().message, sound.error().hint);
}

Dim3 CaseReader::readDims(const JsonNode& root, std::string_view key,
                          Expected<void> (*validate_dims)(Dim3 dims)) {
  Dim3 dims;
  const auto node = json_.find(root, key);
  if (!node || !json_.isList(*node, 3)) return dims;
  const std::array<std::uint32_t*, 3> axes = {&dims.x, &dims.y, &dims.z};
  std::size_t axis = 0;
  json_.forEachItem(*node, [&](const JsonNode& item) {
    *axes[axis++] = static_cast<std::uint32_t>(json_.natural(item, 0x7fffffff));
  });
  if (const auto sound = validate_dims(dims); !sound)
    json_.complain(node->path, sound.error().message, sound.error().hint);
  return dims;
}

Parameter CaseReader::readParameter(const JsonNode& node) {
  Parameter parameter;
  if (!json_.isObject(node)) return parameter;
  parameter.name = json_.text(json_.require(node, "name"));
  const JsonNode kind = json_.require(node, "kind");
  const std::string kind_name = json_.text(kind);
  if (json_.failed()) return parameter;
  if (kind_name == "array") {
    readArray(node, parameter);
  } else if (kind_name == "scalar") {
    parameter.kind = ParameterKind::Scalar;
    if (const auto type = json_.find(node, "type")) parameter.type = readType(*type);
    readElement(json_.require(node, "value"), parameter.type, parameter.bytes);
  } else if (kind_name == "struct") {
    readStruct(node, parameter);
  } else {
    json_.complain(kind.path, fmt::format("is '{}'", kind_name), "use array, scalar or struct");
  }
  return parameter;
}

void CaseReader::readArray(const JsonNode& node, Parameter& array) {
  array.kind = ParameterKind::Array;
  if (const auto type = json_.find(node, "elem")) array.type = readType(*type);
  const auto length = json_.find(node, "length");
  const auto data = json_.find(node, "data");
  if (length) array.length = json_.natural(*length, kMaxArrayLength);
  if (!length && !data) json_.complain(node.path, "has neither 'length' nor 'data'");
  if (!data) {
    array.bytes.assign(array.length * sizeOf(array.type), 0);
    return;
  }
  if (!json_.isList(*data, kMaxArrayLength)) return;
  if (!length) array.length = data->value->size();
  array.bytes = readElements(*data, array.type, array.length);
}

void CaseReader::readStruct(const JsonNode& node, Parameter& record) {
  record.kind = ParameterKind::Struct;
  const JsonNode fields = json_.require(node, "fields");
  const JsonNode value = json_.require(node, "value");
  if (!json_.isList(fields, kMaxFields)) return;
  std::set<std::string> names;
  json_.forEachItem(fields, [&](const JsonNode& item) {
    record.fields.push_back(readField(item));
    if (!names.insert(record.fields.back().name).second)
      json_.complain(item.path, "an earlier field has the same name", "rename one");
  });
  if (!json_.failed()) readMembers(value, record);
}

Field CaseReader::readField(const JsonNode& node) {
  Field field;
  if (!json_.isObject(node)) return field;
  field.name = json_.text(json_.require(node, "name"));
  if (const auto type = json_.find(node, "type")) field.type = readType(*type);
  if (const auto length = json_.find(node, "length"))
    field.length = json_.natural(*length, kMaxParameterBytes);
  return field;
}

void CaseReader::readMembers(const JsonNode& value, Parameter& record) {
  const StructLayout layout = layoutOf(record.fields);
  const bool by_position = value.value->is_array();
  if (!by_position && !json_.isObject(value)) return;
  if (value.value->size() != record.fields.size())
    json_.complain(value.path, fmt::format("has {} values for {} fields", value.value->size(),
                                           record.fields.size()));
  for (std::size_t i = 0; i < record.fields.size() && !json_.failed(); ++i) {
    const Field& field = record.fields[i];
    const JsonNode item = by_position ? JsonNode{&(*value.value)[i], value.path.item(i)}
                                      : json_.require(value, field.name);
    record.bytes.resize(layout.offsets[i], 0);
    if (field.length == 1 && !item.value->is_array()) {
      readElement(item, field.type, record.bytes);
    } else if (json_.isList(item, kMaxParameterBytes)) {
      const auto bytes = readElements(item, field.type, field.length);
      record.bytes.insert(record.bytes.end(), bytes.begin(), bytes.end());
    }
  }
  record.bytes.resize(layout.size, 0);
}

ElementType CaseReader::readType(const JsonNode& node) {
  const std::string text = json_.text(node);
  if (const auto type = elementTypeNamed(text)) return *type;
  json_.complain(node.path, fmt::format("is {}", describe(*node.value)),
                 fmt::format("use one of {}", elementTypeNames()));
  return ElementType::Int;
}

void CaseReader::readElement(const JsonNode& node, ElementType type,
                             std::vector<std::uint8_t>& bytes) {
  const Json& value = *node.value;
  std::optional<std::uint64_t> bits;
  if (value.is_number_unsigned())
    bits = encode(type, {false, value.get<std::uint64_t>()});
  else if (value.is_number_integer())
    bits = encode(type,
                  {true, std::uint64_t{0} - static_cast<std::uint64_t>(value.get<std::int64_t>())});
  else if (value.is_number_float() && type == ElementType::Float)
    bits = encodeFloat(value.get<double>());
  if (!bits)
    json_.complain(node.path,
                   fmt::format("is {}, which {} does not hold", describe(value), name(type)),
                   type == ElementType::Float ? "use a number in the range of a 32-bit float"
                                              : "use a whole number from " + rangeText(type));
  appendElement(bytes, type, bits.value_or(0));
}

std::vector<std::uint8_t> CaseReader::readElements(const JsonNode& list, ElementType type,
                                                   std::size_t length) {
  std::vector<std::uint8_t> bytes;
  if (list.value->size() != length) {
    json_.complain(list.path,
                   fmt::format("has {} values for a length of {}", list.value->size(), length),
                   "give one value for each element");
    return bytes;
  }
  json_.forEachItem(list, [&](const JsonNode& item) { readElement(item, type, bytes); });
  return bytes;
}

void CaseReader::readOutcome(const JsonNode& root) {
  readExpectation(root);
  readTexts(root);
  if (const auto expected = json_.find(root, "expected")) readExpected(*expected);
  if (const auto compare = json_.find(root, "compare")) readCompare(*compare);
}

void CaseReader::readTexts(const JsonNode& root) {
  case_.family = json_.optionalText(root, "family");
  case_.topic = json_.optionalText(root, "topic");
  case_.category = json_.optionalText(root, "category");
  case_.rule = json_.optionalText(root, "rule");
  case_.note = json_.optionalText(root, "note");
  if (const auto needs = json_.find(root, "needs"); needs && json_.isList(*needs, 256))
    json_.forEachItem(*needs,
                      [&](const JsonNode& item) { case_.needs.push_back(json_.text(item)); });
  if (const auto reject = json_.find(root, "reject"); reject && json_.isObject(*reject)) {
    case_.reject_stage = json_.optionalText(*reject, "stage");
    case_.reject_reason = json_.optionalText(*reject, "reason");
  }
}

void CaseReader::readExpectation(const JsonNode& root) {
  const auto node = json_.find(root, "expect");
  if (!node) return;
  const std::string text = json_.text(*node);
  for (const auto expectation :
       {Expectation::Pass, Expectation::PassOrReject, Expectation::Reject}) {
    if (name(expectation) != text) continue;
    case_.expectation = expectation;
    return;
  }
  json_.complain(node->path, fmt::format("is {}", describe(*node->value)),
                 "use pass, pass-or-reject or reject");
}

const Parameter* CaseReader::arrayNamed(const std::string& array, const JsonPath& where) {
  const Parameter* const parameter = findArray(case_.launch, array);
  if (parameter == nullptr)
    json_.complain(where, fmt::format("'{}' is not an array of this launch", array),
                   "name a parameter of kind array");
  return parameter;
}

void CaseReader::readExpected(const JsonNode& expected) {
  if (!json_.isObject(expected)) return;
  for (const auto& [array, values] : expected.value->items()) {
    const JsonNode node{&values, expected.path.key(array)};
    const Parameter* const parameter = arrayNamed(array, node.path);
    if (parameter == nullptr || !json_.isList(node, kMaxArrayLength)) return;
    case_.expected[array] = readElements(node, parameter->type, parameter->length);
  }
}

void CaseReader::readCompare(const JsonNode& compare) {
  if (!json_.isObject(compare)) return;
  for (const auto& [array, value] : compare.value->items()) {
    const JsonNode node{&value, compare.path.key(array)};
    if (arrayNamed(array, node.path) == nullptr) return;
    const std::string mode = json_.text(node);
    if (mode == "multiset")
      case_.compare[array] = CompareMode::Multiset;
    else if (mode != "exact")
      json_.complain(node.path, fmt::format("is {}", describe(value)), "use exact or multiset");
  }
}

}  // namespace

Expected<Case> parseCase(std::string_view json, std::string_view origin) {
  if (json.size() > kMaxCaseBytes)
    return refuseAt({std::string(origin), 0, 0},
                    fmt::format("is larger than {} bytes", kMaxCaseBytes));
  auto reader = JsonReader::parse(json, origin);
  if (!reader) return fail(reader.error());
  return CaseReader(*reader).read();
}

Expected<Case> readCase(const std::filesystem::path& file, std::string_view given) {
  const auto json = readFile(file, kMaxCaseBytes);
  if (!json) return fail(json.error());
  auto parsed = parseCase(*json, file.string());
  if (!parsed) return parsed;
  if (!given.empty()) {
    parsed->launch.kernel = given;
    return parsed;
  }
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path().parent_path();
  const std::filesystem::path kernel = folder / parsed->launch.kernel;
  std::error_code error;
  if (!std::filesystem::is_regular_file(kernel, error)) {
    const LineColumn at = locate(*json, JsonPath().key("kernel"));
    return refuseAt(
        {file.string(), at.line, at.column},
        fmt::format("kernel: there is no file '{}'", kernel.lexically_normal().string()),
        "give a path relative to the folder above the case's");
  }
  parsed->launch.kernel = kernel.lexically_normal();
  return parsed;
}

}  // namespace qgpu::launch
