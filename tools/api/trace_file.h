// Trace files: a launch's tokens as text, one a line, held together by a chain of hashes.
//
//   # qgpu trace 1
//   # kernel dot<<<1, 3>>>
//   # engine model
//   # machine 31f2...                      the instruction table (model/weights/circuit_file.h)
//   # circuit 9c07...                      the weights; missing where the interpreter wrote
//   # launch 5d1a...                       SHA-256 of the host's lines
//   CODE 0 0 0 5
//   ...
//   # chain 1024 77ab...
//   ...
//   HALT
//   # end 1037 halted 0be4... e911...      tokens, how it ended, the end state, the chain
//
// A chain line stands after every 1,024 tokens and an end line after the last. The last word of
// each is a SHA-256: of the last word of the chain line before it (64 digits; none at the first)
// and then of all text between the two, that is from the line after that one up to, and with, the
// space before this word. So the end line's hash stands for the whole file: its header, every token
// in its order, their number, and the hash of the end state (end_state.h).
//
//   auto done = writeTrace("dot.trace", {.kernel = "dot<<<1, 3>>>"}, recording);
//   auto trace = readTrace("dot.trace");         // Expected<TraceFile>
//   trace->damage;                               // nothing, or where the chain first breaks
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/protocol/token.h"
#include "tools/api/engine.h"

namespace qgpu {

// How many tokens stand between two chain lines.
inline constexpr std::size_t kTraceBlock = 1024;

// Who wrote a trace, of what.
struct TraceOrigin {
  std::string kernel;   // in words: "dot<<<1, 3>>>"
  std::string engine;   // "model"
  std::string circuit;  // SHA-256 of its weights; empty for an engine that has none
  friend bool operator==(const TraceOrigin&, const TraceOrigin&) = default;
};

struct TraceFile {
  std::vector<protocol::Token> tokens;  // the host's first; see hostLength (trace.h)

  bool chained = false;  // false: plain tokens, one a line, and all below is empty
  TraceOrigin origin;
  std::string machine, launch;   // hashes, as the header states them
  std::optional<Ending> ending;  // as the end line states it
  std::string end_state;         // its hash, likewise
  std::string chain;             // the end line's hash

  int first_line = 1;  // of the first token
  // The line of a token, counted from 1; also of one that is missing behind the last.
  int lineOf(std::int64_t position) const;

  // The first place where the file is not what was written: a block whose hash is another, a
  // missing end, text behind it.
  std::optional<Failure> damage;
};

// The text of a trace file.
std::string traceText(const TraceOrigin& origin, std::span<const protocol::Token> host,
                      const EngineRun& run);
// Writes it, at once or not at all.
Expected<void> writeTrace(const std::filesystem::path& path, const TraceOrigin& origin,
                          std::span<const protocol::Token> host, const EngineRun& run);

// Reads a trace file in one pass, hashing as it goes; a million tokens take about half a second.
// Text without a header is taken as plain tokens. Refused, with file and line: a line that is
// neither a token nor one of the lines above, another version of the format, a trace of no tokens.
Expected<TraceFile> readTrace(const std::filesystem::path& path);
Expected<TraceFile> readTraceText(std::string_view text, const std::string& file_name);

// "halted", "trapped", "unfinished"
std::string_view name(Ending ending);

}  // namespace qgpu
