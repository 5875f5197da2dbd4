#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "interpreter/base/safetensors.h"

namespace qgpu {
namespace {

constexpr std::size_t kAlignment = 64;  // of the first tensor: a cache line

std::optional<std::size_t> byteCount(const Tensor& tensor) {
  std::size_t size = byteSize(tensor.dtype);
  for (const std::size_t n : tensor.shape)
    if (__builtin_mul_overflow(size, n, &size)) return std::nullopt;
  return size;
}

// The header's JSON; `end` becomes the length of the data.
Expected<std::string> headerJson(const std::vector<Tensor>& tensors, const Metadata& metadata,
                                 const std::string& file, std::size_t& end) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::set<std::string_view> names = {"__metadata__"};
  for (const Tensor& tensor : tensors) {
    const auto bad = [&](std::string_view what) {
      return refuseAt({file, 0, 0}, fmt::format("tensor {}: {}", tensor.name, what));
    };
    const std::optional<std::size_t> size = byteCount(tensor);
    const std::size_t begin = end;
    if (!names.insert(tensor.name).second) return bad("the name is taken");
    if (tensor.shape.size() > Safetensors::kRankLimit) return bad("has too many dimensions");
    if (!size || __builtin_add_overflow(begin, *size, &end)) return bad("is too large");
    if (begin % byteSize(tensor.dtype) != 0) return bad("would not be aligned");
    header.push_back(
        {tensor.name,
         {{"dtype", name(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}}});
  }
  // Names are ours and UTF-8; other bytes would become U+FFFD.
  return header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// The length field and the header, padded with spaces so that the data begins aligned.
Expected<std::string> prologue(const std::vector<Tensor>& tensors, const Metadata& metadata,
                               const std::string& file, std::size_t& data_size) {
  auto header = headerJson(tensors, metadata, file, data_size);
  if (!header) return header;
  const std::size_t size = sizeof(std::uint64_t) + header->size();
  header->append((kAlignment - size % kAlignment) % kAlignment, ' ');
  if (header->size() > Safetensors::kHeaderLimit)
    return refuseAt({file, 0, 0}, "the header would be too large");
  const std::uint64_t length = header->size();
  std::string result(sizeof length, '\0');
  std::memcpy(result.data(), &length, sizeof length);
  return result + *header;
}

}  // namespace

Expected<SafetensorsWriter> SafetensorsWriter::create(const std::filesystem::path& path,
                                                      const std::vector<Tensor>& tensors,
                                                      const Metadata& metadata) {
  SafetensorsWriter writer;
  auto target = outputFile(path);
  if (!target) return fail(target.error());
  writer.path_ = std::move(*target);
  auto header = prologue(tensors, metadata, path.string(), writer.missing_);
  if (!header) return fail(header.error());
  std::string temporary = writer.path_.string() + ".XXXXXX";
  writer.fd_ = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (writer.fd_ < 0) return writer.systemError("write");
  writer.temporary_ = std::move(temporary);
  writer.missing_ += header->size();
  if (auto written = writer.append(std::as_bytes(std::span(*header))); !written)
    return fail(written.error());
  return writer;
}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      missing_(other.missing_) {}

SafetensorsWriter::~SafetensorsWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

tl::unexpected<Failure> SafetensorsWriter::systemError(std::string_view action) const {
  return refuseAt({path_.string(), 0, 0},
                  fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

Expected<void> SafetensorsWriter::append(std::span<const std::byte> bytes) {
  check(bytes.size() <= missing_, "no more bytes are written than were announced");
  missing_ -= bytes.size();
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return systemError("write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Expected<void> SafetensorsWriter::finish() {
  check(missing_ == 0, "every announced byte was written");
  const bool flushed = ::fchmod(fd_, 0644) == 0 && ::fsync(fd_) == 0;
  if (const int fd = std::exchange(fd_, -1); !flushed || ::close(fd) != 0)
    return systemError("write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return systemError("replace");
  temporary_.clear();
  return {};
}

Expected<void> writeSafetensors(const std::filesystem::path& path,
                                const std::vector<Tensor>& tensors, const Metadata& metadata) {
  auto writer = SafetensorsWriter::create(path, tensors, metadata);
  if (!writer) return fail(writer.error());
  for (const Tensor& tensor : tensors) {
    if (tensor.bytes.size() != byteCount(tensor))
      return refuseAt({path.string(), 0, 0},
                      fmt::format("tensor {}: {} bytes do not fill its shape", tensor.name,
                                  tensor.bytes.size()));
    if (auto written = writer->append(tensor.bytes); !written) return written;
  }
  return writer->finish();
}

}  // namespace qgpu
