#include "interpreter/base/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "interpreter/base/json.h"

namespace qgpu {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DTypeRow, 15> kDTypes = {{{DType::BOOL, "BOOL", 1},
                                               {DType::U8, "U8", 1},
                                               {DType::I8, "I8", 1},
                                               {DType::F8_E4M3, "F8_E4M3", 1},
                                               {DType::F8_E5M2, "F8_E5M2", 1},
                                               {DType::U16, "U16", 2},
                                               {DType::I16, "I16", 2},
                                               {DType::F16, "F16", 2},
                                               {DType::BF16, "BF16", 2},
                                               {DType::U32, "U32", 4},
                                               {DType::I32, "I32", 4},
                                               {DType::F32, "F32", 4},
                                               {DType::U64, "U64", 8},
                                               {DType::I64, "I64", 8},
                                               {DType::F64, "F64", 8}}};

const DTypeRow& rowOf(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

std::optional<DType> dtypeNamed(std::string_view wanted) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == wanted) return row.dtype;
  return std::nullopt;
}

tl::unexpected<Failure> refuseFile(std::string_view file, std::string message) {
  return refuseAt({std::string(file), 0, 0}, std::move(message),
                  "give an undamaged safetensors file");
}

// An entry of the header, before its place in the data is known to be good.
struct Entry {
  Tensor tensor;
  std::size_t begin = 0;
  std::size_t end = 0;
};

constexpr std::size_t kSizeLimit = std::size_t{1} << 60;

// The list of a header's `shape` or `data_offsets`.
std::optional<std::vector<std::size_t>> sizes(const nlohmann::json& list) {
  std::vector<std::size_t> result;
  for (const nlohmann::json& element : list) {
    if (!element.is_number_unsigned() || element.get<std::uint64_t>() > kSizeLimit)
      return std::nullopt;
    result.push_back(element.get<std::size_t>());
  }
  return result;
}

std::optional<std::size_t> byteCount(const Shape& shape, DType dtype) {
  std::size_t count = byteSize(dtype);
  for (const std::size_t n : shape)
    if (__builtin_mul_overflow(count, n, &count)) return std::nullopt;
  return count;
}

Expected<Entry> parseEntry(const std::string& tensor_name, const nlohmann::json& object,
                           std::string_view file) {
  JsonFields fields(object, file, tensor_name);
  const std::optional<DType> dtype = dtypeNamed(fields.string("dtype"));
  const auto shape = sizes(fields.array("shape"));
  const auto offsets = sizes(fields.array("data_offsets"));
  if (fields.failure()) return fail(*fields.failure());
  const auto bad = [&](std::string_view what) {
    return refuseFile(file, fmt::format("tensor {}: {}", tensor_name, what));
  };
  if (object.size() != 3) return bad("has members beside dtype, shape and data_offsets");
  if (!dtype) return bad(fmt::format("unknown dtype {}", object["dtype"].get<std::string>()));
  if (!shape || shape->size() > Safetensors::kRankLimit) return bad("bad shape");
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return bad("data_offsets is not a pair of rising numbers");
  const auto size = byteCount(*shape, *dtype);
  if (!size || *size != (*offsets)[1] - (*offsets)[0])
    return bad(fmt::format("shape {} of {} does not fill {} bytes", text(*shape), name(*dtype),
                           (*offsets)[1] - (*offsets)[0]));
  return Entry{{tensor_name, *dtype, *shape, {}}, (*offsets)[0], (*offsets)[1]};
}

Expected<Metadata> parseMetadata(const nlohmann::json& object, std::string_view file) {
  Metadata metadata;
  if (!object.is_object()) return refuseFile(file, "__metadata__ is not an object");
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string())
      return refuseFile(file, fmt::format("__metadata__.{} is not a string", key));
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

