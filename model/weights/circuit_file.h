// The circuit file: a compiled machine as a safetensors file.
//
//   auto done = writeCircuit("machine.safetensors", circuit);
//   auto circuit = readCircuit("machine.safetensors");
//
// The tensors are Qwen3.5's, under their stock names. Those that are dense there and dense here
// (norms, dt_bias, A_log) are stored as they are. A matrix N is stored in compressed rows:
//
//   N.starts    U32  [rows + 1]     row r's entries are starts[r] .. starts[r + 1] - 1
//   N.columns   U16  [nonzeros]     ascending within a row
//   N.values    BF16 [nonzeros]
//
// with the stock shape [rows, columns]; conv1d.weight is [channels, 1, 4] there and [channels, 4]
// here. The vocabulary is larger than everything else and regular, so its two matrices are packed
// by what their rows have in common (circuit.h):
//
//   model.embed_tokens.weight.constant_columns  U16   .constant_values  F32
//   model.embed_tokens.weight.starts            U32   .columns          U16
//   lm_head.weight.dims                         U16   .codes            I32 [tokens]
//
// Metadata, all of it text:
//
//   format             "qgpu.circuit"
//   format_version     "1"
//   machine            JSON: the machine's sizes
//   instruction_table  SHA-256 of the instruction and token manuals, which the tables generate
//   substrate          JSON: hidden, intermediate, heads ...
//   budget, memories, probes, lm_head   JSON: see circuit.h
//   weights            SHA-256 of names and bytes of all tensors, in the order of the names
//
// The same circuit gives the same bytes. A file is refused, with the reason, if it is not such a
// file, is damaged anywhere, or was built for another machine or instruction table.
#pragma once

#include <filesystem>
#include <string>

#include "interpreter/base/failure.h"
#include "interpreter/base/safetensors.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

// The metadata's `instruction_table` of this build.
const std::string& instructionTableHash();

// The metadata's `weights` of a circuit's file.
std::string weightsHash(const Circuit& circuit);

Expected<void> writeCircuit(const std::filesystem::path& path, const Circuit& circuit);
Expected<Circuit> readCircuit(const std::filesystem::path& path);
// The same of a file that is open. A fuzzer's files have no hash of theirs: it is not looked at.
Expected<Circuit> circuitWithoutHash(const Safetensors& file);

}  // namespace qgpu::model
