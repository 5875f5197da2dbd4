#include "tools/api/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "interpreter/base/files.h"
#include "interpreter/base/mapped_file.h"
#include "interpreter/base/sha256.h"
#include "model/weights/circuit_file.h"
#include "tools/api/trace.h"

namespace qgpu {
namespace {

using protocol::Token;

constexpr std::string_view kFormat = "# qgpu trace 1";
constexpr std::string_view kAnyFormat = "# qgpu trace ";
constexpr std::array kEndings = {Ending::Halted, Ending::Trapped, Ending::OutOfTokens};

std::string chained(std::string_view before, std::string_view text) {
  Sha256 hash;
  hash.add(before);
  hash.add(text);
  return hash.hex();
}

// One line of text whatever the name holds.
std::string inOneLine(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

// Takes the text up to the next `separator`, which is dropped.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// ---- Writing -----------------------------------------------------------------------------------

class Writer {
 public:
  Writer(const TraceOrigin& origin, std::span<const Token> host) {
    text_ = fmt::format("{}\n# kernel {}\n# engine {}\n# machine {}\n", kFormat,
                        inOneLine(origin.kernel), inOneLine(origin.engine),
                        model::instructionTableHash());
    if (!origin.circuit.empty()) text_ += fmt::format("# circuit {}\n", origin.circuit);
    text_ += fmt::format("# launch {}\n", sha256(formatTrace(host)));
  }
  void add(std::span<const Token> tokens) {
    for (const Token& token : tokens) {
      if (count_ != 0 && count_ % kTraceBlock == 0) close(fmt::format("# chain {}", count_));
      text_ += token.text();
      text_ += '\n';
      ++count_;
    }
  }
  std::string finish(Ending ending, const std::string& end_state) && {
    close(fmt::format("# end {} {} {}", count_, name(ending), end_state));
    return std::move(text_);
  }

 private:
  // A line that ends with the hash of all since the last such line.
  void close(const std::string& line) {
    text_ += line + ' ';
    hash_ = chained(hash_, std::string_view(text_).substr(open_));
    text_ += hash_ + '\n';
    open_ = text_.size();
  }

  std::string text_, hash_;
  std::size_t open_ = 0;   // where the text that is not hashed yet begins
  std::size_t count_ = 0;  // tokens
};

// ---- Reading -----------------------------------------------------------------------------------

class Reader {
 public:
  Reader(std::string_view text, const std::string& file_name)
      : text_(text), rest_(text), file_name_(file_name) {}

  Expected<TraceFile> read() {
    if (text_.starts_with(kAnyFormat))
      if (auto ok = readHeader(); !ok) return fail(std::move(ok.error()));
    while (!rest_.empty()) {
      if (ended_) {
        damaged(line_ + 1, "there is text after the trace's end");
        break;
      }
      const std::string_view line = nextLine();
      const bool mark = trace_.chained && line.starts_with('#');
      if (auto ok = mark ? readMark(line) : readToken(line); !ok)
        return fail(std::move(ok.error()));
    }
    if (trace_.tokens.empty())
      return refuseAt({file_name_, 0, 0}, "the trace is empty", "`qgpu run --trace` writes one");
    if (trace_.chained) finish();
    return std::move(trace_);
  }

 private:
  std::string_view nextLine() {
    ++line_;
    return take(rest_, '\n');
  }
  Location here() const { return {file_name_, line_, 1}; }

  Expected<void> readHeader() {
    trace_.chained = true;
    if (const std::string_view line = nextLine(); line != kFormat)
      return refuseAt(here(), "another version of the format",
                      fmt::format("this program reads '{}'", kFormat));
    while (rest_.starts_with("# ") && !isMark(rest_)) {
      std::string_view line = nextLine().substr(2);
      const std::string_view key = take(line, ' ');
      std::string* value = member(key);
      if (value == nullptr)
        return refuseAt(here(), fmt::format("no trace has a '{}'", key.substr(0, 20)),
                        "a header has: kernel, engine, machine, circuit, launch");
      *value = line;
    }
    trace_.first_line = line_ + 1;
    return {};
  }
  static bool isMark(std::string_view text) {
    return text.starts_with("# chain ") || text.starts_with("# end ");
  }
  std::string* member(std::string_view key) {
    if (key == "kernel") return &trace_.origin.kernel;
    if (key == "engine") return &trace_.origin.engine;
    if (key == "circuit") return &trace_.origin.circuit;
    if (key == "machine") return &trace_.machine;
    if (key == "launch") return &trace_.launch;
    return nullptr;
  }

  Expected<void> readToken(std::string_view line) {
    auto token = Token::parse(line, {});
    if (!token) {
      token.error().location = here();
      return fail(std::move(token.error()));
    }
    trace_.tokens.push_back(*token);
    if (trace_.chained && trace_.tokens.size() - block_first_ > kTraceBlock)
      damaged(line_, "a chain line is missing before this token");
    return {};
  }

  // "# chain COUNT HASH" or "# end COUNT ENDING STATE HASH".
  Expected<void> readMark(std::string_view line) {
    const std::size_t hash_at = line.rfind(' ') + 1;
    const std::string_view hash = line.substr(hash_at);
    std::string_view words = line.substr(0, hash_at);
    take(words, ' ');
    const std::string_view kind = take(words, ' ');
    std::size_t count = 0;
    const std::string_view digits = take(words, ' ');
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (kind == "end") {
      readEnd(words);
    } else if (kind != "chain") {
      return refuseAt(here(), "not a line of a trace", "lines with # are: chain, end");
    }
    closeBlock(line.data() + hash_at, hash, count);
    return {};
  }
  void readEnd(std::string_view words) {
    ended_ = true;
    const std::string_view stated = take(words, ' ');
    for (const Ending ending : kEndings)
      if (name(ending) == stated) trace_.ending = ending;
    trace_.end_state = take(words, ' ');
    if (!trace_.ending) damaged(line_, "the trace's end says no ending");
  }

  void closeBlock(const char* hash_begins, std::string_view stated, std::size_t count) {
    const auto hash_at = static_cast<std::size_t>(hash_begins - text_.data());
    chain_ = chained(chain_, text_.substr(open_, hash_at - open_));
    const std::size_t have = trace_.tokens.size();
    const bool full = have - block_first_ == kTraceBlock;
    if (chain_ != stated || count != have || (!ended_ && !full))
      damaged(block_line_,
              fmt::format("lines {}-{} are not those that were written", block_line_, line_));
    if (ended_) trace_.chain = stated;
    chain_ = stated;  // so that each block is judged by itself
    open_ = text_.size() - rest_.size();
    block_first_ = have;
    block_line_ = line_ + 1;
  }

  void finish() {
    if (!ended_) damaged(line_, "the trace ends here without its end line");
    if (!text_.ends_with('\n')) damaged(line_, "the last line is cut");
    const auto host = std::span(trace_.tokens).first(hostLength(trace_.tokens));
    if (sha256(formatTrace(host)) != trace_.launch)
      damaged(1, "the host's tokens are not those that the header names");
  }

  void damaged(int line, const std::string& what) {
    if (trace_.damage) return;
    trace_.damage =
        refuseAt({file_name_, line, 1}, what, "the file was changed or cut after it was written")
            .value();
  }

  std::string_view text_, rest_;
  const std::string& file_name_;
  TraceFile trace_;
  int line_ = 0;
  bool ended_ = false;
  std::string chain_;            // the last chain line's hash
  std::size_t open_ = 0;         // where the text behind it begins
  std::size_t block_first_ = 0;  // tokens before it
  int block_line_ = 1;           // the line behind it
};

}  // namespace

std::string_view name(Ending ending) {
  switch (ending) {
    case Ending::Halted: return "halted";
    case Ending::Trapped: return "trapped";
    case Ending::OutOfTokens: break;
  }
  return "unfinished";
}

int TraceFile::lineOf(std::int64_t position) const {
  const std::int64_t before = position - 1;
  const std::int64_t marks = chained ? before / static_cast<std::int64_t>(kTraceBlock) : 0;
  return first_line + static_cast<int>(before + marks);
}

std::string traceText(const TraceOrigin& origin, std::span<const Token> host,
                      const EngineRun& run) {
  Writer writer(origin, host);
  writer.add(host);
  writer.add(run.written);
  return std::move(writer).finish(run.ending, run.end_state);
}

Expected<void> writeTrace(const std::filesystem::path& path, const TraceOrigin& origin,
                          std::span<const Token> host, const EngineRun& run) {
  return writeFileAtomically(path, traceText(origin, host, run));
}

Expected<TraceFile> readTraceText(std::string_view text, const std::string& file_name) {
  return Reader(text, file_name).read();
}

Expected<TraceFile> readTrace(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const auto bytes = file->bytes();
  return readTraceText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace qgpu
