#include "model/merged/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "interpreter/base/safetensors.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {
namespace {

using protocol::Token;

constexpr std::size_t kValuesAtOnce = std::size_t{1} << 20;
constexpr const char* kCopied[] = {"generation_config.json", "tokenizer_config.json",
                                   "chat_template.jinja"};

bool isOfVocabulary(const TensorSpec& spec) {
  return spec.name == "embed_tokens.weight" || spec.name == "lm_head.weight";
}

std::size_t elementCount(const TensorSpec& spec) {
  std::size_t count = 1;
  for (const std::size_t n : spec.shape) count *= n;
  return count;
}

// The export's tensors and where their rows come from.
class Source {
 public:
  Source(const StockForm& form, const ExportOptions& options)
      : form_(form), config_(form.config()) {
    for (const Token& token : options.machine_tokens)
      kept_.push_back(form.textTokens() + static_cast<std::size_t>(token.id()));
    if (!kept_.empty()) config_.vocab_size = form.textTokens() + kept_.size();
  }

  const Config& config() const { return config_; }
  std::vector<Token> machineTokens() const {
    std::vector<Token> tokens;
    for (std::size_t id = form_.textTokens(); id < config_.vocab_size; ++id)
      tokens.push_back(*Token::fromId(static_cast<int>(whole(id) - form_.textTokens())));
    return tokens;
  }
  DType dtype(const TensorSpec& spec) const { return form_.isF32(spec) ? DType::F32 : DType::BF16; }
  std::size_t bytes(const TensorSpec& spec) const {
    return byteSize(dtype(spec)) * elementCount(spec);
  }
  // Rows [first, first + count) of a tensor.
  void fill(const TensorSpec& spec, std::size_t first, std::size_t count,
            std::span<float> out) const {
    if (!isOfVocabulary(spec) || kept_.empty()) return form_.fill(spec, first, count, out);
    const TensorSpec all{spec.name, {form_.config().vocab_size, spec.shape.back()}};
    for (std::size_t i = 0; i < count; ++i)
      form_.fill(all, whole(first + i), 1, out.subspan(i * spec.shape.back(), spec.shape.back()));
  }

 private:
  // The id in the whole vocabulary.
  std::size_t whole(std::size_t id) const {
    return id < form_.textTokens() || kept_.empty() ? id : kept_[id - form_.textTokens()];
  }

  const StockForm& form_;
  Config config_;
  std::vector<std::size_t> kept_;
};

// ---- Weights -----------------------------------------------------------------------------------

Expected<void> appendTensor(SafetensorsWriter& writer, const Source& source, const TensorSpec& spec,
                            const ExportOptions& options) {
  const std::size_t columns = elementCount(spec) / spec.shape[0];
  const std::size_t rows_at_once = std::max<std::size_t>(1, kValuesAtOnce / columns);
  std::vector<float> values(std::min(rows_at_once, spec.shape[0]) * columns);
  std::vector<bfloat16> narrow(values.size());
  for (std::size_t first = 0; first < spec.shape[0]; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, spec.shape[0] - first);
    const std::span<float> part(values.data(), count * columns);
    source.fill(spec, first, count, part);
    std::span<const std::byte> bytes = std::as_bytes(part);
    if (source.dtype(spec) == DType::BF16) {
      bool exact = true;
      for (std::size_t i = 0; i < part.size(); ++i) {
        narrow[i] = toBfloat16(part[i]);
        exact = exact && toFloat(narrow[i]) == part[i] && std::isfinite(part[i]);
      }
      if (!exact)
        return refuse(fmt::format("{} holds a weight that cannot be scaled exactly", spec.name));
      bytes = std::as_bytes(std::span(narrow).first(part.size()));
    }
    if (auto written = writer.append(bytes); !written) return written;
    if (options.on_written) options.on_written(bytes.size());
  }
  return {};
}

Expected<void> writeShard(const std::filesystem::path& path, std::span<const TensorSpec> specs,
                          const Source& source, const ExportOptions& options) {
  std::vector<Tensor> announced;
  for (const TensorSpec& spec : specs)
    announced.push_back({storedName(spec.name, false), source.dtype(spec), spec.shape, {}});
  auto writer = SafetensorsWriter::create(path, announced, {{"format", "pt"}});
  if (!writer) return fail(writer.error());
  for (const TensorSpec& spec : specs)
    if (auto done = appendTensor(*writer, source, spec, options); !done) return done;
  return writer->finish();
}