// Gives every entry its bytes. The tensors must follow each other without a gap, from the first
// byte of the data to the last, as the format asks: bytes that no tensor owns could hide anything.
Expected<void> placeEntries(std::vector<Entry>& entries, std::span<const std::byte> data,
                            std::string_view file) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t place = 0;
  for (Entry& entry : entries) {
    const auto bad = [&](std::string_view what) {
      return refuseFile(file, fmt::format("tensor {}: {}", entry.tensor.name, what));
    };
    if (entry.begin < place) return bad("overlaps another tensor");
    if (entry.begin > place) return bad(fmt::format("leaves a gap at offset {}", place));
    if (entry.end > data.size())
      return bad(fmt::format("ends at {}, after the file's {} data bytes", entry.end, data.size()));
    entry.tensor.bytes = data.subspan(entry.begin, entry.end - entry.begin);
    const auto address = reinterpret_cast<std::uintptr_t>(entry.tensor.bytes.data());
    if (!entry.tensor.bytes.empty() && address % byteSize(entry.tensor.dtype) != 0)
      return bad("is not aligned to its elements");
    place = entry.end;
  }
  if (place != data.size())
    return refuseFile(file, fmt::format("{} bytes after the last tensor", data.size() - place));
  return {};
}

}  // namespace

std::string_view name(DType dtype) { return rowOf(dtype).name; }
std::size_t byteSize(DType dtype) { return rowOf(dtype).size; }
std::string text(const Shape& shape) {
  std::string list;
  for (const std::size_t n : shape) list += (list.empty() ? "" : ", ") + std::to_string(n);
  return "[" + list + "]";
}

Expected<Safetensors> Safetensors::parse(std::span<const std::byte> bytes, std::string_view file) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return refuseFile(file, "is shorter than its length field");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes = bytes.subspan(sizeof length);
  if (length > kHeaderLimit)
    return refuseFile(
        file, fmt::format("has a header of {} bytes; {} are allowed", length, kHeaderLimit));
  if (length > bytes.size()) return refuseFile(file, "ends inside its header");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), length);
  if (!header.starts_with('{')) return refuseFile(file, "has a header that is not a JSON object");
  const auto json = parseJson(header, file, 4);
  if (!json) return fail(json.error());

  Safetensors result;
  result.file_ = file;
  std::vector<Entry> entries;
  for (const auto& [key, value] : json->items()) {
    if (key == "__metadata__") {
      auto metadata = parseMetadata(value, file);
      if (!metadata) return fail(metadata.error());
      result.metadata_ = std::move(*metadata);
    } else {
      auto entry = parseEntry(key, value, file);
      if (!entry) return fail(entry.error());
      entries.push_back(std::move(*entry));
    }
  }
  if (auto placed = placeEntries(entries, bytes.subspan(length), file); !placed)
    return fail(placed.error());
  for (Entry& entry : entries) result.tensors_.emplace(entry.tensor.name, std::move(entry.tensor));
  return result;
}

Expected<Safetensors> Safetensors::open(const std::filesystem::path& path) {
  auto mapping = MappedFile::open(path);
  if (!mapping) return fail(mapping.error());
  auto result = parse(mapping->bytes(), path.string());
  if (result) result->mapping_ = std::move(*mapping);
  return result;
}

const Tensor* Safetensors::find(std::string_view tensor_name) const {
  const auto found = tensors_.find(tensor_name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Expected<Tensor> Safetensors::require(std::string_view tensor_name, DType dtype,
                                      const Shape& shape) const {
  const Tensor* tensor = find(tensor_name);
  if (tensor == nullptr) return refuseFile(file_, fmt::format("has no tensor {}", tensor_name));
  if (tensor->dtype != dtype || tensor->shape != shape)
    return refuseAt({file_, 0, 0}, fmt::format("tensor {} is {} {}; {} {} is expected", tensor_name,
                                               name(tensor->dtype), text(tensor->shape),
                                               name(dtype), text(shape)));
  return *tensor;
}

}  // namespace qgpu
