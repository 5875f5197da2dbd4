// The merged model as a stock checkpoint: dense, for any program that runs Qwen3.5's text model.
//
//   auto form = StockForm::create(checkpoint, circuit);
//   auto done = exportStockForm(folder, checkpoint.folder(), *form, {});
//
// Writes config.json, the weights in shards with an index, tokenizer.json with the machine's tokens
// among the added ones ("<|EXEC 0 0 1111|>"), and machine_tokens.txt: a line for each of the
// machine's tokens, in the order of their ids, which begin at the base's vocab_size. What the base
// has of generation_config.json, tokenizer_config.json and chat_template.jinja is copied.
//
// 45 layers of width 4096 take 10.6 GB; the full vocabulary of the machine another 3.9 GB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/protocol/token.h"
#include "model/merged/stock_form.h"

namespace qgpu::model {

struct ExportOptions {
  // The machine's tokens to keep, in this order; all of them where empty. A model without the
  // others never writes them.
  std::vector<protocol::Token> machine_tokens = {};
  std::size_t shard_bytes = std::size_t{2} << 30;  // a shard ends before a tensor that passes it
  // Hears of the bytes of weights as they are written; may be empty.
  std::function<void(std::size_t bytes)> on_written = {};
};

// Bytes of the weights.
std::uintmax_t exportBytes(const StockForm& form, const ExportOptions& options);

// Into `folder`, which is there (new_folder.h makes folders that appear whole). Needs memory for a
// few rows at a time. Refused: a base without tokenizer.json, a weight whose scaled value bfloat16
// does not hold, what the system refuses.
Expected<void> exportStockForm(const std::filesystem::path& folder,
                               const std::filesystem::path& base, const StockForm& form,
                               const ExportOptions& options);

}  // namespace qgpu::model
