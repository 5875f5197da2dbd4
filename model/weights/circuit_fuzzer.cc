// A good file with alterations under a hash that fits is a circuit or is refused; one that is
// accepted keeps what the model relies on. The input is a list of alterations, 8 bytes each.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interpreter/base/safetensors.h"
#include "model/weights/circuit_file.h"
#include "model/weights/small_circuit.h"

namespace qgpu::model {
namespace {

// What of the file is altered, where, and to what.
struct Alteration {
  std::uint8_t kind = 0, which = 0;
  std::uint16_t at = 0;
  std::uint32_t value = 0;
};
static_assert(sizeof(Alteration) == 8);

constexpr std::size_t kMostAlterations = 32;
constexpr DType kTypes[] = {DType::U8,  DType::U16, DType::I16, DType::BF16,
                            DType::U32, DType::I32, DType::F32, DType::U64};

// A file in its parts. The bytes of tensors that were not altered are those of the good file.
class Parts {
 public:
  explicit Parts(const Safetensors& good) : metadata_(good.metadata()) {
    for (const auto& [name, tensor] : good.tensors()) tensors_.push_back(tensor);
  }

  void alter(const Alteration& a) {
    if (tensors_.empty() || metadata_.empty()) return;
    const std::size_t which = a.which % tensors_.size();
    Tensor& tensor = tensors_[which];
    std::string& text = std::next(metadata_.begin(), a.which % metadata_.size())->second;
    switch (a.kind % 9) {
      case 0: return setElement(tensor, a);
      case 1: return resize(tensor, a.at);
      case 2: return resize(tensor, tensor.elementCount() + a.value % 5 - 2);
      case 3: return void(tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(which)));
      case 4: return void(tensor.dtype = kTypes[a.value % std::size(kTypes)]);
      case 5: return void(tensor.name[a.at % tensor.name.size()] = letter(a));
      case 6: return void(tensor.bytes = tensors_[a.value % tensors_.size()].bytes);
      case 7: return text.empty() ? void() : void(text[a.at % text.size()] = letter(a));
      default: return void(text.insert(a.at % (text.size() + 1), std::to_string(a.value)));
    }
  }

  // Wider types stand first, as the writer has them; bytes that do not fill the type are cut.
  std::vector<std::uint64_t> file() {
    std::ranges::sort(tensors_, std::ranges::greater(),
                      [](const Tensor& t) { return byteSize(t.dtype); });
    nlohmann::json header = {{"__metadata__", metadata_}};
    std::size_t end = 0;
    for (const Tensor& tensor : tensors_) {
      const std::size_t bytes = tensor.elementCount() * byteSize(tensor.dtype);
      header[tensor.name] = {{"dtype", name(tensor.dtype)},
                             {"shape", {tensor.elementCount()}},
                             {"data_offsets", {end, end + bytes}}};
      end += bytes;
    }
    std::string json = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    json.append(7 - (json.size() + 7) % 8, ' ');
    std::vector<std::uint64_t> words(1 + (json.size() + end + 7) / 8);
    words[0] = json.size();
    auto* to = reinterpret_cast<std::byte*>(words.data() + 1);
    to = std::ranges::copy(std::as_bytes(std::span(json)), to).out;
    for (const Tensor& tensor : tensors_)
      to = std::ranges::copy(tensor.bytes.first(tensor.elementCount() * byteSize(tensor.dtype)), to)
               .out;
    size_ = sizeof(std::uint64_t) + json.size() + end;
    return words;
  }
  std::size_t size() const { return size_; }  // of the file, in bytes

 private:
  static char letter(const Alteration& a) { return static_cast<char>(a.value); }

  // Copies of bytes that are then altered live as long as the parts.
  std::span<std::byte> own(std::vector<std::byte> bytes) {
    return own_.emplace_back(std::move(bytes));
  }
  void setElement(Tensor& tensor, const Alteration& a) {
    if (tensor.elementCount() == 0) return;
    const std::size_t size = byteSize(tensor.dtype);
    const std::span<std::byte> bytes = own({tensor.bytes.begin(), tensor.bytes.end()});
    const std::size_t element = a.at * std::size_t{4001} % tensor.elementCount();
    std::memcpy(bytes.data() + element * size, &a.value, std::min(size, sizeof a.value));
    tensor.bytes = bytes;
  }
  void resize(Tensor& tensor, std::size_t elements) {
    std::vector<std::byte> bytes(tensor.bytes.begin(), tensor.bytes.end());
    bytes.resize(std::min<std::size_t>(elements, 1 << 20) * byteSize(tensor.dtype));
    tensor.bytes = own(std::move(bytes));
  }

  Metadata metadata_;
  std::vector<Tensor> tensors_;
  std::deque<std::vector<std::byte>> own_;
  std::size_t size_ = 0;
};

const Safetensors& goodFile() {
  static const Safetensors good = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("qgpu_circuit_fuzzer." + std::to_string(::getpid()));
    check(writeCircuit(path, smallCircuit()).has_value(), "a circuit can be written");
    auto file = Safetensors::open(path);
    std::filesystem::remove(path);
    check(file.has_value(), "a circuit can be read");
    return std::move(*file);
  }();
  return good;
}

void expectWhole(const Circuit& c) {
  const Substrate& s = c.substrate;
  const auto isDim = [&](std::uint32_t d) { return d < static_cast<std::uint32_t>(s.hidden); };
  check(c.layers.size() == static_cast<std::size_t>(s.layers), "all layers are there");
  check(c.budget.size() == c.layers.size(), "each layer has a budget");
  check(c.embedding.tokens() == c.unembedding.codes.size(), "tokens have rows and codes");
  check(c.embedding.starts.back() == c.embedding.columns.size(), "rows end with the columns");
  check(std::ranges::all_of(c.unembedding.dims, isDim), "dims of codes are some of the stream");
  for (const auto& [name, place] : c.memories)
    check(place.layer < s.layers && place.head < s.heads, "memories lie in heads");
  for (const auto& [name, probe] : c.probes)
    check(std::ranges::all_of(probe.dims, isDim), "probes look at the stream");
}

}  // namespace
}  // namespace qgpu::model

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu::model;
  Parts parts(goodFile());
  for (std::size_t i = 0; i < std::min(size / sizeof(Alteration), kMostAlterations); ++i) {
    Alteration alteration;
    std::memcpy(&alteration, data + i * sizeof alteration, sizeof alteration);
    parts.alter(alteration);
  }
  const std::vector<std::uint64_t> words = parts.file();
  const auto file =
      qgpu::Safetensors::parse(std::as_bytes(std::span(words)).first(parts.size()), "fuzz");
  if (!file) return 0;
  const auto circuit = circuitWithoutHash(*file);
  if (circuit) expectWhole(*circuit);
  qgpu::check(size >= sizeof(Alteration) || circuit.has_value(), "the good file is accepted");
  return 0;
}