// Tensors in shards of up to `limit` bytes, in order; of a shard the wider types first, so that all
// are aligned.
std::vector<std::vector<TensorSpec>> shardsOf(const Source& source, std::size_t limit) {
  std::vector<std::vector<TensorSpec>> shards(1);
  std::size_t bytes = 0;
  for (const TensorSpec& spec : tensorsOf(source.config())) {
    if (!shards.back().empty() && bytes + source.bytes(spec) > limit) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += source.bytes(spec);
    shards.back().push_back(spec);
  }
  for (auto& shard : shards)
    std::ranges::stable_partition(
        shard, [&](const TensorSpec& spec) { return source.dtype(spec) == DType::F32; });
  return shards;
}

Expected<void> writeWeights(const std::filesystem::path& folder, const Source& source,
                            const ExportOptions& options) {
  const auto shards = shardsOf(source, options.shard_bytes);
  nlohmann::json map = nlohmann::json::object();
  std::size_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    if (auto done = writeShard(folder / file, shards[i], source, options); !done) return done;
    for (const TensorSpec& spec : shards[i]) {
      map[storedName(spec.name, false)] = file;
      total += source.bytes(spec);
    }
  }
  const nlohmann::json index = {{"metadata", {{"total_size", total}}}, {"weight_map", map}};
  return writeFileAtomically(folder / "model.safetensors.index.json", index.dump(1) + "\n");
}

// ---- The tokenizer -----------------------------------------------------------------------------

// A tokenizer gives its tokens the ids that follow one another, so what pads the base's vocabulary
// gets names too.
nlohmann::json addedToken(std::size_t id, const std::string& content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Expected<void> writeTokenizer(const std::filesystem::path& folder,
                              const std::filesystem::path& base, std::size_t text_tokens,
                              std::span<const Token> tokens) {
  const std::filesystem::path path = base / "tokenizer.json";
  // After this it has the members that are used below.
  if (const auto good = Tokenizer::open(path); !good) return fail(good.error());
  const auto text = readFile(path, Tokenizer::kFileLimit);
  if (!text) return fail(text.error());
  auto document = parseJson(*text, path.string());
  if (!document) return fail(document.error());
  std::set<std::size_t> taken;
  for (const auto& [name, id] : (*document)["model"]["vocab"].items())
    taken.insert(id.get<std::size_t>());
  nlohmann::json& added = (*document)["added_tokens"];
  for (const auto& token : added) taken.insert(token.at("id").get<std::size_t>());
  for (std::size_t id = 0; id < text_tokens; ++id)
    if (!taken.contains(id)) added.push_back(addedToken(id, fmt::format("<|unused {}|>", id)));
  std::string names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    added.push_back(addedToken(text_tokens + i, "<|" + tokens[i].text() + "|>"));
    names += tokens[i].text() + '\n';
  }
  if (auto done = writeFileAtomically(folder / "machine_tokens.txt", names); !done) return done;
  return writeFileAtomically(folder / "tokenizer.json", document->dump() + "\n");
}

}  // namespace

std::uintmax_t exportBytes(const StockForm& form, const ExportOptions& options) {
  const Source source(form, options);
  std::uintmax_t bytes = 0;
  for (const TensorSpec& spec : tensorsOf(source.config())) bytes += source.bytes(spec);
  return bytes;
}

Expected<void> exportStockForm(const std::filesystem::path& folder,
                               const std::filesystem::path& base, const StockForm& form,
                               const ExportOptions& options) {
  const Source source(form, options);
  if (auto done = writeTokenizer(folder, base, form.textTokens(), source.machineTokens()); !done)
    return done;
  for (const char* name : kCopied) {
    std::error_code ignored;
    if (!std::filesystem::exists(base / name, ignored)) continue;
    const auto text = readFile(base / name);
    if (!text) return fail(text.error());
    if (auto done = writeFileAtomically(folder / name, *text); !done) return done;
  }
  if (auto done = writeWeights(folder, source, options); !done) return done;
  return writeFileAtomically(folder / "config.json", configJson(source.config()));
}

}  // namespace qgpu::model
