#include "model/qwen/check_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/qwen/checkpoint.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/tensors.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {
namespace {

constexpr const char* kAdvice =
    "The files of the base model are config.json, tokenizer.json, model.safetensors.index.json and "
    "the "
    "model.safetensors-* shards of Qwen/Qwen3.5-2B, about 4.5 GB, from its publisher's page on "
    "Hugging "
    "Face. Put them into one folder as they are.";

bool sameShape(const Config& a, const Config& b) {
  const auto shapes = [](const Config& c) {
    std::vector<Shape> list;
    for (const TensorSpec& spec : tensorsOf(c)) list.push_back(spec.shape);
    return list;
  };
  return a.layers == b.layers && a.tie_word_embeddings == b.tie_word_embeddings &&
         shapes(a) == shapes(b);
}

FolderItem checkConfig(const std::filesystem::path& folder, FolderReport& report) {
  const auto config = readConfig(folder);
  if (!config) return {"config.json", false, config.error().text()};
  report.is_qwen_2b = sameShape(*config, qwen2bConfig());
  return {"config.json", true,
          fmt::format("{} layers of width {}, {} parameters{}", config->layers.size(),
                      config->hidden_size, parameterCount(*config),
                      report.is_qwen_2b ? ", the shape of Qwen3.5-2B" : "")};
}

FolderItem checkWeights(const std::filesystem::path& folder) {
  const auto checkpoint = Checkpoint::open(folder);
  if (!checkpoint) return {"weights", false, checkpoint.error().text()};
  return {"weights", true,
          fmt::format("{} tensors, {} bytes in all files", tensorsOf(checkpoint->config()).size(),
                      checkpoint->fileBytes())};
}

FolderItem checkTokenizer(const std::filesystem::path& folder) {
  const auto tokenizer = Tokenizer::open(folder / "tokenizer.json");
  if (!tokenizer) return {"tokenizer.json", false, tokenizer.error().text()};
  for (const char* control : {"<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>",
                              "</tool_call>", "<tool_response>", "</tool_response>"})
    if (!tokenizer->addedToken(control))
      return {"tokenizer.json", false, fmt::format("has no token {}", control)};
  const auto config = readConfig(folder);
  if (config && tokenizer->size() > config->vocab_size)
    return {"tokenizer.json", false,
            fmt::format("has {} tokens, more than the {} of config.json", tokenizer->size(),
                        config->vocab_size)};
  return {"tokenizer.json", true, fmt::format("{} tokens", tokenizer->size())};
}

}  // namespace

bool FolderReport::good() const {
  return std::all_of(items.begin(), items.end(), [](const FolderItem& i) { return i.good; });
}

std::string FolderReport::text() const {
  std::string result;
  for (const FolderItem& item : items)
    result += fmt::format("{:<16}{}  {}\n", item.what, item.good ? "ok  " : "BAD ", item.detail);
  return advice.empty() ? result : result + advice + "\n";
}

FolderReport checkModelFolder(const std::filesystem::path& folder) {
  FolderReport report;
  report.items = {checkConfig(folder, report), checkWeights(folder), checkTokenizer(folder)};
  if (!report.good()) report.advice = kAdvice;
  return report;
}

}  // namespace qgpu::model
