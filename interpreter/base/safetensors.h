// The safetensors file format (https://github.com/huggingface/safetensors): 8 bytes with the
// little-endian length of a JSON header, the header, then the tensors' bytes.
//
// Reading maps the file; nothing is copied. Every fault of a file is a Refusal with the file's name
// and the reason, and after open() each tensor's bytes are known to lie in the file, to have the
// length that its shape asks for and to overlap no other tensor's.
//
//   auto file = Safetensors::open("model.safetensors");        // Expected<Safetensors>
//   auto w = file->require("layers.0.mlp.up_proj.weight", DType::BF16, {6144, 2048});
//   std::span<const bfloat16> values = w->as<bfloat16>();
//
// Writing is atomic and gives the same bytes for the same tensors in the same order:
//
//   auto done = writeSafetensors("out.safetensors", {tensorOf("a", DType::F32, {2, 3}, values)});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "interpreter/base/bfloat16.h"
#include "interpreter/base/failure.h"
#include "interpreter/base/mapped_file.h"

namespace qgpu {

// The element types, named as in the file. Types narrower than a byte are refused.
enum class DType : std::uint8_t {
  BOOL,
  U8,
  I8,
  F8_E4M3,
  F8_E5M2,
  U16,
  I16,
  F16,
  BF16,
  U32,
  I32,
  F32,
  U64,
  I64,
  F64
};
std::string_view name(DType dtype);
std::size_t byteSize(DType dtype);  // of one element

using Shape = std::vector<std::size_t>;  // {} is a scalar
std::string text(const Shape& shape);    // "[6144, 2048]"

struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::span<const std::byte> bytes;  // row-major, little-endian

  std::size_t elementCount() const { return bytes.size() / byteSize(dtype); }
  // The elements as a C++ type of their size; the caller has checked `dtype`.
  template <typename T>
  std::span<const T> as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    check(sizeof(T) == byteSize(dtype), "a tensor is read as elements of its own size");
    return {reinterpret_cast<const T*>(bytes.data()), elementCount()};
  }
};

using Metadata = std::map<std::string, std::string>;

class Safetensors {
 public:
  static constexpr std::size_t kHeaderLimit = 16u << 20;  // bytes
  static constexpr std::size_t kRankLimit = 8;

  static Expected<Safetensors> open(const std::filesystem::path& path);
  // The same checks on bytes in memory, which must outlive the result; `file` names them in
  // messages. They must be aligned to 8 bytes, as a mapping and a std::vector's buffer are.
  static Expected<Safetensors> parse(std::span<const std::byte> bytes, std::string_view file);

  const std::string& file() const { return file_; }
  const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }
  const Tensor* find(std::string_view name) const;
  // The tensor of that name, type and shape; a Refusal that says what differs.
  Expected<Tensor> require(std::string_view name, DType dtype, const Shape& shape) const;

 private:
  MappedFile mapping_;
  std::string file_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  Metadata metadata_;
};

template <typename T>
Tensor tensorOf(std::string name, DType dtype, Shape shape, std::span<const T> values) {
  check(sizeof(T) == byteSize(dtype), "a tensor is made of elements of its own size");
  return {std::move(name), dtype, std::move(shape), std::as_bytes(values)};
}
template <typename T>
Tensor tensorOf(std::string name, DType dtype, Shape shape, const std::vector<T>& values) {
  return tensorOf<T>(std::move(name), dtype, std::move(shape), std::span<const T>(values));
}

// Writes the tensors one after another in the given order, each aligned to its element. Refused:
// what the reader would refuse (a name given twice, bytes that do not fill the shape, a tensor
// whose place in this order is not aligned: put wider types first), and what the system refuses.
Expected<void> writeSafetensors(const std::filesystem::path& path,
                                const std::vector<Tensor>& tensors, const Metadata& metadata = {});

// The same file made piece by piece, for tensors that do not fit into memory: announce all of them,
// append their bytes in order, finish. The file appears at finish(); without it nothing is left.
class SafetensorsWriter {
 public:
  // Of the tensors only name, type and shape count.
  static Expected<SafetensorsWriter> create(const std::filesystem::path& path,
                                            const std::vector<Tensor>& tensors,
                                            const Metadata& metadata = {});
  SafetensorsWriter(SafetensorsWriter&& other) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = delete;
  ~SafetensorsWriter();

  Expected<void> append(std::span<const std::byte> bytes);
  Expected<void> finish();

 private:
  SafetensorsWriter() = default;
  tl::unexpected<Failure> systemError(std::string_view action) const;

  std::filesystem::path path_;
  std::string temporary_;
  int fd_ = -1;
  std::size_t missing_ = 0;  // bytes announced and not yet appended
};

}  // namespace qgpu
