#include "model/weights/circuit_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interpreter/base/safetensors.h"
#include "interpreter/base/sha256.h"
#include "interpreter/protocol/token.h"
#include "model/weights/circuit_metadata.h"
#include "model/weights/layer_tensors.h"

namespace qgpu::model {
namespace {

constexpr std::string_view kEmbedding = "model.embed_tokens.weight";
constexpr std::string_view kHead = "lm_head.weight";
constexpr std::string_view kFinalNorm = "model.norm.weight";

std::string part(std::string_view name, std::string_view suffix) {
  return fmt::format("{}.{}", name, suffix);
}

// ---- Writing -----------------------------------------------------------------------------------

// Keeps the arrays that no member of the circuit holds in this form.
struct ConstantArrays {
  std::vector<std::uint16_t> columns;
  std::vector<float> values;
  explicit ConstantArrays(const TokenEmbedding& embedding) {
    for (const Entry& e : embedding.constants) {
      columns.push_back(static_cast<std::uint16_t>(e.column));
      values.push_back(e.value);
    }
  }
};

template <typename T>
Tensor listOf(std::string name, DType dtype, std::span<const T> values) {
  return tensorOf<T>(std::move(name), dtype, {values.size()}, values);
}

void addMatrix(std::vector<Tensor>& tensors, const std::string& name, const SparseMatrix& matrix) {
  const SparseMatrix::Compressed stored = matrix.compressed();
  tensors.push_back(listOf(part(name, "starts"), DType::U32, stored.starts));
  tensors.push_back(listOf(part(name, "columns"), DType::U16, stored.column));
  tensors.push_back(listOf(part(name, "values"), DType::BF16, stored.values));
}

std::vector<Tensor> tensorsOf(const Circuit& circuit, const ConstantArrays& constants) {
  const LayerTensors list(circuit.substrate);
  std::vector<Tensor> tensors;
  const auto add = [&]<typename T>(std::string name, DType dtype, const std::vector<T>& values) {
    tensors.push_back(listOf(std::move(name), dtype, std::span<const T>(values)));
  };
  for (std::size_t i = 0; i < circuit.layers.size(); ++i) {
    for (const MatrixTensor& m : list.matrices)
      addMatrix(tensors, tensorName(i, m.name), circuit.layers[i].*m.member);
    for (const VectorTensor& v : list.vectors)
      add(tensorName(i, v.name), DType::BF16, circuit.layers[i].*v.member);
  }
  add(part(kEmbedding, "starts"), DType::U32, circuit.embedding.starts);
  add(part(kEmbedding, "columns"), DType::U16, circuit.embedding.columns);
  add(part(kEmbedding, "constant_columns"), DType::U16, constants.columns);
  add(part(kEmbedding, "constant_values"), DType::F32, constants.values);
  add(std::string(kFinalNorm), DType::BF16, circuit.unembedding.norm);
  add(part(kHead, "dims"), DType::U16, circuit.unembedding.dims);
  add(part(kHead, "codes"), DType::I32, circuit.unembedding.codes);
  // Wider types first, so that each tensor is aligned; names order the rest.
  std::ranges::sort(tensors, [](const Tensor& a, const Tensor& b) {
    return std::pair(-static_cast<int>(byteSize(a.dtype)), std::string_view(a.name)) <
           std::pair(-static_cast<int>(byteSize(b.dtype)), std::string_view(b.name));
  });
  return tensors;
}

// In the order of the names, as a std::map has them.
template <typename Tensors>
std::string hashOf(const Tensors& by_name) {
  Sha256 hash;
  for (const auto& [name, tensor] : by_name) {
    hash.add(name);
    hash.add(fmt::format(" {} {}\n", tensor.shape.empty() ? 0 : tensor.shape[0],
                         static_cast<int>(tensor.dtype)));
    hash.add(tensor.bytes);
  }
  return hash.hex();
}
std::string hashOf(const std::vector<Tensor>& tensors) {
  std::map<std::string_view, Tensor> by_name;
  for (const Tensor& tensor : tensors) by_name[tensor.name] = tensor;
  return hashOf(by_name);
}

// ---- Reading -----------------------------------------------------------------------------------

class FileReader {
 public:
  explicit FileReader(const Safetensors& file) : file_(file) {}

  Expected<Circuit> read(bool with_hash) {
    if (auto ok = readMetadata(file_.metadata(), file_.file(), circuit_); !ok)
      return fail(std::move(ok.error()));
    if (with_hash)
      if (auto ok = checkHash(); !ok) return fail(std::move(ok.error()));
    readLayers();
    readEmbedding();
    readUnembedding();
    if (!failure_ && taken_.size() != file_.tensors().size()) refuseForeign();
    if (failure_) return fail(std::move(*failure_));
    return std::move(circuit_);
  }

 private:
  Expected<void> checkHash() const {
    const auto stated = file_.metadata().find("weights");
    if (stated != file_.metadata().end() && stated->second == hashOf(file_.tensors())) return {};
    return refuse(
        fmt::format("{}: damaged: the weights are not those that were written", file_.file()),
        "build it again with `qgpu build`");
  }

  void refuseForeign() {
    for (const auto& [name, tensor] : file_.tensors())
      if (!taken_.contains(name)) return refuseTensor(name, "a circuit has no such tensor");
  }
  void refuseTensor(std::string_view name, std::string_view what) {
    if (!failure_) failure_ = refuse(fmt::format("{}: {}: {}", file_.file(), name, what)).value();
  }

