#include "model/qwen/checkpoint.h"

#include <fmt/format.h>

#include <set>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "model/qwen/tensors.h"

namespace qgpu::model {
namespace {

constexpr std::size_t kIndexLimit = 16u << 20;  // bytes
constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kSingleName = "model.safetensors";

bool isPlainShardName(const std::string& file_name) {
  return file_name.find('/') == std::string::npos && file_name.find('\\') == std::string::npos &&
         file_name.find('\0') == std::string::npos && !file_name.starts_with('.') &&
         file_name.ends_with(".safetensors");
}

// What is wrong with a stored tensor, or nothing.
std::string mismatch(const Tensor& tensor, const TensorSpec& spec) {
  if (tensor.shape != spec.shape)
    return fmt::format("has shape {}; the config asks for {}", text(tensor.shape),
                       text(spec.shape));
  if (tensor.dtype == DType::BF16 || (spec.may_be_f32 && tensor.dtype == DType::F32)) return "";
  return fmt::format("is {}; BF16 is expected", name(tensor.dtype));
}

}  // namespace

Expected<std::map<std::string, std::string>> parseIndex(std::string_view json_text,
                                                        std::string_view file) {
  const auto document = parseJson(json_text, file);
  if (!document) return fail(document.error());
  JsonFields fields(*document, file);
  const nlohmann::json& map = fields.object("weight_map");
  if (fields.failure()) return fail(*fields.failure());
  std::map<std::string, std::string> result;
  for (const auto& [tensor, shard] : map.items()) {
    if (!shard.is_string() || !isPlainShardName(shard.get<std::string>()))
      return refuseAt({std::string(file), 0, 0},
                      fmt::format("weight_map places {} in {}", tensor, shard.dump()),
                      "name a .safetensors file of the same folder");
    result.emplace(tensor, shard.get<std::string>());
  }
  return result;
}

Expected<Checkpoint> Checkpoint::open(const std::filesystem::path& folder) {
  Checkpoint checkpoint;
  checkpoint.folder_ = folder;
  auto config = readConfig(folder);
  if (!config) return fail(config.error());
  checkpoint.config_ = std::move(*config);
  if (auto opened = checkpoint.openFiles(); !opened) return fail(opened.error());
  if (auto bound = checkpoint.bindTensors(); !bound) return fail(bound.error());
  return checkpoint;
}

Expected<void> Checkpoint::openFiles() {
  const std::filesystem::path index_path = folder_ / kIndexName;
  const auto openFile = [&](const std::string& file_name) -> Expected<const Safetensors*> {
    const auto known = files_.find(file_name);
    if (known != files_.end()) return &known->second;
    auto file = Safetensors::open(folder_ / file_name);
    if (!file) return fail(file.error());
    return &files_.emplace(file_name, std::move(*file)).first->second;
  };
  std::error_code ignored;
  if (!std::filesystem::exists(index_path, ignored)) {
    const auto file = openFile(std::string(kSingleName));
    if (!file) return fail(file.error());
    for (const auto& [name, tensor] : (*file)->tensors()) stored_.emplace(name, &tensor);
    return {};
  }
  const auto index_text = readFile(index_path, kIndexLimit);
  if (!index_text) return fail(index_text.error());
  const auto index = parseIndex(*index_text, index_path.string());
  if (!index) return fail(index.error());
  for (const auto& [name, file_name] : *index) {
    const auto file = openFile(file_name);
    if (!file) return fail(file.error());
    const Tensor* tensor = (*file)->find(name);
    if (tensor == nullptr)
      return refuseAt({(folder_ / file_name).string(), 0, 0},
                      fmt::format("has no tensor {}, which the index places there", name));
    stored_.emplace(name, tensor);
  }
  return {};
}

Expected<void> Checkpoint::bindTensors() {
  const auto refuseFolder = [&](std::string message) {
    return refuseAt({folder_.string(), 0, 0}, std::move(message),
                    "give an unchanged Qwen3.5 checkpoint");
  };
  const bool multimodal = stored_.contains(storedName("embed_tokens.weight", true));
  std::set<std::string> known;
  for (const TensorSpec& spec : tensorsOf(config_)) {
    const std::string stored = storedName(spec.name, multimodal);
    const auto found = stored_.find(stored);
    if (found == stored_.end()) return refuseFolder(fmt::format("tensor {} is missing", stored));
    if (const std::string wrong = mismatch(*found->second, spec); !wrong.empty())
      return refuseFolder(fmt::format("tensor {} {}", stored, wrong));
    tensors_.emplace(spec.name, found->second);
    known.insert(stored);
  }
  for (const auto& [stored, tensor] : stored_) {
    if (!known.contains(stored) && !isIgnored(stored, config_))
      return refuseFolder(fmt::format("tensor {} is not part of the model", stored));
  }
  return {};
}

const Tensor& Checkpoint::tensor(std::string_view name) const {
  const auto found = tensors_.find(name);
  check(found != tensors_.end(), "a checkpoint is asked for tensors of its own config");
  return *found->second;
}

std::size_t Checkpoint::fileBytes() const {
  std::size_t total = 0;
  for (const auto& [name, file] : files_)
    for (const auto& [tensor_name, tensor] : file.tensors()) total += tensor.bytes.size();
  return total;
}

}  // namespace qgpu::model
