#include "compiler/cuda/wire.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace qgpu::cuda {
namespace {

// One list of fields for both directions: `archive(a, b, ...)` writes or reads them in this order.
template <typename Archive, typename T>
void fields(Archive& archive, T& value)
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
{
  archive.raw(&value, sizeof value);
}

class Writer {
 public:
  template <typename... T>
  void operator()(T&... values) {
    (fields(*this, values), ...);
  }
  void raw(void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }
  std::size_t count(std::size_t n) {
    raw(&n, sizeof n);
    return n;
  }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (fields(*this, values), ...);
  }
  void raw(void* data, std::size_t size) {
    complete_ = complete_ && size <= rest_.size();
    if (!complete_) return;
    std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  // The length of a list that follows, or 0 if it cannot be.
  std::size_t count(std::size_t) {
    std::size_t n = 0;
    raw(&n, sizeof n);
    complete_ = complete_ && n <= rest_.size();
    return complete_ ? n : 0;
  }
  bool finished() const { return complete_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool complete_ = true;
};

template <typename Archive>
void fields(Archive& archive, std::string& text) {
  text.resize(archive.count(text.size()));
  archive.raw(text.data(), text.size());
}
template <typename Archive, typename T>
void fields(Archive& archive, std::vector<T>& list) {
  list.resize(archive.count(list.size()));
  for (T& element : list) archive(element);
}
template <typename Archive, typename A, typename B>
void fields(Archive& archive, std::pair<A, B>& pair) {
  archive(pair.first, pair.second);
}
template <typename Archive>
void fields(Archive& archive, Location& location) {
  archive(location.file, location.line, location.column);
}
template <typename Archive>
void fields(Archive& archive, Failure& failure) {
  archive(failure.kind, failure.location, failure.message, failure.hint);
}
template <typename Archive>
void fields(Archive& archive, Limits& limits) {
  archive(limits.source_bytes, limits.tokens, limits.template_instantiations, limits.instructions,
          limits.memory_bytes);
  std::int64_t count = limits.time.count();
  archive(count);
  limits.time = std::chrono::milliseconds(count);
}
template <typename Archive>
void fields(Archive& archive, CudaOptions& options) {
  archive(options.entry, options.opt_level, options.warp_size, options.line_info, options.defines,
          options.headers, options.isolation, options.limits);
}
template <typename Archive>
void fields(Archive& archive, Scalar& scalar) {
  archive(scalar.name, scalar.kind, scalar.bytes, scalar.offset);
}
template <typename Archive>
void fields(Archive& archive, Parameter& parameter) {
  archive(parameter.name, parameter.type, parameter.kind, parameter.bytes, parameter.element,
          parameter.element_bytes, parameter.scalars);
}
template <typename Archive>
void fields(Archive& archive, Kernel& kernel) {
  archive(kernel.mangled, kernel.qualified, kernel.plain, kernel.location, kernel.parameters);
}
template <typename Archive>
void fields(Archive& archive, Warning& warning) {
  archive(warning.location, warning.message);
}
template <typename Archive>
void fields(Archive& archive, std::optional<std::size_t>& index) {
  bool present = index.has_value();
  std::size_t value = index.value_or(0);
  archive(present, value);
  index = present ? std::optional(value) : std::nullopt;
}
template <typename Archive>
void fields(Archive& archive, CompiledPtx& ptx) {
  archive(ptx.text, ptx.kernels, ptx.entry, ptx.warnings);
}
template <typename Archive>
void fields(Archive& archive, Request& request) {
  archive(request.source, request.file_name, request.options);
}

}  // namespace

std::string encodeRequest(std::string_view source, std::string_view file_name,
                          const CudaOptions& options) {
  Request request{std::string(source), std::string(file_name), options};
  Writer writer;
  writer(request);
  return std::move(writer.bytes);
}

std::string encodeResponse(const Expected<CompiledPtx>& response) {
  Writer writer;
  bool good = response.has_value();
  writer(good);
  if (good) {
    CompiledPtx ptx = *response;
    writer(ptx);
  } else {
    Failure failure = response.error();
    writer(failure);
  }
  return std::move(writer.bytes);
}

std::optional<Request> decodeRequest(std::string_view bytes) {
  Reader reader(bytes);
  Request request;
  reader(request);
  if (!reader.finished()) return std::nullopt;
  return request;
}

std::optional<Expected<CompiledPtx>> decodeResponse(std::string_view bytes) {
  Reader reader(bytes);
  bool good = false;
  reader(good);
  CompiledPtx ptx;
  Failure failure;
  if (good)
    reader(ptx);
  else
    reader(failure);
  if (!reader.finished()) return std::nullopt;
  if (good) return Expected<CompiledPtx>(std::move(ptx));
  return Expected<CompiledPtx>(fail(std::move(failure)));
}

}  // namespace qgpu::cuda