  // The values of a list; empty after a fault.
  template <typename T>
  std::span<const T> list(const std::string& name, DType dtype) {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr) return refuseTensor(name, "missing"), std::span<const T>();
    if (tensor->dtype != dtype || tensor->shape.size() != 1)
      return refuseTensor(name, "not a list of its type"), std::span<const T>();
    taken_.insert(name);
    return tensor->as<T>();
  }
  template <typename T>
  std::vector<T> sized(const std::string& name, DType dtype, std::size_t size) {
    const auto values = list<T>(name, dtype);
    if (values.size() != size) refuseTensor(name, fmt::format("not {} values", size));
    return {values.begin(), values.end()};
  }

  SparseMatrix matrix(const std::string& name, std::size_t rows, std::size_t columns) {
    const auto starts = list<std::uint32_t>(part(name, "starts"), DType::U32);
    const auto column = list<std::uint16_t>(part(name, "columns"), DType::U16);
    const auto values = list<bfloat16>(part(name, "values"), DType::BF16);
    if (failure_) return {};
    if (starts.size() != rows + 1) return refuseTensor(name, "another shape"), SparseMatrix();
    auto read = SparseMatrix::from({starts, column, values}, columns);
    if (!read) return refuseTensor(name, read.error().message), SparseMatrix();
    return std::move(*read);
  }

  void readLayers() {
    const LayerTensors tensors(circuit_.substrate);
    for (std::size_t i = 0; i < static_cast<std::size_t>(circuit_.substrate.layers); ++i) {
      if (failure_) return;
      LayerWeights layer;
      for (const MatrixTensor& m : tensors.matrices)
        layer.*m.member = matrix(tensorName(i, m.name), m.rows, m.columns);
      for (const VectorTensor& v : tensors.vectors)
        layer.*v.member = sized<bfloat16>(tensorName(i, v.name), DType::BF16, v.size);
      circuit_.layers.push_back(std::move(layer));
    }
  }

  bool isDim(std::size_t column) const {
    return column < static_cast<std::size_t>(circuit_.substrate.hidden);
  }

  void readEmbedding() {
    TokenEmbedding& e = circuit_.embedding;
    const auto starts = list<std::uint32_t>(part(kEmbedding, "starts"), DType::U32);
    const auto columns = list<std::uint16_t>(part(kEmbedding, "columns"), DType::U16);
    const auto constants = list<std::uint16_t>(part(kEmbedding, "constant_columns"), DType::U16);
    const auto values =
        sized<float>(part(kEmbedding, "constant_values"), DType::F32, constants.size());
    if (failure_) return;
    e.starts.assign(starts.begin(), starts.end());
    e.columns.assign(columns.begin(), columns.end());
    for (std::size_t i = 0; i < constants.size(); ++i)
      e.constants.push_back({0, constants[i], values[i]});
    const bool covers = e.tokens() == static_cast<std::size_t>(protocol::vocabulary()) &&
                        starts[0] == 0 && starts.back() == columns.size() &&
                        std::ranges::is_sorted(starts);
    if (!covers) return refuseTensor(kEmbedding, "its rows are not those of the vocabulary");
    const auto inside = [&](std::uint16_t column) { return isDim(column); };
    if (!std::ranges::all_of(columns, inside) || !std::ranges::all_of(constants, inside))
      refuseTensor(kEmbedding, "a column lies outside the residual stream");
  }

  void readUnembedding() {
    Unembedding& u = circuit_.unembedding;
    u.norm = sized<bfloat16>(std::string(kFinalNorm), DType::BF16,
                             static_cast<std::size_t>(circuit_.substrate.hidden));
    const auto dims = list<std::uint16_t>(part(kHead, "dims"), DType::U16);
    u.dims.assign(dims.begin(), dims.end());
    u.codes = sized<std::int32_t>(part(kHead, "codes"), DType::I32,
                                  static_cast<std::size_t>(protocol::vocabulary()));
    if (failure_) return;
    if (u.dims.empty() || u.dims.size() > kMostCodeBits ||
        !std::ranges::all_of(u.dims, [&](std::uint16_t d) { return isDim(d); }))
      return refuseTensor(part(kHead, "dims"), "not dims of the residual stream");
    std::vector<bool> seen(std::size_t{1} << u.dims.size());
    for (const std::int32_t code : u.codes) {
      if (code == Unembedding::kNever) continue;
      if (code < 0 || code >= 1 << u.dims.size() || seen[static_cast<std::size_t>(code)])
        return refuseTensor(part(kHead, "codes"), "a code is out of range or given twice");
      seen[static_cast<std::size_t>(code)] = true;
    }
    if (std::ranges::find(seen, true) == seen.end())
      refuseTensor(part(kHead, "codes"), "no token has a code");
  }

  static constexpr std::size_t kMostCodeBits = 24;

  const Safetensors& file_;
  Circuit circuit_;
  std::set<std::string, std::less<>> taken_;
  std::optional<Failure> failure_;
};

}  // namespace

std::string weightsHash(const Circuit& circuit) {
  const ConstantArrays constants(circuit.embedding);
  return hashOf(tensorsOf(circuit, constants));
}

Expected<void> writeCircuit(const std::filesystem::path& path, const Circuit& circuit) {
  const ConstantArrays constants(circuit.embedding);
  const std::vector<Tensor> tensors = tensorsOf(circuit, constants);
  Metadata metadata = circuitMetadata(circuit);
  metadata["weights"] = hashOf(tensors);
  return writeSafetensors(path, tensors, metadata);
}

Expected<Circuit> readCircuit(const std::filesystem::path& path) {
  const auto file = Safetensors::open(path);
  if (!file) return fail(file.error());
  return FileReader(*file).read(true);
}

Expected<Circuit> circuitWithoutHash(const Safetensors& file) {
  return FileReader(file).read(false);
}

}  // namespace qgpu::model
