#include <fmt/format.h>

#include <algorithm>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/encoding.h"
#include "tools/api/trace.h"
#include "tools/api/trace_file.h"
#include "tools/qgpu/verb.h"

namespace qgpu::cli {
namespace {

using protocol::Token;
using protocol::TokenKind;

// "thread 5" of a lane in a warp.
std::string threads(int warp, unsigned mask) {
  std::string list;
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((mask >> l & 1) != 0)
      list += fmt::format("{}{}", list.empty() ? "" : ",", warp * kMachine.lanes + l);
  return list.find(',') == std::string::npos ? "thread " + list : "threads " + list;
}

std::string wordText(std::uint32_t word) {
  const auto value = static_cast<std::int32_t>(word);
  return value < 0 ? fmt::format("{} (0x{:08x})", value, word) : std::to_string(value);
}

std::string addressText(int address) {
  if (address < protocol::kSharedBase) return fmt::format("global word {}", address);
  return fmt::format("shared word {}", address - protocol::kSharedBase);
}

// A trace in words, line by line; it keeps the latest EXEC, which VAL and PRED refer to.
class Reader {
 public:
  std::string describe(const TraceItem& item) {
    const auto& f = item.base.field;
    switch (item.base.kind) {
      case TokenKind::Exec:
        exec_ = item.base;
        return fmt::format("block {} for {}", f[0], threads(f[1], f[2]));
      case TokenKind::Val:
        return fmt::format("  r{} of {} = {}", f[0], threads(exec_.field[1], laneMask(f[1])),
                           wordText(item.word));
      case TokenKind::Pred: return fmt::format("  p{} = {:04b} (lane 0 last)", f[0], f[1]);
      case TokenKind::Mem: return fmt::format("  {} = {}", addressText(f[0]), wordText(item.word));
      case TokenKind::Cta: return fmt::format("thread block {} of {} threads", f[0], f[1]);
      case TokenKind::Grid: return fmt::format("{} thread blocks", f[0]);
      case TokenKind::Param: return fmt::format("c{} = {}", f[0], wordText(item.word));
      case TokenKind::Code: return codeText(item);
      case TokenKind::Halt: return "the launch is over";
      case TokenKind::Trap: return "the kernel is at fault";
      default: return "part of no word";
    }
  }

 private:
  unsigned laneMask(int lane) const {
    return lane == protocol::kAllLanes ? exec_.field[2] : 1u << lane;
  }

  // A slot when its second half has come, a header at once.
  std::string codeText(const TraceItem& item) {
    const auto& f = item.base.field;
    if (f[1] == kMachine.slots) {
      const auto header = isa::decodeHeader(item.word);
      return fmt::format("block {} ends: {}", f[0],
                         header ? isa::disassemble(*header) : "no header");
    }
    if (f[2] == 0) {
      low_ = item.word;
      return fmt::format("block {}, slot {}, low half", f[0], f[1] + 1);
    }
    const auto slot = isa::decodeSlot(std::uint64_t{item.word} << 32 | low_);
    return fmt::format("block {}, slot {}: {}", f[0], f[1] + 1,
                       slot ? isa::disassemble(*slot) : "no instruction");
  }

  Token exec_;
  std::uint32_t low_ = 0;
};

class TraceVerb : public Verb {
 public:
  std::string_view name() const override { return "trace"; }
  std::string_view summary() const override { return "Show a saved token trace in words"; }
  std::string_view synopsis() const override { return "FILE [--host]"; }
  std::string_view example() const override {
    return "  $ qgpu run dot.cu ... --trace dot.trace\n"
           "  $ qgpu trace dot.trace\n"
           "    35  EXEC 0 0 0111                      block 0 for threads 0,1,2\n"
           "    36  MEM 7 32                             global word 7 = 32\n"
           "    37  HALT                               the launch is over\n";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("file", file_, "a trace that `qgpu run --trace` wrote")
        ->type_name("FILE")
        ->required();
    app.add_flag("--host", host_, "also the tokens of the host: program, parameters, arrays");
  }

  Expected<int> run(const Terminal& terminal) override {
    const auto file = readTrace(file_);
    if (!file) return fail(file.error());
    if (file->damage) return fail(*file->damage);
    const std::vector<Token>& trace = file->tokens;
    const std::size_t host = hostLength(trace);
    Reader reader;
    std::string lines;
    Json records = Json::array();
    for (const TraceItem& item : itemsOf(trace)) {
      const std::string meaning = reader.describe(item);
      if (!host_ && item.first < host) continue;
      append(lines, trace, item, meaning, terminal);
      if (terminal.json())
        records.push_back(
            {{"position", item.first},
             {"token", item.base.text()},
             {"tokens", item.tokens},
             {"meaning", std::string(meaning.substr(meaning.find_first_not_of(' ')))}});
    }
    terminal.print(lines);
    if (!host_)
      terminal.note(fmt::format("{} tokens of the host are left out; --host shows them", host));
    if (terminal.json())
      terminal.object({{"status", "ok"},
                       {"tokens", {{"host", host}, {"model", trace.size() - host}}},
                       {"records", records}});
    return kDone;
  }

 private:
  static void append(std::string& lines, const std::vector<Token>& trace, const TraceItem& item,
                     const std::string& meaning, const Terminal& terminal) {
    std::string tokens = item.base.text();
    for (std::size_t i = 1; i < item.tokens; ++i) tokens += "  " + trace[item.first + i].text();
    const bool starts = item.base.kind == TokenKind::Exec || item.base.kind == TokenKind::Cta;
    lines += fmt::format(
        "{}  {} {}\n", terminal.styled(fmt::format("{:>6}", item.first), Style::Dim),
        terminal.styled(fmt::format("{:<34}", tokens), starts ? Style::Bold : Style::Plain),
        meaning);
  }

  std::string file_;
  bool host_ = false;
};

}  // namespace

std::unique_ptr<Verb> traceVerb() { return std::make_unique<TraceVerb>(); }

}  // namespace qgpu::cli
