#include "model/qwen/synthetic.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "interpreter/base/files.h"
#include "interpreter/base/safetensors.h"
#include "model/qwen/tensors.h"

namespace qgpu::model {
namespace {

// SplitMix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

// Mean and spread of a tensor's values: those that keep activations of a random model alive.
struct Distribution {
  double mean = 0.0;
  double deviation = 0.0;
};

Distribution distributionOf(const TensorSpec& spec) {
  const std::string& name = spec.name;
  if (name.ends_with("linear_attn.norm.weight")) return {1.0, 0.2};
  if (name.ends_with("norm.weight")) return {0.0, 0.2};
  if (name.ends_with("A_log")) return {-0.5, 1.0};
  if (name.ends_with("dt_bias")) return {-1.0, 1.0};
  if (name.ends_with("conv1d.weight")) return {0.0, 0.5};
  if (name.ends_with("embed_tokens.weight")) return {0.0, 1.0};
  return {0.0, 1.5 / std::sqrt(static_cast<double>(spec.shape.back()))};
}

// Draws from 65,536 normal values made once for a tensor: four of them with each random number.
class Values {
 public:
  Values(const Distribution& distribution, Random& random) : random_(random) {
    for (bfloat16& value : table_) {  // Box and Muller, 1958
      const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
      const double normal = radius * std::cos(2.0 * std::numbers::pi * random.uniform());
      value = toBfloat16(static_cast<float>(distribution.mean + distribution.deviation * normal));
    }
  }
  void fill(std::span<bfloat16> out) {
    for (std::size_t i = 0; i < out.size(); i += 4) {
      std::uint64_t bits = random_.next();
      for (std::size_t j = i; j < std::min(i + 4, out.size()); ++j, bits >>= 16)
        out[j] = table_[bits & 0xffff];
    }
  }

 private:
  std::vector<bfloat16> table_ = std::vector<bfloat16>(1 << 16);
  Random& random_;
};

std::size_t elementCount(const TensorSpec& spec) {
  std::size_t count = 1;
  for (const std::size_t n : spec.shape) count *= n;
  return count;
}

Expected<void> writeShard(const std::filesystem::path& path, std::span<const TensorSpec> specs,
                          const SyntheticOptions& options, Random& random) {
  std::vector<Tensor> announced;
  for (const TensorSpec& spec : specs)
    announced.push_back(
        {storedName(spec.name, options.multimodal_names), DType::BF16, spec.shape, {}});
  auto writer = SafetensorsWriter::create(path, announced, {{"format", "pt"}});
  if (!writer) return fail(writer.error());
  std::vector<bfloat16> block(1 << 20);
  for (const TensorSpec& spec : specs) {
    Values values(distributionOf(spec), random);
    for (std::size_t left = elementCount(spec); left > 0;) {
      const std::span<bfloat16> part(block.data(), std::min(left, block.size()));
      values.fill(part);
      if (auto written = writer->append(std::as_bytes(part)); !written) return written;
      if (options.on_written) options.on_written(part.size_bytes());
      left -= part.size();
    }
  }
  return writer->finish();
}

// Where each shard ends in the list of tensors.
std::vector<std::size_t> shardEnds(const std::vector<TensorSpec>& specs, std::size_t limit) {
  std::vector<std::size_t> ends;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t size = 2 * elementCount(specs[i]);
    if (i > 0 && bytes + size > limit) {
      ends.push_back(i);
      bytes = 0;
    }
    bytes += size;
  }
  ends.push_back(specs.size());
  return ends;
}

Expected<void> writeWeights(const std::filesystem::path& folder, const SyntheticOptions& options) {
  const std::vector<TensorSpec> specs = tensorsOf(options.config);
  const std::vector<std::size_t> ends = shardEnds(specs, options.shard_bytes);
  Random random(options.seed);
  nlohmann::json map = nlohmann::json::object();
  std::size_t first = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string file =
        ends.size() == 1
            ? "model.safetensors"
            : fmt::format("model.safetensors-{:05}-of-{:05}.safetensors", i + 1, ends.size());
    const std::span shard(specs.data() + first, ends[i] - first);
    if (auto done = writeShard(folder / file, shard, options, random); !done) return done;
    for (const TensorSpec& spec : shard)
      map[storedName(spec.name, options.multimodal_names)] = file;
    first = ends[i];
  }
  if (ends.size() == 1) return {};
  const nlohmann::json index = {{"metadata", {{"total_size", 2 * parameterCount(options.config)}}},
                                {"weight_map", map}};
  return writeFileAtomically(folder / "model.safetensors.index.json", index.dump(1) + "\n");
}

}  // namespace

Expected<void> writeSyntheticCheckpoint(const std::filesystem::path& folder,
                                        const SyntheticOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refuseAt({folder.string(), 0, 0}, "cannot be made: " + error.message());
  if (auto done = writeFileAtomically(folder / "config.json", configJson(options.config)); !done)
    return done;
  // The published model's added tokens follow its 248,044 BPE tokens; a small one's follow the
  // bytes.
  const TokenId first_added = options.config.vocab_size > 248'077 ? 248'044 : 256;
  if (options.config.vocab_size >= first_added + 33)
    if (auto done = writeFileAtomically(folder / "tokenizer.json", byteTokenizerJson(first_added));
        !done)
      return done;
  return writeWeights(folder, options);
}

Config qwen2bConfig() {
  Config config;
  config.vocab_size = 248'320;
  config.hidden_size = 2048;
  config.intermediate_size = 6144;
  config.max_positions = 262'144;
  config.rms_norm_eps = 1e-6f;
  config.tie_word_embeddings = true;
  config.end_tokens = {248'044, 248'046};
  for (int i = 0; i < 24; ++i)
    config.layers.push_back(i % 4 == 3 ? LayerKind::FullAttention : LayerKind::LinearAttention);
  config.linear_attention = {.hidden = 2048,
                             .key_heads = 16,
                             .value_heads = 16,
                             .key_dim = 128,
                             .value_dim = 128,
                             .conv_kernel = 4,
                             .eps = 1e-6f};
  config.full_attention = {.hidden = 2048,
                           .query_heads = 8,
                           .key_heads = 2,
                           .head_dim = 256,
                           .rotary_dim = 64,
                           .rope_theta = 1e7,
                           .eps = 1e-6f};
  return config;
}

Config tinyConfig() {
  Config config = qwen2bConfig();
  config.vocab_size = 320;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.max_positions = 4096;
  config.layers.resize(4);
  config.end_tokens = {256, 258};
  config.linear_attention = {.hidden = 64,
                             .key_heads = 2,
                             .value_heads = 4,
                             .key_dim = 16,
                             .value_dim = 16,
                             .conv_kernel = 4,
                             .eps = 1e-6f};
  config.full_attention = {.hidden = 64,
                           .query_heads = 4,
                           .key_heads = 2,
                           .head_dim = 32,
                           .rotary_dim = 8,
                           .rope_theta = 1e7,
                           .eps = 1e-6f};
  return config;
}

Config smallConfig() {
  Config config = tinyConfig();
  config.linear_attention.key_dim = config.linear_attention.value_dim = 128;
  return config;
}

}  // namespace qgpu::model
