#include "model/qwen/check_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "interpreter/base/files.h"
#include "interpreter/base/mapped_file.h"
#include "interpreter/base/sha256.h"
#include "model/qwen/checkpoint.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/tensors.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {
namespace {

constexpr std::size_t kNoteLimit = 4096;        // bytes of a download's note
constexpr std::size_t kHashedAtOnce = 1 << 22;  // bytes
constexpr const char* kAdvice =
    "The base model is Qwen/Qwen3.5-2B, about 4.5 GB: config.json, tokenizer.json,\n"
    "model.safetensors.index.json and the shards that it names, in one folder as they are.\n"
    "Get it from https://huggingface.co/Qwen/Qwen3.5-2B, for example by\n"
    "  hf download Qwen/Qwen3.5-2B --local-dir DIR";

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

// ---- Hashes ------------------------------------------------------------------------------------

using Hashed = std::function<void(std::size_t)>;

bool isSha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The SHA-256 that a download noted for a file: the second line of its note, for files in large
// file storage. Nothing where there is no such note.
std::optional<std::string> notedHash(const std::filesystem::path& folder, const std::string& name) {
  const auto note =
      readFile(folder / ".cache" / "huggingface" / "download" / (name + ".metadata"), kNoteLimit);
  if (!note) return std::nullopt;
  std::istringstream lines(*note);
  std::string commit, hash;
  std::getline(lines, commit);
  std::getline(lines, hash);
  if (!isSha256(hash)) return std::nullopt;
  return hash;
}

Expected<std::string> hashOf(const std::filesystem::path& file, const Hashed& on_hashed) {
  const auto mapped = MappedFile::open(file);
  if (!mapped) return fail(mapped.error());
  Sha256 hash;
  for (std::span<const std::byte> rest = mapped->bytes(); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), kHashedAtOnce));
    hash.add(part);
    if (on_hashed) on_hashed(part.size());
    rest = rest.subspan(part.size());
  }
  return hash.hex();
}

FolderItem checkHashes(const std::filesystem::path& folder, const Hashed& on_hashed) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored)) names.insert(entry.path().filename().string());
  int known = 0;
  for (const std::string& name : names) {
    const auto expected = notedHash(folder, name);
    if (!expected) continue;
    const auto got = hashOf(folder / name, on_hashed);
    if (!got) return {"hashes", false, got.error().text()};
    if (*got != *expected)
      return {"hashes", false,
              fmt::format("{} has SHA-256 {}, its download noted {}", name, *got, *expected)};
    ++known;
  }
  if (known == 0) return {"hashes", true, "not known: no download left a note of them"};
  return {"hashes", true, fmt::format("{} files are as their download noted", known)};
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

FolderReport checkModelFolder(const std::filesystem::path& folder,
                              const std::function<void(std::size_t bytes)>& on_hashed) {
  FolderReport report;
  report.items = {checkConfig(folder, report), checkWeights(folder), checkTokenizer(folder),
                  checkHashes(folder, on_hashed)};
  if (!report.good()) report.advice = kAdvice;
  return report;
}

}  // namespace qgpu::model
